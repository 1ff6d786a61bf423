import type { DraftNode } from '../../../engine/configuration/entities.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'

/** The document of a node without members that only the server or only the file uses. */
export function nodeContent({ generation: _, name: __, ...content }: DraftNode): NodeDocument {
  return content
}
