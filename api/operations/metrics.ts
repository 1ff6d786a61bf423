import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'
import type { PlaceNames } from '../../engine/fold-progress.ts'
import type { Log, Topic } from '../../engine/log/log.ts'
import type { Store } from '../../engine/store/store.ts'
import type { CutPause, EngineStatus } from '../../engine/worker/engine.ts'
import { shownUrl } from '../auth/route-table.ts'
import type { IngestObserver } from '../ingest/ingest-front.ts'
import type { PushObserver } from '../ingest/push-front.ts'

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts and times every request of a server by its route, never by its path: ids and names stay out. */
export function requestMetrics(app: FastifyInstance, registry: Registry): void {
  const requests = counterOf(registry, 'weir_http_requests_total', 'Requests answered, by route and status', [
    'method',
    'route',
    'status',
  ])
  const durations = histogramOf(
    registry,
    'weir_http_request_duration_seconds',
    'Time from a request to its complete answer',
    ['method', 'route'],
    DURATION_BUCKETS_S,
  )
  const bodyBytes = counterOf(
    registry,
    'weir_http_request_body_bytes_total',
    'Bytes of bodies as they were sent',
    ['route'],
  )
  app.addHook('onResponse', async (request, reply) => {
    const route = shownUrl(request.routeOptions.url ?? 'unknown')
    const { method } = request
    requests.inc({ method, route, status: String(reply.statusCode) })
    durations.observe({ method, route }, reply.elapsedTime / 1000)
    const bytes = Number(request.headers['content-length'] ?? 0)
    if (Number.isSafeInteger(bytes) && bytes > 0) bodyBytes.inc({ route }, bytes)
  })
}

const DRIFT_BUCKETS_S = [-3600, -60, -5, -1, 0, 1, 5, 60, 3600]

/** Counts accepted lines, and the drift of the clocks of senders. */
export function ingestMetrics(registry: Registry): IngestObserver {
  const lines = counterOf(registry, 'weir_ingest_lines_total', 'Lines accepted: they are durable', [])
  const refusedLines = counterOf(
    registry,
    'weir_ingest_refused_lines_total',
    'Lines that were refused while others of their request were accepted',
    [],
  )
  const retimedLines = counterOf(
    registry,
    'weir_ingest_retimed_lines_total',
    'Lines accepted whose own time was older than the retention of the account, or over a day ahead, and was replaced by the time of arrival',
    [],
  )
  const accepted = counterOf(
    registry,
    'weir_ingest_bytes_total',
    'Bytes of accepted bodies after decompression',
    [],
  )
  const drifts = histogramOf(
    registry,
    'weir_ingest_drift_seconds',
    "Time of reception minus the sender's clock",
    [],
    DRIFT_BUCKETS_S,
  )
  return {
    accepted: ({ lines: count, refused, retimed, bytes, driftMs }) => {
      lines.inc(count)
      retimedLines.inc(retimed)
      refusedLines.inc(refused)
      accepted.inc(bytes)
      if (driftMs !== null) drifts.observe(driftMs / 1000)
    },
  }
}

/** Counts events that gateway routes accepted. */
export function pushMetrics(registry: Registry): PushObserver {
  const events = counterOf(
    registry,
    'weir_push_events_total',
    'Events accepted at gateway routes: they are durable',
    [],
  )
  const accepted = counterOf(
    registry,
    'weir_push_bytes_total',
    'Bytes of bodies accepted at gateway routes, after decompression',
    [],
  )
  const refused = counterOf(
    registry,
    'weir_push_refused_total',
    'Bodies refused at gateway routes because they could not be decoded, by code',
    ['code'],
  )
  return {
    accepted: ({ events: count, bytes }) => {
      events.inc(count)
      accepted.inc(bytes)
    },
    refused: code => refused.inc({ code }),
  }
}

/** Counts searches that may lack lines. @returns the function to call for each */
export function searchMetrics(registry: Registry): { readonly onIncomplete: () => void } {
  const incomplete = counterOf(
    registry,
    'weir_searches_incomplete_total',
    'Counts by or for a field on a day with more names of fields than are indexed',
    [],
  )
  incomplete.inc(0)
  return { onIncomplete: () => incomplete.inc() }
}

/** Metrics of live tails. */
export function tailMetrics(
  registry: Registry,
  tails: { readonly count: number; readonly counts: { readonly sent: number; readonly dropped: number } },
): void {
  gaugeOf(registry, 'weir_tails_open', 'Live tails of this process that are open now', [], gauge => {
    gauge.set(tails.count)
  })
  collectedCounter(registry, 'weir_tail_lines_sent_total', 'Lines sent to live tails', [], counter => {
    counter.inc(tails.counts.sent)
  })
  collectedCounter(
    registry,
    'weir_tail_lines_dropped_total',
    'Lines that live tails were not sent because they, or this process, did not keep up',
    [],
    counter => {
      counter.inc(tails.counts.dropped)
    },
  )
}

/** Used and allowed size of the log. */
export function logMetrics(registry: Registry, log: Log): void {
  gaugeOf(registry, 'weir_log_used_bytes', 'Bytes that the log uses', [], gauge => {
    gauge.set(log.space().usedBytes)
  })
  gaugeOf(registry, 'weir_log_limit_bytes', 'Maximum size of the log (WEIR_LOG_MAX_BYTES)', [], gauge => {
    gauge.set(log.space().limitBytes)
  })
  gaugeOf(
    registry,
    'weir_log_reserved_bytes',
    'Bytes of the log that are reserved for checkpoints and other records that empty it',
    [],
    gauge => {
      gauge.set(log.space().reservedBytes)
    },
  )
  gaugeOf(
    registry,
    'weir_log_takes_ingest',
    '1 while lines are accepted, 0 while the log is full and ingestion answers 503',
    [],
    gauge => {
      gauge.set(log.space().takesIngest ? 1 : 0)
    },
  )
}

/** Damage of the store that this process has found. */
export function storeMetrics(registry: Registry, store: Pick<Store, 'damage'>): void {
  gaugeOf(
    registry,
    'weir_store_damaged_parts',
    'Known damaged parts of the store: unreadable ones are in use, others were set aside at a start',
    ['state'],
    gauge => {
      for (const state of ['unreadable', 'set aside'] as const)
        gauge.set({ state }, store.damage.parts.filter(part => part.state === state).length)
    },
  )
  collectedCounter(
    registry,
    'weir_store_damage_failures_total',
    'Statements that failed because of a damaged part, searches and others',
    [],
    counter => {
      counter.inc(store.damage.failedStatements)
    },
  )
}

/** Lines that the fast way does not read. */
export function codecMetrics(registry: Registry, codec: { readonly fallenBackRows: number }): void {
  const help =
    'Lines whose fields were read by the slower, complete rules: unusual JSON, or a name of a field that is new that day'
  collectedCounter(registry, 'weir_codec_fallback_rows_total', help, [], counter => {
    counter.inc(codec.fallenBackRows)
  })
}

/** Work of scripts. */
export function scriptMetrics(registry: Registry, calls: { readonly mostSteps: number }): void {
  const help = 'Most steps that one call of a script took since the start'
  gaugeOf(registry, 'weir_script_call_steps_max', help, [], gauge => {
    gauge.set(calls.mostSteps)
  })
}

/** The slowest turn of a node. */
export function turnMetrics(
  registry: Registry,
  slowest: { readonly turn: { readonly tookMs: number; readonly names: PlaceNames } | undefined },
): void {
  const labels = ['topic', 'partition', 'pipeline', 'node'] as const
  const help = 'Longest time that a node worked on a record without a pause since the start'
  gaugeOf(registry, 'weir_node_turn_seconds_max', help, [...labels], gauge => {
    if (slowest.turn === undefined) return
    const { tookMs, names } = slowest.turn
    gauge.set(Object.fromEntries(labels.map(label => [label, String(names[label] ?? '')])), tookMs / 1000)
  })
}

/** Request bodies that the fast way does not read. */
export function bodyMetrics(registry: Registry, codec: { readonly fallenBackBodies: number }): void {
  const help =
    'Request bodies whose lines were read by the slower, complete rules: unusual members, or damaged JSON'
  collectedCounter(registry, 'weir_codec_fallback_bodies_total', help, [], counter => {
    counter.inc(codec.fallenBackBodies)
  })
}

/** Progress of the workers of this process. */
export function engineMetrics(
  registry: Registry,
  engine: { readonly status: EngineStatus },
  topics: { readonly ingest: Topic; readonly keyed: Topic },
): void {
  const labels = ['topic', 'partition']
  const workers = () => [
    ...engine.status.workers.map(worker => ({ ...worker, topic: topics.ingest })),
    ...engine.status.keyedWorkers.map(worker => ({ ...worker, topic: topics.keyed })),
  ]
  const stored = (name: string, help: string, figure: 'batches' | 'rows') =>
    collectedCounter(registry, name, help, labels, counter => {
      // A worker that started again counts from 0, which counters allow.
      for (const worker of workers())
        counter.inc({ topic: worker.topic.name, partition: String(worker.partition) }, worker[figure])
    })
  gaugeOf(
    registry,
    'weir_lag_records',
    'Records of a partition that the engine has not read yet',
    labels,
    async gauge => {
      for (const { topic, partition, nextOffset } of workers()) {
        const { next } = await topic.bounds(partition)
        gauge.set({ topic: topic.name, partition: String(partition) }, Number(next - nextOffset))
      }
    },
  )
  gaugeOf(
    registry,
    'weir_unstored_records',
    'Records of a partition that the store does not have yet',
    labels,
    async gauge => {
      for (const { topic, partition, storedOffset } of workers()) {
        const { next } = await topic.bounds(partition)
        gauge.set({ topic: topic.name, partition: String(partition) }, Number(next - storedOffset))
      }
    },
  )
  gaugeOf(
    registry,
    'weir_partition_time_seconds',
    'Time of the newest record that the engine has read, UNIX seconds',
    labels,
    gauge => {
      for (const { topic, partition, timeMs } of workers()) {
        gauge.set({ topic: topic.name, partition: String(partition) }, timeMs / 1000)
      }
    },
  )
  stored('weir_batches_stored_total', 'Batches stored since the start', 'batches')
  stored('weir_rows_stored_total', 'Rows stored since the start', 'rows')
  const help = 'Lines past their retention that this process removed from the store since the start'
  collectedCounter(registry, 'weir_expired_lines_total', help, [], counter => {
    counter.inc({}, engine.status.expiredLines)
  })
  gaugeOf(registry, 'weir_partitions_in_trouble', 'Partitions that make no progress', [], gauge => {
    gauge.set(engine.status.troubles.size)
  })
}

const CUT_PAUSE_BUCKETS_S = [0.0005, ...DURATION_BUCKETS_S]

/** Pauses of partitions for publications and other changes. */
export function cutPauseMetrics(
  registry: Registry,
  engine: { observeCutPauses(observer: (pause: CutPause) => void): void },
): void {
  const pauses = histogramOf(
    registry,
    'weir_cut_pause_seconds',
    'Time that a partition was not read because of a publication or another change, by step: append of the change to its log; apply, with the parts for other partitions',
    ['topic', 'step'],
    CUT_PAUSE_BUCKETS_S,
  )
  engine.observeCutPauses(({ topic, step, pauseMs }) => pauses.observe({ topic, step }, pauseMs / 1000))
}

/** A counter whose value is read from another object at each scrape. */
export function collectedCounter(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  collect: (counter: Counter<string>) => void,
): void {
  const counter: Counter<string> = new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect: () => {
      counter.reset()
      collect(counter)
    },
  })
}

/** A gauge whose value is read from another object at each scrape. */
export function gaugeOf(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  collect: (gauge: Gauge<string>) => void | Promise<void>,
): void {
  const gauge: Gauge<string> = new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect: () => {
      gauge.reset()
      return collect(gauge)
    },
  })
}

/** Two servers of one process, such as a second address for ingestion, count together. */
export function counterOf(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
): Counter<string> {
  const known = registry.getSingleMetric(name)
  return known instanceof Counter ? known : new Counter({ name, help, labelNames, registers: [registry] })
}

export function histogramOf(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  buckets: number[],
): Histogram<string> {
  const known = registry.getSingleMetric(name)
  if (known instanceof Histogram) return known
  return new Histogram({ name, help, labelNames, buckets, registers: [registry] })
}
