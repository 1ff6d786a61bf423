import { gzipSync } from 'node:zlib'
import { eventIdsOf } from '../../engine/delivery/sending/event-id.ts'
import { Event } from '../../engine/event/event.ts'
import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import type { Batch, EncodedRequest } from '../../engine/nodes/contract/define-destination.ts'
import type { HttpRequest } from '../../engine/outbound/http-exchange.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { type ReceivedSeries, seriesOf, WRITE_REQUEST } from '../support/receivers/prometheus-receiver.ts'
import { sendingNode } from '../support/sending-node.ts'
import type { Report } from './figure.ts'
import { ACCOUNT, ingestedBatch } from './ingested-batch.ts'
import { drawFor } from './lines/draw.ts'
import type { SentLine } from './lines/line-shape.ts'
import { bodyOf, linesFrom, SAMPLE_START_MS, sampleLineAt } from './load/bodies.ts'

const EVENTS_PER_BATCH = 1_000
const ROUNDS = 7
const BATCH_ID = '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10'
const URI = 'https://events.example.com/in'
const HOSTS = 100
const NAMES = ['requests', 'errors', 'queue_depth', 'heap_bytes']

/** Events of one batch, as a sender finds them on the log: new objects each time, of which nothing was read. */
type BatchOfEvents = () => readonly Event[]

interface Case {
  readonly title: string
  readonly unit: 'events/s' | 'samples/s'
  readonly type: string
  readonly config: JsonObject
  readonly batches: readonly BatchOfEvents[]
  /** Work behind the encoding. Absent: none. */
  readonly after?: (request: HttpRequest) => unknown
  readonly floor: {
    readonly name: string
    /** Prepares the least work for each body that the case has made. */
    prepare(bodies: readonly Buffer[]): () => void
  }
}

/**
 * Reports how many events a core encodes per second, without sending and, unless it is said, without compression.
 *
 * @param events of each round
 */
export function reportEncoding(report: Report, events: number): void {
  const lines = Array.from({ length: Math.ceil(events / EVENTS_PER_BATCH) }, (_, index) =>
    linesFrom(sampleLineAt(), index * EVENTS_PER_BATCH, EVENTS_PER_BATCH),
  )
  for (const each of casesOf(lines)) reportCase(report, each)
}

function casesOf(lines: readonly (readonly SentLine[])[]): readonly Case[] {
  const pushed = lines.map(pushedEvents)
  const ndjson = { type: 'http', config: { uri: URI, encoding: 'ndjson' }, unit: 'events/s' as const }
  const search = { endpoints: [URI], auth: { strategy: 'basic', user: 'u', password: 'p' } }
  const gzip = (body: Buffer) => gzipSync(body)
  return [
    { title: 'http, lines of JSON', ...ndjson, batches: pushed, floor: JOINED },
    {
      ...{ title: 'http, lines of JSON, log lines', ...ndjson, batches: lines.map(logLines), floor: JOINED },
    },
    {
      ...{ title: 'http, lines of JSON, gzip', ...ndjson, batches: pushed, after: ({ body }) => gzip(body) },
      floor: {
        name: 'bare gzip',
        prepare: bodies => () => bodies.forEach(gzip),
      },
    },
    {
      ...{ title: 'elasticsearch', type: 'elasticsearch', unit: 'events/s', batches: pushed, floor: JOINED },
      config: { ...search, index: 'logs-{{ .app }}-%Y.%m.%d' },
    },
    {
      ...{ title: 'loki', type: 'loki', unit: 'events/s', batches: pushed },
      config: {
        ...{
          endpoint: URI,
          encoding: { codec: 'json' },
          auth: { strategy: 'basic', user: 'u', password: 'p' },
        },
        labels: ['app', 'level'].map(name => ({ label_name: name, label_value: `{{ .${name} }}` })),
      },
      floor: {
        name: 'the texts written as JSON, and joined',
        prepare: () => {
          const texts = lines.map(each => each.map(({ line }) => line))
          return () => {
            for (const each of texts) Buffer.from(each.map(text => JSON.stringify(text)).join(','))
          }
        },
      },
    },
    {
      ...{ title: 'prometheus-remote-write', type: 'prometheus-remote-write', unit: 'samples/s' },
      config: { endpoint: URI },
      batches: lines.map((_, index) => metrics(index * EVENTS_PER_BATCH)),
      floor: {
        name: 'protobufjs encodes ready series',
        prepare: bodies => {
          const requests = bodies.map(body => WRITE_REQUEST.fromObject(writeRequestOf(seriesOf(body))))
          return () => {
            for (const request of requests) WRITE_REQUEST.encode(request).finish()
          }
        },
      },
    },
  ]
}

const JOINED: Case['floor'] = {
  name: 'the texts joined',
  prepare: bodies => {
    const texts = bodies.map(body => body.toString().split('\n').slice(0, -1).map(flat))
    return () => {
      for (const each of texts) Buffer.from(`${each.join('\n')}\n`)
    }
  },
}

function reportCase(report: Report, { title, unit, type, config, batches, after, floor }: Case): void {
  const { destination, config: checked } = sendingNode(type, config)
  const requestsOf = (batch: Batch) =>
    destination.encode(batch, checked) as Iterable<EncodedRequest<HttpRequest>>
  const bodies = batches.flatMap(events => [...requestsOf(batchOf(events()))].map(each => each.request.body))
  const least = floor.prepare(bodies)
  const events = batches.length * EVENTS_PER_BATCH
  const values: number[] = []
  const floors: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const ready = batches.map(each => batchOf(each()))
    values.push(
      perSecond(events, () => {
        for (const batch of ready) for (const { request } of requestsOf(batch)) after?.(request)
      }),
    )
    floors.push(perSecond(events, least))
  }
  report({ name: `encode ${title}`, unit, values, floor: { name: floor.name, values: floors } })
}

/** Events per second of processor time, which includes that of the collector. Other processes do not count. */
function perSecond(count: number, work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (count / (user + system)) * 1_000_000
}

/** A batch as a sender makes it: ids are computed when they are read. */
function batchOf(events: readonly Event[]): Batch {
  const idOf = eventIdsOf('log')
  let eventIds: string[] | undefined
  return {
    ...{ id: BATCH_ID, events, closedMs: SAMPLE_START_MS },
    get eventIds() {
      eventIds ??= events.map((event, row) =>
        idOf({ event, source: 'weir.ingest 0', position: { offset: 7n, row } }),
      )
      return eventIds
    },
  }
}

/** Unchanged events of a gateway route. */
function pushedEvents(lines: readonly SentLine[]): BatchOfEvents {
  const builder = new LineBatchBuilder()
  builder.addRequest(batch => {
    for (const { line, timestamp } of lines) batch.addEvent(line, timestamp)
    const facts = { hostname: '', mac: '', ip: '', remoteAddress: '', tags: [], idempotency: null }
    return { facts: { ...facts, receivedAtMs: SAMPLE_START_MS, driftMs: null } }
  })
  const value = builder.encode(ACCOUNT, 'route')
  return () => eventsOf(LineBatchView.decode(value))
}

/** Unchanged lines of log ingestion. */
function logLines(lines: readonly SentLine[]): BatchOfEvents {
  const body = bodyOf(lines)
  return () => eventsOf(ingestedBatch(body, SAMPLE_START_MS))
}

function eventsOf(batch: LineBatchView): Event[] {
  return Array.from({ length: batch.count }, (_, index) => Event.ofLine(batch, index))
}

/** Metrics that a processor has made, four of each host at a time. */
function metrics(first: number): BatchOfEvents {
  const texts = Array.from({ length: EVENTS_PER_BATCH }, (_, index) => {
    const number = first + index
    const host = `host-${Math.floor(number / NAMES.length) % HOSTS}`
    return JSON.stringify({
      ...{ name: NAMES[number % NAMES.length], namespace: 'shop', kind: 'absolute' },
      value: { type: 'gauge', value: drawFor(1, number).below(1_000_000) },
      tags: { app: 'checkout', host, region: 'eu-north-1', service: 'payments' },
    })
  })
  return () =>
    texts.map((text, index) =>
      Event.of(
        JSON.parse(text) as JsonObject,
        {},
        new Date(SAMPLE_START_MS + Math.floor((first + index) / NAMES.length / HOSTS) * 1_000).toISOString(),
      ),
    )
}

function writeRequestOf(series: readonly ReceivedSeries[]): object {
  return {
    timeseries: series.map(({ labels, samples }) => ({
      labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
      samples: samples.map(([value, timestamp]) => ({ value, timestamp })),
    })),
  }
}

/** A text without a tree of parts, as it comes from a parse. */
function flat(text: string): string {
  return Buffer.from(text).toString()
}
