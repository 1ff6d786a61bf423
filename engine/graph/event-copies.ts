import type { NodeDocument } from '../../schemas/pipeline.ts'
import { EVENT_UNITS } from '../steps.ts'

/** Copies of one event that may be kept without a cost: more than ordinary pipelines make. */
const FREE_COPIES = 16
/** Units per byte of each further copy, because it becomes a line of the store, a dead letter, or a part of the log. */
const UNITS_PER_KEPT_BYTE = 4

/**
 * Cost of one copy that is stored, becomes a dead letter, or is sent to another partition. Each copy pays the same part, so that all of them together pay for those
 * beyond the free ones.
 *
 * @param copies upper bound for the kept copies of one event; undefined: copies are free
 * @returns units; 0: this copy is free
 */
export function keptCopyUnits(bytes: number, copies: number | undefined): number {
  if (copies === undefined || copies <= FREE_COPIES) return 0
  return Math.ceil((EVENT_UNITS + UNITS_PER_KEPT_BYTE * bytes) * (1 - FREE_COPIES / copies))
}

/** Upper bounds for one event that arrives at a node. An event that leaves by one of several outputs counts at all of them. */
export interface Reach {
  /** Nodes that the event and its copies reach, each copy counted. */
  readonly visits: number
  /** Copies that are stored, or that fail and become dead letters. */
  readonly copies: number
  /** Moves of the event and its copies to memory of keys, each of which may be in another partition. */
  readonly moves: number
}

export const NO_REACH: Reach = { visits: 0, copies: 0, moves: 0 }

/** Adds the reach of nodes that receive the same event. */
export function sumOfReach(one: Reach, other: Reach): Reach {
  return {
    visits: one.visits + other.visits,
    copies: one.copies + other.copies,
    moves: one.moves + other.moves,
  }
}

export function maximumOfReach(one: Reach, other: Reach): Reach {
  return {
    visits: Math.max(one.visits, other.visits),
    copies: Math.max(one.copies, other.copies),
    moves: Math.max(one.moves, other.moves),
  }
}

/**
 * Returns the reach of each node, by id.
 *
 * @param order the nodes, each after those that it reads
 * @param owners nodes by the ids of their outputs
 * @param keeps whether a sink keeps its events
 * @param isKeyed whether a processor has memory of keys
 */
export function reachOfNodes(
  order: readonly NodeDocument[],
  owners: ReadonlyMap<string, Pick<NodeDocument, 'id'>>,
  keeps: (sink: NodeDocument) => boolean,
  isKeyed: (processor: NodeDocument) => boolean,
): ReadonlyMap<string, Reach> {
  const behind = new Map<string, Reach>()
  const reach = new Map<string, Reach>()
  for (const node of order.toReversed()) {
    const { visits, copies, moves } = behind.get(node.id) ?? NO_REACH
    // An event that fails at a processor is one dead letter, and then reaches no sink.
    const ends = node.kind === 'transform' || (node.kind === 'sink' && keeps(node)) ? 1 : 0
    const move = node.kind === 'transform' && isKeyed(node) ? 1 : 0
    const here = { visits: 1 + visits, copies: Math.max(ends, copies), moves: move + moves }
    reach.set(node.id, here)
    for (const input of node.inputs) {
      const owner = owners.get(input)?.id
      if (owner !== undefined) behind.set(owner, sumOfReach(behind.get(owner) ?? NO_REACH, here))
    }
  }
  return reach
}
