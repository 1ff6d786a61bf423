import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { spreads } from '../../engine/configuration/entities.ts'
import type { Event } from '../../engine/event.ts'
import { nodeOutputs } from '../../engine/graph/node-outputs.ts'
import { LogError, type Topic } from '../../engine/log/log.ts'
import { INGEST_TOPIC, partitionOfAccount } from '../../engine/log/topics.ts'
import { lineId, parseLineId } from '../../engine/position.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import type {
  ExplainedLine,
  ExplainedPipeline,
  ExplainedRecord,
  ExplainedStep,
} from '../../engine/runtime/line-explanation.ts'
import { PartitionReplay } from '../../engine/runtime/replay.ts'
import type {
  ExplainedLine as ExplainedLineRecord,
  ExplainedPipelineRecord,
  ExplainedStepRecord,
} from '../../schemas/explanation-api.ts'
import { ApiError, notFound } from '../errors.ts'
import { matchesAsSent } from './lines-as-sent.ts'
import { eventRecord } from './simulations.ts'

const BATCH_ID = /^([0-9a-f]{8}):(\d{1,4}):(\d{1,15}):(\d{1,7})$/
/** How long others of this process wait at a time. */
const STRETCH_MS = 10

/** What has to be read once more to tell what became of a line. */
export interface ReplayPorts {
  readonly ingest: Topic
  readonly checkpoints: Topic
  /** Keeps lines from an offset on while they are read; absent where the process that lets go of them is another. */
  readonly pin?: ((partition: number, offset: bigint) => () => void) | undefined
}

export interface ExplanationPorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly replay: ReplayPorts
}

/** A line, or the lines of a request, in the log. */
interface Place {
  readonly partition: number
  readonly offset: bigint
  readonly isMeant: (line: ExplainedLine) => boolean
}

/** A piece of an answer that is given as it is found. */
export type ExplanationPiece =
  | { readonly line: ExplainedLineRecord }
  | { readonly progress: { readonly records: number; readonly handled_at: string } }

/** Tells from the log what became of lines. It has no effect on anything. */
export class Explanations {
  readonly #ports: ExplanationPorts

  constructor(ports: ExplanationPorts) {
    this.#ports = ports
  }

  /** @throws ApiError 400 when it is no id, 404 when the account has no such line in the kept log */
  ofLine(account: string, pipeline: string, id: string): Promise<ExplainedLineRecord[]> {
    const parts = parseLineId(id)
    if (parts === undefined)
      throw new ApiError(400, 'EVALIDATION', 'line_id must be the _id of a stored line')
    if (parts.topic !== INGEST_TOPIC)
      throw new ApiError(
        409,
        'ECONFLICT',
        'The line went through another partition, because its account is spread: ask by its batchID or a query',
      )
    return this.#at(account, pipeline, {
      ...parts,
      isMeant: ({ stored }) => stored.some(({ row }) => row === parts.row),
    })
  }

  /** @throws as `ofLine` */
  ofBatch(account: string, pipeline: string, id: string): Promise<ExplainedLineRecord[]> {
    const [, logId, partition, offset, request] = BATCH_ID.exec(id) ?? []
    if (logId === undefined)
      throw new ApiError(400, 'EVALIDATION', 'batch_id must be the batchID of an answer of ingestion')
    if (!this.#ports.replay.ingest.logId.startsWith(logId)) throw gone()
    return this.#at(account, pipeline, {
      partition: Number(partition),
      offset: BigInt(offset as string),
      isMeant: ({ event }) => requestOf(event) === Number(request),
    })
  }

  /** Lines whose text and members meet a query, from a time of the log to another, oldest first. */
  async *found(
    account: string,
    pipeline: string,
    { query, fromMs, toMs, limit }: { query: Query; fromMs: number; toMs: number; limit: number },
    signal: AbortSignal,
  ): AsyncIterable<ExplanationPiece> {
    const { configuration, replay: source } = this.#ports
    const { ingest } = source
    const home = partitionOfAccount(account, ingest.partitions)
    const isSpread = configuration.get(spreads, account) !== undefined
    const partitions = isSpread ? [...Array(ingest.partitions).keys()] : [home]
    let found = 0
    for (const partition of partitions) {
      const { next } = await ingest.bounds(partition)
      const from = (await ingest.offsetAtTime(partition, fromMs)) ?? next
      const until = (await ingest.offsetAtTime(partition, toMs + 1)) ?? next
      const replay = await this.#replay(account, partition, from)
      const rest = this.#rest(signal)
      let records = 0
      for await (const record of replay.explanations(until, rest, account, line =>
        matchesAsSent(query, line),
      )) {
        records++
        for (const line of record.lines) {
          yield { line: this.#shown(partition, record, line, pipeline) }
          if (++found === limit) return
        }
        if (records % 100 === 0)
          yield { progress: { records, handled_at: new Date(record.timeMs).toISOString() } }
      }
    }
  }

  async #at(account: string, pipeline: string, place: Place): Promise<ExplainedLineRecord[]> {
    const { partition, offset, isMeant } = place
    const { ingest } = this.#ports.replay
    if (partition >= ingest.partitions) throw gone()
    const { first, next } = await ingest.bounds(partition)
    if (offset < first || offset >= next) throw gone()
    const replay = await this.#replay(account, partition, offset)
    const rest = this.#rest(new AbortController().signal)
    const found: ExplainedLineRecord[] = []
    for await (const record of replay.explanations(offset + 1n, rest, account, () => true)) {
      if (record.offset !== offset) continue
      for (const line of record.lines.filter(isMeant))
        found.push(this.#shown(partition, record, line, pipeline))
    }
    if (found.length === 0) throw gone()
    return found
  }

  /** @returns the account's fold up to an offset */
  async #replay(account: string, partition: number, offset: bigint): Promise<PartitionReplay> {
    const { ingest, checkpoints } = this.#ports.replay
    try {
      const source = { topic: ingest, checkpoints, partition }
      const replay = await PartitionReplay.reaching(source, offset, { account })
      await replay.foldTo(offset, this.#rest(new AbortController().signal))
      return replay
    } catch (error) {
      if (error instanceof LogError && error.code === 'LOG_OFFSET_OUT_OF_RANGE') throw gone()
      throw error
    }
  }

  #rest(signal: AbortSignal): () => Promise<void> {
    const { clock } = this.#ports
    let restedMs = clock.monotonicMs()
    return async () => {
      signal.throwIfAborted()
      if (clock.monotonicMs() - restedMs < STRETCH_MS) return
      await setImmediate()
      restedMs = clock.monotonicMs()
    }
  }

  #shown(
    partition: number,
    { offset, timeMs }: ExplainedRecord,
    line: ExplainedLine,
    pipelineId: string,
  ): ExplainedLineRecord {
    const pipeline = line.pipelines.find(({ id }) => id === pipelineId)
    const shown = pipeline === undefined ? null : pipelineRecord(pipeline)
    return {
      place: `${INGEST_TOPIC}/${partition}/${offset}/${line.index}`,
      handled_at: new Date(timeMs).toISOString(),
      event: eventRecord(line.event),
      summary: summaryOf(line, pipelineId, shown),
      stored: line.stored.map(({ row, pipeline, node }) => ({
        line_id: lineId({ timeMs, topic: INGEST_TOPIC, partition, offset, row }),
        pipeline_id: pipeline === '' ? null : pipeline,
        node_id: pipeline === '' ? null : node,
      })),
      excluded: line.excluded.map(({ pipeline, node, reason }) => ({
        pipeline_id: pipeline === '' ? null : pipeline,
        node_id: pipeline === '' ? null : node,
        reason,
      })),
      pipeline: shown,
    }
  }
}

function gone(): ApiError {
  return notFound('The account has no such line in the log that is kept')
}

/** Number of the request that a line came with, among those of its record. */
function requestOf({ origin }: Event): number | undefined {
  return origin === null ? undefined : origin.batch.requests.indexOf(origin.batch.request(origin.index))
}

function pipelineRecord({ version, document, isPaused, steps }: ExplainedPipeline): ExplainedPipelineRecord {
  const nodes = new Map(document.nodes.map(node => [node.id, node]))
  const read = new Set(document.nodes.flatMap(({ inputs }) => inputs))
  return {
    revision: document.revision,
    deployment: version,
    paused: isPaused,
    took_it: steps.length > 0,
    steps: steps.flatMap(step => {
      const node = nodes.get(step.node)
      return node === undefined ? [] : [stepRecord(step, node, read)]
    }),
  }
}

function stepRecord(
  { node: id, outcome, outputs, event, reason, errors }: ExplainedStep,
  node: ExplainedPipeline['document']['nodes'][number],
  read: ReadonlySet<string>,
): ExplainedStepRecord {
  const { kind, type, title } = node
  const idOf = (name: string) => nodeOutputs(node).find(output => (output.name ?? '') === name)?.id ?? id
  const left = kind === 'sink' ? [] : outputs.map(idOf)
  return {
    node_id: id,
    kind,
    type,
    title,
    outcome,
    outputs: left,
    read: kind === 'sink' || outcome !== 'passed' || left.some(output => read.has(output)),
    event: eventRecord(event),
    ...(reason === undefined ? {} : { reason }),
    errors: errors.map(({ code, field, message }) => ({ code, field, message })),
  }
}

function summaryOf(
  { isRepeat, stored, notStored, excluded }: ExplainedLine,
  pipelineId: string,
  pipeline: ExplainedPipelineRecord | null,
): string {
  if (isRepeat) return 'It repeats a request that came before, so it was passed over: look at the first one.'
  const byThis = stored.filter(each => each.pipeline === pipelineId).length
  const elsewhere = stored.length - byThis
  const others = [
    ...(elsewhere === 0 ? [] : [`; stored ${elsewhere === 1 ? 'once' : `${elsewhere} times`} without it`]),
    ...excluded
      .filter(each => each.pipeline !== pipelineId)
      .map(({ reason }) => `; not stored without it${ruleOf(reason)}`),
  ].join('')
  if (pipeline === null) return `The pipeline was not deployed when the line was handled${others}.`
  if (pipeline.paused) return `The pipeline was paused, so it left the line alone${others}.`
  if (!pipeline.took_it) return `Revision ${pipeline.revision} does not read what the line came by${others}.`
  const ends = pipeline.steps.flatMap(endOf)
  const refused = notStored
    .filter(each => each.pipeline === pipelineId)
    .map(({ error }) => `${error.code}: ${error.message}`)
  const said = [...ends, ...refused]
  if (byThis > 0) said.unshift(`stored ${byThis === 1 ? 'once' : `${byThis} times`}`)
  return `Revision ${pipeline.revision}: ${said.length === 0 ? 'nothing left it' : said.join('; ')}${others}.`
}

/** Why an event went no further than a node; nothing when it went on. */
function endOf({ type, title, node_id: id, outcome, reason, read, errors }: ExplainedStepRecord): string[] {
  const name = title === null ? `${type} ${id}` : `${type} "${title}" (${id})`
  switch (outcome) {
    case 'dropped':
      return [`dropped by ${name}${ruleOf(reason)}`]
    case 'failed':
      return [`failed at ${name}: ${errors.map(({ code, message }) => `${code}: ${message}`).join(', ')}`]
    case 'held':
    case 'merged':
      return [
        `${outcome === 'held' ? 'waits at' : 'was merged with others at'} ${name}, and goes on in what that gives`,
      ]
    case 'moved':
      return [`went on from ${name} in the partition where its key is counted, which is not told`]
    case 'passed':
      return read ? [] : [`left ${name} where no node goes on`]
  }
}

function ruleOf(reason: object | undefined): string {
  const { rule } = (reason ?? {}) as { readonly rule?: unknown }
  return typeof rule === 'string' ? `: ${rule}` : ''
}
