import type { FileList, FileNode, PipelineFile } from './file.ts'
import { FILE_LISTS } from './file.ts'
import { nodesOf } from './nodes.ts'

/** A node, or the title, that two people changed in different ways since they had the common version. */
export interface Conflict {
  /** Name of the node; undefined for members of the document such as its title. */
  readonly name: string | undefined
  readonly mine: unknown
  readonly theirs: unknown
}

export type Choice = 'mine' | 'theirs'

export interface Merge {
  readonly conflicts: readonly Conflict[]
  /** Names of nodes that only the other person changed, added or removed. */
  readonly taken: readonly string[]
  /** The merged document, with a choice for each conflict by its name. */
  with(choose: (conflict: Conflict) => Choice): PipelineFile
}

/**
 * Merges two documents that were made from a common one, node by node. A node that one side alone changed is taken from that side.
 */
export function mergeOf(base: PipelineFile, mine: PipelineFile, theirs: PipelineFile): Merge {
  const [inBase, inMine, inTheirs] = [base, mine, theirs].map(
    each => new Map(nodesOf(each).map(({ node }) => [node.name, node])),
  ) as [Map<string, FileNode>, Map<string, FileNode>, Map<string, FileNode>]
  const names = [...new Set([...inTheirs.keys(), ...inMine.keys(), ...inBase.keys()])]
  const conflicts: Conflict[] = []
  const taken: string[] = []
  for (const name of names) {
    const [before, my, their] = [inBase.get(name), inMine.get(name), inTheirs.get(name)]
    if (isSame(my, their) || isSame(their, before)) continue
    if (isSame(my, before)) taken.push(name)
    else conflicts.push({ name, mine: my, theirs: their })
  }
  const head = sideOf(headOf(base), headOf(mine), headOf(theirs))
  if (head === undefined) conflicts.push({ name: undefined, mine: headOf(mine), theirs: headOf(theirs) })
  return {
    conflicts,
    taken,
    with(choose) {
      const chosen = new Map(conflicts.map(each => [each.name, choose(each)]))
      const from = (name: string | undefined): Choice =>
        chosen.get(name) ??
        (name === undefined ? (head ?? 'theirs') : taken.includes(name) ? 'theirs' : 'mine')
      const merged: PipelineFile = { ...(from(undefined) === 'mine' ? mine : theirs) }
      for (const list of Object.keys(FILE_LISTS) as FileList[]) {
        const order = [...(mine[list] ?? []), ...(theirs[list] ?? [])].map(({ name }) => name)
        const nodes = [...new Set(order)].flatMap(name => {
          const side = from(name) === 'mine' ? mine : theirs
          return (side[list] ?? []).filter(node => node.name === name)
        })
        if (nodes.length > 0 || merged[list] !== undefined) merged[list] = nodes
      }
      return merged
    },
  }
}

function sideOf(base: unknown, mine: unknown, theirs: unknown): Choice | undefined {
  if (isSame(mine, theirs) || isSame(mine, base)) return 'theirs'
  return isSame(theirs, base) ? 'mine' : undefined
}

function headOf({ title, alerts = [] }: PipelineFile): unknown {
  return { title, alerts }
}

/** Whether two JSON values are equal; members may have any order. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const names = Object.keys(left).filter(name => left[name] !== undefined)
  if (names.length !== Object.keys(right).filter(name => right[name] !== undefined).length) return false
  return names.every(name => isSame(left[name], right[name]))
}
