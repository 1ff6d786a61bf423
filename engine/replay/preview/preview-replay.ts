import { isBeyond } from '../../../schemas/log/position.ts'
import { rekeyedType } from '../../../schemas/log/rekeyed.ts'
import { schemaIdOf } from '../../../schemas/log/wire-format.ts'
import type { PipelineDocument } from '../../../schemas/pipeline.ts'
import { lastPositionIn } from '../../fold/spread/rekeyed-part.ts'
import { sourceKey } from '../../fold/spread/spread-account.ts'
import type { LogRecord } from '../../log/log.ts'
import { READ_BYTES } from '../../log/records-between.ts'
import { PartitionReplay, type ReplayedPartition } from '../replay.ts'
import type { SentBefore } from './draft-mail.ts'
import { Preview, type PreviewFolds, type PreviewOptions, type PreviewResult } from './preview.ts'

/** Bytes that are applied without a rest. */
const STRETCH_BYTES = 256 * 1024
/** Bytes that are read ahead, for all partitions together. */
const READ_AHEAD_BYTES = 16 * 1024 * 1024
/** Time within which events arrive, unless the engine was far behind. */
const ARRIVES_WITHIN_MS = 30_000
/** Offset above every record. */
const NO_END = 2n ** 62n

/** Records that a preview covers: those of partitions between two log times, UNIX ms. */
export interface PreviewStretch {
  /** The partition of the account's lines, or all partitions of both topics. */
  readonly partitions: readonly ReplayedPartition[]
  readonly account: string
  readonly fromMs: number
  readonly toMs: number
  /** Keeps the log of a partition from an offset on. */
  pin?(partition: ReplayedPartition, offset: bigint): void
  /** Called repeatedly, so that other work of this process gets its turn. */
  rest(): Promise<void>
}

export interface PreviewProgress {
  records: number
  ofRecords: number
  lines: number
}

/** Reads one partition. */
interface Reader {
  readonly folds: PreviewFolds
  /** First record after the stretch. */
  readonly until: bigint
  readonly records: AsyncIterator<LogRecord>
  /** The next record; undefined at the end of the log. */
  next: LogRecord | undefined
}

/**
 * Runs a draft over a stretch of the kept log, beside the deployed revisions.
 *
 * @throws NoReplayError, or LogError LOG_OFFSET_OUT_OF_RANGE, when the log has removed records that are needed;
 *   TooMuchUnderWayError; TooDearError; OvertakenError; FoldError
 */
export async function previewOf(
  document: PipelineDocument,
  stretch: PreviewStretch,
  { progress, ...options }: PreviewOptions & { readonly progress: PreviewProgress },
): Promise<PreviewResult> {
  const bounds = await boundsOf(stretch)
  progress.ofRecords = bounds.reduce((sum, { from, until }) => sum + Number(until - from), 0)
  const deployed = await deployedReplays(stretch, bounds)
  const readBytes = Math.floor(READ_AHEAD_BYTES / deployed.length)
  const readers: Reader[] = []
  for (const [index, replay] of deployed.entries()) {
    const draft = await draftBeside(replay, stretch.partitions[index] as ReplayedPartition, stretch)
    const { until } = bounds[index] as OffsetBounds
    const records = replay.records(NO_END, stretch.rest, readBytes)[Symbol.asyncIterator]()
    const folds = { deployed: replay.fold, draft: draft.fold }
    readers.push({ folds, until, records, next: (await records.next()).value })
  }
  const sentBefore = await underWayAt(deployed, stretch)
  const preview = new Preview(
    readers.map(({ folds }) => folds),
    document,
    { ...options, sentBefore },
  )
  await new PreviewReading(preview, readers, stretch.rest, progress).run()
  return preview.result
}

/**
 * Reads all partitions in the order of their log times. A record is read before its consequences elsewhere, even if the
 * clocks of partitions differ.
 */
class PreviewReading {
  readonly #preview: Preview
  readonly #readers: ReadonlyMap<string, Reader>
  readonly #rest: () => Promise<void>
  readonly #progress: PreviewProgress
  #stretchBytes = 0

  constructor(
    preview: Preview,
    readers: readonly Reader[],
    rest: () => Promise<void>,
    progress: PreviewProgress,
  ) {
    this.#preview = preview
    this.#readers = new Map(readers.map(reader => [sourceKey(reader.folds.deployed.name), reader]))
    this.#rest = rest
    this.#progress = progress
  }

  async run(): Promise<void> {
    for (let reader = this.#earliest(); reader !== undefined; reader = this.#earliest())
      await this.#readOne(reader)
  }

  #earliest(): Reader | undefined {
    let earliest: Reader | undefined
    let earliestMs = Number.POSITIVE_INFINITY
    for (const reader of this.#readers.values()) {
      const { next, until, folds } = reader
      if (next === undefined || next.offset >= until) continue
      const timeMs = Math.max(folds.deployed.timeMs, next.appendTimeMs)
      if (timeMs >= earliestMs) continue
      earliest = reader
      earliestMs = timeMs
    }
    return earliest
  }

  async #readOne(reader: Reader): Promise<void> {
    const { next, folds, records } = reader
    if (next === undefined) return
    const needed = this.#preview.neededFor(next)
    const source = needed && this.#readers.get(sourceKey(needed.source))
    while (needed !== undefined && source?.next !== undefined && source.next.offset <= needed.offset)
      await this.#readOne(source)
    for (const _ of this.#preview.applying(next, folds.deployed.name)) await this.#rest()
    this.#progress.records++
    this.#progress.lines = this.#preview.lines
    this.#stretchBytes += next.value.length
    if (this.#stretchBytes >= STRETCH_BYTES) {
      this.#stretchBytes = 0
      await this.#rest()
    }
    reader.next = (await records.next()).value
  }
}

interface OffsetBounds {
  readonly from: bigint
  readonly until: bigint
}

async function boundsOf({ partitions, fromMs, toMs }: PreviewStretch): Promise<OffsetBounds[]> {
  const bounds: OffsetBounds[] = []
  for (const { topic, partition } of partitions) {
    const { next } = await topic.bounds(partition)
    const from = (await topic.offsetAtTime(partition, fromMs)) ?? next
    bounds.push({ from, until: (await topic.offsetAtTime(partition, toMs + 1)) ?? next })
  }
  return bounds
}

/**
 * Replays of the deployed revision, at the start of the comparison. Clocks of partitions differ: events that arrived in
 * one partition had been sent in another at that time.
 */
async function deployedReplays(
  { partitions, account, pin, rest }: PreviewStretch,
  bounds: readonly OffsetBounds[],
): Promise<PartitionReplay[]> {
  const replays: PartitionReplay[] = []
  for (const [index, partition] of partitions.entries()) {
    const { from } = bounds[index] as OffsetBounds
    const replay = await PartitionReplay.reaching(partition, from, { account })
    pin?.(partition, replay.nextOffset)
    await replay.foldTo(from, rest)
    replays.push(replay)
  }
  for (let isConsistent = false; !isConsistent; ) {
    isConsistent = true
    for (const sender of replays) {
      for (const { fold } of replays) {
        const passed = fold.passed(account, sender.fold.name)
        if (passed === undefined || passed.offset < sender.nextOffset) continue
        await sender.foldTo(passed.offset + 1n, rest)
        isConsistent = false
      }
    }
  }
  return replays
}

/** Events that were sent before the starts of the partitions and arrive later. */
async function underWayAt(
  replays: readonly PartitionReplay[],
  { partitions, account, rest }: PreviewStretch,
): Promise<SentBefore[]> {
  if (replays.length === 1) return []
  const starts = new Map(replays.map(({ fold, nextOffset }) => [sourceKey(fold.name), nextOffset]))
  const found = new Map<string, SentBefore>()
  const latestMs = Math.max(...replays.map(({ timeMs }) => timeMs)) + ARRIVES_WITHIN_MS
  for (const [index, { topic, partition }] of partitions.entries()) {
    const target = { topic: topic.name, partition }
    let next = (replays[index] as PartitionReplay).nextOffset
    for (let isOver = false; !isOver; await rest()) {
      const records = await topic.read(partition, next, READ_BYTES)
      isOver = records.length === 0
      for (const { offset, appendTimeMs, value } of records) {
        next = offset + 1n
        isOver ||= appendTimeMs > latestMs
        if (isOver || !rekeyedType.has(schemaIdOf(value))) continue
        const { account: its, sourceTopic, sourcePartition, parts } = rekeyedType.decode(value)
        const source = { topic: sourceTopic, partition: sourcePartition }
        const start = starts.get(sourceKey(source))
        const last = parts
          .map(lastPositionIn)
          .findLast(position => start !== undefined && position.offset < start)
        if (its !== account || last === undefined) continue
        const key = `${sourceKey(source)} ${sourceKey(target)}`
        const known = found.get(key)
        if (known === undefined || isBeyond(last, known.last)) found.set(key, { source, target, last })
      }
    }
  }
  return [...found.values()]
}

/** A second fold at the same point, for the draft. */
async function draftBeside(
  { nextOffset }: PartitionReplay,
  partition: ReplayedPartition,
  { account, rest }: PreviewStretch,
): Promise<PartitionReplay> {
  const draft = await PartitionReplay.reaching(partition, nextOffset, { account })
  await draft.foldTo(nextOffset, rest)
  return draft
}
