import type { ApiClient } from '../api-client.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { type ListedNode, listedNodes, outputNames } from './pipeline-nodes.ts'

/**
 * Resolves a node of the draft by its id, the beginning of its id, its title or its type.
 *
 * @param wanted undefined: the only node that `isMeant` accepts
 * @param called such as `throttle`, for sentences
 * @throws CommandError unless this names one node
 */
export async function nodeNamed(
  api: ApiClient,
  pipeline: string,
  wanted: string | undefined,
  { isMeant, called }: { readonly isMeant: (node: ListedNode) => boolean; readonly called: string },
): Promise<ListedNode> {
  const all = await listedNodes(api, pipeline)
  const possible = all.filter(isMeant)
  const names = outputNames(all)
  const matching = wanted === undefined ? possible : possible.filter(each => isCalled(each, wanted, names))
  if (matching.length === 1) return matching[0] as ListedNode
  const list = possible.map(({ node }) => `${names.get(node.id) ?? node.type} (${node.id})`).join(', ')
  if (possible.length === 0) throw new CommandError(EXIT.usage, `The pipeline has no ${called}.`)
  throw new CommandError(
    EXIT.usage,
    wanted === undefined
      ? `The pipeline has several nodes of this kind: give one of ${list}.`
      : `"${wanted}" does not name one ${called}: give one of ${list}.`,
  )
}

function isCalled({ node }: ListedNode, wanted: string, names: ReadonlyMap<string, string>): boolean {
  return (
    node.id === wanted || names.get(node.id) === wanted || (wanted.length >= 8 && node.id.startsWith(wanted))
  )
}
