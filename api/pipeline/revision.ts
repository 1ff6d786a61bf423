import type { DraftNode } from '../../engine/configuration/entities.ts'
import { jsonText } from '../../engine/json-text.ts'
import type { JsonValue } from '../../schemas/json.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'

/** The part of a draft's nodes that runs: what a revision keeps for ever. */
export function documentNodes(nodes: readonly DraftNode[]): NodeDocument[] {
  return nodes.map(({ description: _, generation: __, ...document }) => document)
}

/** Whether two revisions would do the same: titles count, because they are part of what is deployed. */
export function sameNodes(a: readonly NodeDocument[], b: readonly NodeDocument[]): boolean {
  return textOf(a) === textOf(b)
}

function textOf(nodes: readonly NodeDocument[]): string {
  return jsonText(
    nodes.map(({ id, kind, type, title, user_config, inputs }) => [
      id,
      kind,
      type,
      title,
      user_config,
      [...inputs],
    ]) as JsonValue,
  )
}
