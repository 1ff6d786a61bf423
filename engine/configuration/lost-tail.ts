import type { Cut } from '../../schemas/log/control.ts'
import type { Topic } from '../log/log.ts'
import { type EndMark, endBelow } from './end-mark.ts'
import { accounts, deadLetterSettings, deployments, exemptions, spreads } from './entities.ts'
import type { AnyKind, ConfigurationView } from './kind.ts'
import { lineRules } from './kinds/line-rules.ts'
import { quotaStates } from './kinds/quotas.ts'

/** What the configuration log should have, and does not. */
export interface LostTail {
  /** First and last offset of what is missing. */
  readonly from: bigint
  readonly to: bigint
  /** Highest version that an entity can have got in it. */
  readonly version: number
  /** Who knows of it, for people. */
  readonly witnesses: readonly string[]
}

/** A mark and where it is kept. */
export interface KeptMark {
  readonly place: string
  readonly mark: EndMark
}

/** What a process has folded of the log. */
export interface FoldedLog extends ConfigurationView {
  readonly topic: Topic
  readonly nextOffset: bigint
  readonly highestVersion: number
  readonly losses: number
}

/** Kinds of cuts whose version is that of the entity. The others count changes of their own. */
const ENTITY_KINDS: Partial<Record<Cut['kind'], AnyKind>> = {
  account: accounts,
  'dead-letter': deadLetterSettings,
  exemption: exemptions,
  'line-rules': lineRules,
  quota: quotaStates,
}

/**
 * Holds the log against what is known of it.
 *
 * @param known  marks, and cuts that partitions know; the log has been read to its end after they were
 * @returns undefined when everything is there
 * @throws LogError as `Topic.read`
 */
export async function lostTail(
  log: FoldedLog,
  known: { readonly marks: readonly KeptMark[]; readonly cuts: readonly Cut[] },
): Promise<LostTail | undefined> {
  const found: LostTail[] = []
  for (const kept of known.marks) found.push(...(await missingOf(log, kept)))
  const cut = missingOfCuts(log, known.cuts)
  if (cut !== undefined) found.push(cut)
  return found.length === 0 ? undefined : found.reduce(together)
}

async function missingOf(log: FoldedLog, { place, mark }: KeptMark): Promise<LostTail[]> {
  const { topic, losses } = log
  // The act that accepted a loss has judged every mark of before.
  if (mark.losses < losses) return []
  const { next, version, digest, logId } = mark
  const missing = (from: bigint): LostTail[] => [{ from, to: next - 1n, version, witnesses: [place] }]
  if (logId !== topic.logId) return missing(0n)
  const end = await endBelow(topic, next)
  if (end.last !== next - 1n) return missing(end.last + 1n)
  return end.digest === digest ? [] : missing(end.from)
}

/** Cuts whose version is higher than the configuration can explain. */
function missingOfCuts(log: FoldedLog, cuts: readonly Cut[]): LostTail | undefined {
  const unexplained = cuts.filter(cut => isUnexplained(log, cut))
  if (unexplained.length === 0) return undefined
  const { nextOffset: from, highestVersion } = log
  const versions = unexplained.filter(({ kind }) => ENTITY_KINDS[kind] !== undefined).map(cut => cut.version)
  const version = Math.max(highestVersion + 1, ...versions)
  const to = from + BigInt(version - highestVersion) - 1n
  return { from, to, version, witnesses: ['changes that partitions know'] }
}

/** Whether the configuration does not know of a change that a partition has been told. */
export function isUnexplained(log: FoldedLog, { kind, entity, version }: Cut): boolean {
  // A deployment outlives its pipeline, and whether an account is spread is never forgotten.
  if (kind === 'pipeline') return version > (log.get(deployments, entity)?.value.number ?? 0)
  if (kind === 'spread') return version > (log.get(spreads, entity)?.value.change ?? 0)
  const own = ENTITY_KINDS[kind]
  if (own === undefined) return false
  if (version > log.highestVersion) return true
  const known = log.get(own, entity)
  return known !== undefined && version > known.version
}

function together(one: LostTail, other: LostTail): LostTail {
  return {
    // Offsets have 40 bits.
    from: BigInt(Math.min(Number(one.from), Number(other.from))),
    to: BigInt(Math.max(Number(one.to), Number(other.to))),
    version: Math.max(one.version, other.version),
    witnesses: [...one.witnesses, ...other.witnesses],
  }
}

/** What is missing, and what that means, in one sentence each. */
export function lossSentence(lost: LostTail, log: FoldedLog): string {
  const { from, to, witnesses } = lost
  const events = from === to ? `event ${from}` : `events ${from} to ${to}`
  const how =
    from < log.nextOffset && to < log.nextOffset
      ? `the ${events} of the configuration log (weir.config) ${from === to ? 'is not the one that was' : 'are not those that were'} written there`
      : `the configuration log (weir.config) ends before offset ${log.nextOffset}, and its ${events} ${from === to ? 'is' : 'are'} missing`
  return `${how} (known from ${witnesses.join(' and ')}). Tokens and keys that were revoked or deleted there would work again`
}
