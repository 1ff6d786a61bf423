import { type Dice, newDice } from '../support/dice.ts'
import type { LaneOptions } from '../support/outgoing.ts'

/** A destination node, and the remote behind it. */
export interface PlannedNode {
  readonly pipeline: string
  readonly node: string
  readonly options: LaneOptions
  /** Answer of the remote to bad events: all of a request is refused, or each bad event. A busy remote also wants some events again. */
  readonly judges: 'request' | 'event' | 'busy'
}

/** An event that a source hands over, or the deletion of a pipeline. */
export type PlannedPart =
  | { readonly kind: 'event'; readonly node: PlannedNode; readonly version: number; readonly line: string }
  | { readonly kind: 'deletion'; readonly pipeline: string }

export interface LanesPlan {
  readonly seed: number
  readonly nodes: readonly PlannedNode[]
  /** Parts of each source in order. The index of a part is its position. */
  readonly sources: readonly (readonly PlannedPart[])[]
  /** Share of the appends that fail. */
  readonly appendFaults: number
  /** Log time after which a batch is given up; null: never. */
  readonly giveUpAfterMs: number | null
  readonly keepsLetters: boolean
  /** Number of actions from outside. */
  readonly actions: number
}

/** Word in the lines that every remote refuses for ever. */
export const BAD = 'bad'
const SPLITS = ['x', 'y', 'z']

export function lanesPlanOf(seed: number): LanesPlan {
  const dice = newDice(seed)
  const nodes = Array.from({ length: 1 + dice.below(3) }, (_, index) => drawNode(dice, index))
  const sources = Array.from({ length: 1 + dice.below(2) }, (_, source) => drawParts(dice, nodes, source))
  return {
    seed,
    nodes,
    sources,
    appendFaults: dice.pick([0, 0.05, 0.2]),
    giveUpAfterMs: dice.chance(0.2) ? 60_000 : null,
    keepsLetters: dice.chance(0.8),
    actions: 10 + dice.below(40),
  }
}

function drawNode(dice: Dice, index: number): PlannedNode {
  return {
    pipeline: dice.pick(['p', 'q']),
    node: `out-${index}`,
    options: {
      maxBytes: dice.pick([12, 40, 1_000]),
      maxEvents: dice.pick([1, 2, 5, 100]),
      maxAgeMs: dice.pick([300, 1_000, 60_000]),
      splits: dice.chance(0.4),
    },
    judges: dice.pick(['request', 'event', 'busy']),
  }
}

function drawParts(dice: Dice, nodes: readonly PlannedNode[], source: number): PlannedPart[] {
  const deleted = dice.chance(0.15) ? dice.pick(nodes).pipeline : undefined
  const count = 5 + dice.below(60)
  const deletedAt = dice.below(count)
  let version = 1
  return Array.from({ length: count }, (_, index): PlannedPart[] => {
    if (deleted !== undefined && index === deletedAt) return [{ kind: 'deletion', pipeline: deleted }]
    if (dice.chance(0.03)) version++
    const node = dice.pick(nodes)
    if (node.pipeline === deleted && index > deletedAt) return []
    const word = dice.chance(0.06) ? BAD : 'good'
    const line = `${dice.pick(SPLITS)} ${source}-${index} ${word}${'.'.repeat(dice.below(12))}`
    return [{ kind: 'event', node, version, line }]
  }).flat()
}
