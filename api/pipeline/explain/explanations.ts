import type { ConfigurationLog } from '../../../engine/configuration/configuration-log.ts'
import { spreads } from '../../../engine/configuration/entities.ts'
import { CatalogueBatchRules } from '../../../engine/delivery/destinations/catalogue-batch-rules.ts'
import type { Event } from '../../../engine/event/event.ts'
import { isTrimmed } from '../../../engine/log/log.ts'
import type { Query } from '../../../engine/query-language/syntax-tree.ts'
import { HandedDeliveries } from '../../../engine/replay/explain/handed-deliveries.ts'
import { explainedAt, originOf } from '../../../engine/replay/explain/line-origin.ts'
import { windowBehind } from '../../../engine/replay/explain/window-explanation.ts'
import type { ExplainedLine, ExplainedRecord } from '../../../engine/replay/line-explanation.ts'
import { MovedEvents, movedBy } from '../../../engine/replay/moved-events.ts'
import { NoReplayError, PartitionReplay } from '../../../engine/replay/replay.ts'
import type { LoopTurns } from '../../../engine/turns/loop-turns.ts'
import type {
  AccountExplainedLine as AccountExplainedLineRecord,
  ExplainedLine as ExplainedLineRecord,
} from '../../../schemas/http/pipeline/explanation-api.ts'
import { parseLineId } from '../../../schemas/log/position.ts'
import {
  DEAD_LETTER_TOPIC,
  INGEST_TOPIC,
  OUTBOX_TOPIC,
  partitionOfAccount,
} from '../../../schemas/log/topics.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { isoTime } from '../../http/iso-time.ts'
import type { ReplayPorts } from '../replay-ports.ts'
import { restsBetween } from '../replay-rests.ts'
import { accountExplainedLine, explainedLine, type FollowedLine, handedBy } from './explained-lines.ts'
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
export type ExplanationPiece<Shown extends ShownLine> =
  | { readonly line: Shown }
  | { readonly progress: { readonly records: number; readonly handled_at: string } }

/** An explained line as the API returns it, with the lines of the store that were made from it. */
export interface ShownLine {
  readonly stored: readonly unknown[]
}

/** Lines that are looked for. */
export interface SoughtLines {
  readonly query: Query
  /** Period of the log, UNIX ms, both ends included. */
  readonly fromMs: number
  readonly toMs: number
  /** Maximum number of lines. */
  readonly limit: number
  /** Whether only lines are wanted of which nothing is in the store. */
  readonly onlyMissing: boolean
}

/** Form of the answers. */
export interface ExplanationForm<Shown extends ShownLine> {
  line(followed: FollowedLine): Shown
  window(line: ReturnType<typeof windowRecord>): Shown
}

/** Explanations for one pipeline. */
export function formOfPipeline(id: string): ExplanationForm<ExplainedLineRecord> {
  return {
    line: followed => explainedLine(followed, id),
    window: line => ({ ...line, pipeline: null }),
  }
}

/** Explanations for all pipelines of an account, and for the default graph. */
export const FORM_OF_ACCOUNT: ExplanationForm<AccountExplainedLineRecord> = {
  line: accountExplainedLine,
  window: line => ({ ...line, pipelines: [] }),
}

/** Explains from the log how lines were handled. It has no effect on anything. */
export class Explanations<Shown extends ShownLine> {
  readonly #ports: ExplanationPorts
  readonly #form: ExplanationForm<Shown>

  constructor(ports: ExplanationPorts, form: ExplanationForm<Shown>) {
    this.#ports = ports
    this.#form = form
  }

  /** @throws ApiError 400 when the text is not an id, 404 when the account has no such line in the kept log */
  async ofLine(account: string, id: string): Promise<Shown[]> {
    const place = parseLineId(id)
    if (place === undefined)
      throw new ApiError(400, 'EVALIDATION', 'line_id must be the _id of a stored line')
    if (place.topic === DEAD_LETTER_TOPIC || place.topic === OUTBOX_TOPIC) throw gone()
    const { replay: topics } = this.#ports
    const rest = restsBetween(this.#ports.replayTurns)
    const handed = this.#deliveries(rest)
    const origin = await whileKept(() => originOf({ topics, account, rest }, place))
    if (origin === undefined) {
      const window = await whileKept(() => windowBehind({ topics, account, rest }, place))
      if (window === undefined) throw notFound('No line of the account in the log that is kept became that')
      return [this.#form.window(windowRecord(window, place))]
    }
    const moved = new MovedEvents(topics, account, rest)
    for (const arrival of origin.arrivals) moved.learn(arrival)
    return this.#shown(origin.partition, [origin.record], { account, moved, handed })
  }

  /** @throws as `ofLine` */
  async ofBatch(account: string, id: string): Promise<Shown[]> {
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
    const handed = this.#deliveries(rest)
    return this.#shown(place.partition, [{ ...record, lines }], { account, moved, handed })
  }

  /** Finds lines whose text and members match a query, within a period of the log, oldest first. */
  async *found(
    account: string,
    { query, fromMs, toMs, limit, onlyMissing }: SoughtLines,
    signal: AbortSignal,
  ): AsyncIterable<ExplanationPiece<Shown>> {
    const { configuration, replay: source } = this.#ports
    const { ingest } = source
    const home = partitionOfAccount(account, ingest.partitions)
    const isSpread = configuration.get(spreads, account) !== undefined
    const partitions = isSpread ? [...Array(ingest.partitions).keys()] : [home]
    const rest = restsBetween(this.#ports.replayTurns, signal)
    const moved = new MovedEvents(source, account, rest)
    const handed = this.#deliveries(rest)
    let found = 0
    for (const partition of partitions) {
      const { next } = await ingest.bounds(partition)
      const from = (await ingest.offsetAtTime(partition, fromMs)) ?? next
      const until = (await ingest.offsetAtTime(partition, toMs + 1)) ?? next
      const replay = await this.#replay(account, partition, from)
      let records = 0
      let waiting: ExplainedRecord[] = []
      let waitingLines = 0
      const shown = async () => {
        const lines = await this.#shown(partition, waiting, { account, moved, handed })
        waiting = []
        waitingLines = 0
        const wanted = onlyMissing ? lines.filter(({ stored }) => stored.length === 0) : lines
        const pieces = wanted.slice(0, limit - found).map(line => ({ line }))
        found += pieces.length
        return pieces
      }
      for await (const record of replay.explanations(until, rest, account, line =>
        matchesAsSent(query, line),
      )) {
        records++
        const lines = onlyMissing
          ? record.lines.filter(isNotStoredHere)
          : record.lines.slice(0, limit - found - waitingLines)
        if (lines.length > 0) waiting.push({ ...record, lines })
        waitingLines += lines.length
        const isEnough = found + waitingLines >= limit
        if (!isEnough && records % RECORDS_TOGETHER > 0) continue
        yield* await shown()
        if (found === limit) return
        yield { progress: { records, handled_at: isoTime(record.timeMs) } }
      }
      yield* await shown()
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

  #deliveries(rest: () => Promise<void>): HandedDeliveries {
    const { catalogue, outbox } = this.#ports.replay
    return new HandedDeliveries({ ...outbox, rules: new CatalogueBatchRules(catalogue) }, rest)
  }

  /** Lines of some records, each with its whole way. */
  async #shown(
    partition: number,
    records: readonly ExplainedRecord[],
    { account, moved, handed }: Following,
  ): Promise<Shown[]> {
    const at = { topic: INGEST_TOPIC, partition }
    const sent = records.flatMap(({ lines, appendTimeMs }) => {
      const steps = lines.flatMap(({ pipelines }) => pipelines.flatMap(each => each.steps))
      return movedBy(steps, at, appendTimeMs)
    })
    await moved.follow(sent)
    const { catalogue } = this.#ports.replay
    const lines = records.flatMap(record =>
      record.lines.map(line => ({ catalogue, account, record, partition, line, moved, handed })),
    )
    await handed.follow(lines.flatMap(handedBy))
    return lines.map(line => this.#form.line(line))
  }
}

/** Follows events of an account beyond the partition of their lines. */
interface Following extends Pick<FollowedLine, 'account' | 'moved'> {
  readonly handed: HandedDeliveries
}

/** Whether a line left nothing in the store in its own partition. Events that it sent to others may be stored there. */
function isNotStoredHere({ stored, gathered }: ExplainedLine): boolean {
  return stored.length === 0 && gathered.length === 0
}

function gone(): ApiError {
  return notFound('The account has no such line in the log that is kept')
}

/** @throws ApiError, `otherwise`, when the log has deleted the records to read */
async function whileKept<Found>(read: () => Promise<Found>, otherwise = gone()): Promise<Found> {
  try {
    return await read()
  } catch (error) {
    if (isTrimmed(error) || error instanceof NoReplayError) throw otherwise
    throw error
  }
}

/** Number of the request that a line came with, among those of its record. */
function requestOf({ origin }: Event): number | undefined {
  return origin === null ? undefined : origin.batch.requests.indexOf(origin.batch.request(origin.index))
}
