import { QUARANTINE_KIND } from '../../../schemas/log/configuration.ts'
import { type ConfigurationView, defineKind } from '../kind.ts'

/** A record whose events fail at one node. Key: see `quarantineKey`. Every fold knows it before it applies the record. */
export interface Quarantine {
  /** Account of the record. */
  readonly account: string
  /** Name of the topic. */
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** Id of the node. */
  readonly node: string
  /** Time at which the command began it, UNIX ms. */
  readonly sinceMs: number
  /** Name of the operator who ran the command. */
  readonly by: string
  /** false: it was only begun. It has no effect, and workers of the partition wait for its end. */
  readonly isComplete: boolean
}

export const quarantines = defineKind<Quarantine>(QUARANTINE_KIND, { account: ({ account }) => account })

type QuarantinePlace = Pick<Quarantine, 'topic' | 'partition' | 'offset' | 'node'>

/** `<topic>/<partition>/<offset>/<node>`. */
export function quarantineKey({ topic, partition, offset, node }: QuarantinePlace): string {
  return `${topic}/${partition}/${offset}/${node}`
}

/** Nodes at which the events of records of a partition fail, by offset. */
export function quarantinedNodes(
  view: ConfigurationView,
  topic: string,
  partition: number,
): ReadonlyMap<bigint, ReadonlySet<string>> {
  const nodes = new Map<bigint, Set<string>>()
  for (const value of quarantinesOf(view, topic, partition)) {
    if (!value.isComplete) continue
    const offset = BigInt(value.offset)
    nodes.set(offset, (nodes.get(offset) ?? new Set()).add(value.node))
  }
  return nodes
}

/** Quarantine of a record of the partition that was begun and is not complete. */
export function begunQuarantine(
  view: ConfigurationView,
  topic: string,
  partition: number,
): Quarantine | undefined {
  return quarantinesOf(view, topic, partition).find(({ isComplete }) => !isComplete)
}

/** Quarantines of all accounts, the newest first. */
export function newestQuarantines(view: ConfigurationView): readonly Quarantine[] {
  const all = view.list(quarantines).map(({ value }) => value)
  return all.sort((one, other) => other.sinceMs - one.sinceMs)
}

function quarantinesOf(view: ConfigurationView, topic: string, partition: number): Quarantine[] {
  const all = view.list(quarantines).map(({ value }) => value)
  return all.filter(value => value.topic === topic && value.partition === partition)
}
