import { revisions } from '../../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../../engine/configuration/kind.ts'
import { canonicalTypeOf } from '../../../engine/nodes/known-types.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import type { PipelineState } from '../pipelines.ts'

export interface ThrottlePath {
  readonly pipeline: string
  readonly node: string
}

export interface ThrottleNode {
  readonly node: NodeDocument
  /** Whether it is part of what runs, and not of the draft alone. */
  readonly runs: boolean
}

/**
 * The throttle of that id: as it runs, else as it is in the draft.
 *
 * @throws ApiError 404; 400 when the node is another processor
 */
export function throttleIn(
  configuration: ConfigurationView,
  { draft, deployedRevisionId }: PipelineState,
  id: string,
): ThrottleNode {
  const deployed = deployedRevisionId === null ? undefined : configuration.get(revisions, deployedRevisionId)
  const isMeant = (node: NodeDocument) => node.id === id && node.kind === 'transform'
  const running = deployed?.value.document.nodes.find(isMeant)
  const node = running ?? draft.value.nodes.find(isMeant)
  if (node === undefined) throw notFound('The processor does not exist')
  if (canonicalTypeOf('transform', node.type) !== 'throttle')
    throw new ApiError(
      400,
      'BadRequest',
      `The processor is of type "${node.type}": only a throttle has buckets`,
    )
  return { node, runs: running !== undefined }
}
