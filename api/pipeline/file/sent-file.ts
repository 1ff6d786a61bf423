import type { Draft } from '../../../engine/configuration/entities.ts'
import type { PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import type { NodeRules } from '../checked-node.ts'

/** Content of a pipeline before its file is applied; empty for a new one. */
export type DraftContent = Pick<Draft, 'nodes' | 'alerts'>

export interface FilePlace extends Omit<NodeRules, 'isWellTyped'> {
  readonly pipelineId: string
  readonly before: DraftContent
  /** Makes the id of a node whose name the pipeline does not contain. */
  readonly newNodeId: (name: string) => string
  readonly newAlertId: () => string
}

/** A file whose members may have any type: all findings are reported at once. */
export interface SentFile {
  list(member: keyof PipelineFile): readonly JsonValue[]
  /** Whether the schema reported a value or a part of it. */
  isFoundAt(instancePath: string): boolean
}
