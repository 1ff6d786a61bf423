import type { DraftNode } from '../../../engine/configuration/entities.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'

/** A node without what the server alone counts, and without what a file calls it. */
export function nodeContent({ generation: _, name: __, ...content }: DraftNode): NodeDocument {
  return content
}
