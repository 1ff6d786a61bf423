import type { Cut } from '../../schemas/log/control.ts'
import type { Topic } from '../log/log.ts'
import { entityCutsOf } from './cuts/registry.ts'
import { type EndMark, endBelow } from './end-mark.ts'
import type { ConfigurationView } from './kind.ts'

/** Missing part of the configuration log. */
export interface LostConfiguration {
  /** First and last missing offset. */
  readonly from: bigint
  readonly to: bigint
  /** Highest version that an entity can have got in the missing part. */
  readonly version: number
  /** Sources that know of the missing records, for people. */
  readonly witnesses: readonly string[]
}

/** A mark and its place. */
export interface KeptMark {
  readonly place: string
  readonly mark: EndMark
}

/** An end without a digest, and its place. */
export interface KeptEnd {
  readonly place: string
  readonly next: bigint
}

/** The part of the log that a process has folded. */
export interface FoldedLog extends ConfigurationView {
  readonly topic: Topic
  readonly nextOffset: bigint
  readonly highestVersion: number
  readonly losses: number
}

/**
 * Compares the log with all known facts about it.
 *
 * @param known  marks and ends, and cuts that partitions know; they were read before the log was read to its end
 * @returns undefined when nothing is missing
 * @throws LogError like `Topic.read`
 */
export async function lostConfiguration(
  log: FoldedLog,
  known: {
    readonly marks: readonly KeptMark[]
    readonly end?: KeptEnd | undefined
    readonly cuts: readonly Cut[]
  },
): Promise<LostConfiguration | undefined> {
  const found: LostConfiguration[] = []
  for (const kept of known.marks) found.push(...(await missingOf(log, kept)))
  if (known.end !== undefined) found.push(...missingBelow(log, known.end))
  const cut = missingOfCuts(log, known.cuts)
  if (cut !== undefined) found.push(cut)
  return found.length === 0 ? undefined : found.reduce(together)
}

async function missingOf(log: FoldedLog, { place, mark }: KeptMark): Promise<LostConfiguration[]> {
  const { topic, losses } = log
  // The acceptance of a loss has judged every earlier mark.
  if (mark.losses < losses) return []
  const { next, version, digest, logId } = mark
  const missing = (from: bigint): LostConfiguration[] => [
    { from, to: next - 1n, version, witnesses: [place] },
  ]
  if (logId !== topic.logId) return missing(0n)
  const end = await endBelow(topic, next)
  if (end.last !== next - 1n) return missing(end.last + 1n)
  return end.digest === digest ? [] : missing(end.from)
}

function missingBelow(
  { nextOffset: from, highestVersion }: FoldedLog,
  { place, next }: KeptEnd,
): LostConfiguration[] {
  if (next <= from) return []
  return [{ from, to: next - 1n, version: highestVersion + Number(next - from), witnesses: [place] }]
}

/** Cuts with a version that the configuration cannot explain. */
function missingOfCuts(log: FoldedLog, cuts: readonly Cut[]): LostConfiguration | undefined {
  const unexplained = cuts.filter(cut => isUnexplained(log, cut))
  if (unexplained.length === 0) return undefined
  const { nextOffset: from, highestVersion } = log
  const versions = unexplained
    .filter(cut => entityCutsOf(cut)?.countsChanges === false)
    .map(cut => cut.version)
  const version = Math.max(highestVersion + 1, ...versions)
  const to = from + BigInt(version - highestVersion) - 1n
  return { from, to, version, witnesses: ['changes that partitions know'] }
}

/** Whether a partition knows a change that the configuration does not have. */
export function isUnexplained(log: FoldedLog, cut: Cut): boolean {
  const cuts = entityCutsOf(cut)
  if (cuts === undefined) return false
  const known = log.get(cuts.kind, cut.entity)
  if (known !== undefined) return cut.version > cuts.versionOf(known)
  // An entity that was removed had a version of the configuration, but no longer its own count.
  return cut.version > (cuts.countsChanges ? 0 : log.highestVersion)
}

function together(one: LostConfiguration, other: LostConfiguration): LostConfiguration {
  return {
    // Offsets have 40 bits.
    from: BigInt(Math.min(Number(one.from), Number(other.from))),
    to: BigInt(Math.max(Number(one.to), Number(other.to))),
    version: Math.max(one.version, other.version),
    witnesses: [...one.witnesses, ...other.witnesses],
  }
}

/** The missing part and its consequence, in one sentence each. */
export function lossSentence(lost: LostConfiguration, log: FoldedLog): string {
  const { from, to, witnesses } = lost
  const events = from === to ? `event ${from}` : `events ${from} to ${to}`
  const how =
    from < log.nextOffset && to < log.nextOffset
      ? `the ${events} of the configuration log (weir.config) ${from === to ? 'is not the one that was' : 'are not those that were'} written there`
      : `the configuration log (weir.config) ends before offset ${log.nextOffset}, and its ${events} ${from === to ? 'is' : 'are'} missing`
  return `${how} (known from ${witnesses.join(' and ')}). Tokens and keys that were revoked or deleted there would work again`
}
