import type { ConfigurationLog } from '../../../engine/configuration/configuration-log.ts'
import { spreads } from '../../../engine/configuration/entities.ts'
import type { Event } from '../../../engine/event/event.ts'
import { LogError } from '../../../engine/log/log.ts'
import type { Query } from '../../../engine/query-language/syntax-tree.ts'
import { explainedAt, originOf } from '../../../engine/replay/explain/line-origin.ts'
import { windowBehind } from '../../../engine/replay/explain/window-explanation.ts'
import type { ExplainedRecord } from '../../../engine/replay/line-explanation.ts'
import { MovedEvents, movedBy } from '../../../engine/replay/moved-events.ts'
import { NoReplayError, PartitionReplay } from '../../../engine/replay/replay.ts'
import type { LoopTurns } from '../../../engine/worker/loop-turns.ts'
import type { ExplainedLine as ExplainedLineRecord } from '../../../schemas/http/pipeline/explanation-api.ts'
import { parseLineId } from '../../../schemas/log/position.ts'
import { DEAD_LETTER_TOPIC, INGEST_TOPIC, partitionOfAccount } from '../../../schemas/log/topics.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import type { ReplayPorts } from '../replay-ports.ts'
import { restsBetween } from '../replay-rests.ts'
import { explainedLine } from './explained-lines.ts'
import { windowRecord } from './explained-windows.ts'
import { matchesAsSent } from './lines-as-sent.ts'

const BATCH_ID = /^([0-9a-f]{8}):(\d{1,4}):(\d{1,15}):(\d{1,7})$/
/** Lines found by a query that are followed to other partitions together: one pass takes as long for all as for one. */
const RECORDS_TOGETHER = 100

export interface ExplanationPorts {
  readonly configuration: Pick<ConfigurationLog, 'get'>
  readonly replay: ReplayPorts
  /** Turns of simulations, explanations and previews. */
  readonly replayTurns: LoopTurns
}

/** Piece of an answer that is sent as soon as it is found. */
export type ExplanationPiece =
  | { readonly line: ExplainedLineRecord }
  | { readonly progress: { readonly records: number; readonly handled_at: string } }

/** Explains from the log how lines were handled. It has no effect on anything. */
export class Explanations {
  readonly #ports: ExplanationPorts

  constructor(ports: ExplanationPorts) {
    this.#ports = ports
  }

  /** @throws ApiError 400 when the text is not an id, 404 when the account has no such line in the kept log */
  async ofLine(account: string, pipeline: string, id: string): Promise<ExplainedLineRecord[]> {
    const place = parseLineId(id)
    if (place === undefined)
      throw new ApiError(400, 'EVALIDATION', 'line_id must be the _id of a stored line')
    if (place.topic === DEAD_LETTER_TOPIC) throw gone()
    const { replay: topics } = this.#ports
    const rest = restsBetween(this.#ports.replayTurns)
    const origin = await whileKept(() => originOf({ topics, account, rest }, place))
    if (origin === undefined) {
      const window = await whileKept(() => windowBehind({ topics, account, rest }, place))
      if (window === undefined) throw notFound('No line of the account in the log that is kept became that')
      return [windowRecord(window, place)]
    }
    const moved = new MovedEvents(topics, account, rest)
    for (const arrival of origin.arrivals) moved.learn(arrival)
    return this.#shown(origin.partition, [origin.record], pipeline, moved)
  }

  /** @throws as `ofLine` */
  async ofBatch(account: string, pipeline: string, id: string): Promise<ExplainedLineRecord[]> {
    const [, logId, ...numbers] = BATCH_ID.exec(id) ?? []
    if (logId === undefined)
      throw new ApiError(400, 'EVALIDATION', 'batch_id must be the batchID of an answer of ingestion')
    const { replay: topics } = this.#ports
    if (!topics.ingest.logId.startsWith(logId)) throw gone()
    const [partition, offset, request] = numbers as [string, string, string]
    const place = { topic: INGEST_TOPIC, partition: Number(partition), offset: BigInt(offset) }
    const rest = restsBetween(this.#ports.replayTurns)
    const record = await whileKept(() => explainedAt({ topics, account, rest }, place))
    if (record === undefined || !('lines' in record)) throw gone()
    const lines = record.lines.filter(({ event }) => requestOf(event) === Number(request))
    if (lines.length === 0) throw gone()
    const moved = new MovedEvents(topics, account, rest)
    return this.#shown(place.partition, [{ ...record, lines }], pipeline, moved)
  }

  /** Finds lines whose text and members match a query, within a period of the log, oldest first. */
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
    const rest = restsBetween(this.#ports.replayTurns, signal)
    const moved = new MovedEvents(source, account, rest)
    let found = 0
    for (const partition of partitions) {
      const { next } = await ingest.bounds(partition)
      const from = (await ingest.offsetAtTime(partition, fromMs)) ?? next
      const until = (await ingest.offsetAtTime(partition, toMs + 1)) ?? next
      const replay = await this.#replay(account, partition, from)
      let records = 0
      let waiting: ExplainedRecord[] = []
      const waitingLines = async () => {
        const lines = await this.#shown(partition, waiting, pipeline, moved)
        waiting = []
        return lines.map(line => ({ line }))
      }
      for await (const record of replay.explanations(until, rest, account, line =>
        matchesAsSent(query, line),
      )) {
        records++
        const lines = record.lines.slice(0, limit - found)
        if (lines.length > 0) waiting.push({ ...record, lines })
        found += lines.length
        if (found === limit) break
        if (records % RECORDS_TOGETHER > 0) continue
        yield* await waitingLines()
        yield { progress: { records, handled_at: new Date(record.timeMs).toISOString() } }
      }
      yield* await waitingLines()
      if (found === limit) return
    }
  }

  /** @returns the account's fold up to an offset */
  async #replay(account: string, partition: number, offset: bigint): Promise<PartitionReplay> {
    const { catalogue, ingest, checkpoints } = this.#ports.replay
    const source = { catalogue, topic: ingest, checkpoints, partition }
    return whileKept(async () => {
      const replay = await PartitionReplay.reaching(source, offset, { account })
      await replay.foldTo(offset, restsBetween(this.#ports.replayTurns))
      return replay
    }, notFound('The log does not keep everything that the lines of then met: take a later from'))
  }

  /** Lines of some records, each with its whole way. */
  async #shown(
    partition: number,
    records: readonly ExplainedRecord[],
    pipeline: string,
    moved: MovedEvents,
  ): Promise<ExplainedLineRecord[]> {
    const at = { topic: INGEST_TOPIC, partition }
    const sent = records.flatMap(({ lines, appendTimeMs }) => {
      const steps = lines.flatMap(({ pipelines }) => pipelines.flatMap(each => each.steps))
      return movedBy(steps, at, appendTimeMs)
    })
    await moved.follow(sent)
    return records.flatMap(record =>
      record.lines.map(line =>
        explainedLine(this.#ports.replay.catalogue, record, partition, line, pipeline, moved),
      ),
    )
  }
}

function gone(): ApiError {
  return notFound('The account has no such line in the log that is kept')
}

/** @throws ApiError, `otherwise`, when the log has deleted the records to read */
async function whileKept<Found>(read: () => Promise<Found>, otherwise = gone()): Promise<Found> {
  try {
    return await read()
  } catch (error) {
    const isTrimmed = error instanceof LogError && error.code === 'LOG_OFFSET_OUT_OF_RANGE'
    if (isTrimmed || error instanceof NoReplayError) throw otherwise
    throw error
  }
}

/** Number of the request that a line came with, among those of its record. */
function requestOf({ origin }: Event): number | undefined {
  return origin === null ? undefined : origin.batch.requests.indexOf(origin.batch.request(origin.index))
}
