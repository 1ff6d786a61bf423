import { revisions } from '../../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../../engine/configuration/kind.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import type { PipelineState } from '../pipelines.ts'

export interface ThrottlePath {
  readonly pipeline: string
  readonly node: string
}

export interface ThrottleNode {
  readonly node: NodeDocument
  /** Whether the throttle is part of the deployed revision, not only of the draft. */
  readonly runs: boolean
}

/**
 * The throttle with that id: its deployed version, else that of the draft.
 *
 * @throws ApiError 404; 400 when the node is another processor
 */
export function throttleIn(
  { catalogue, configuration }: { readonly catalogue: Catalogue; readonly configuration: ConfigurationView },
  { draft, deployedRevisionId }: PipelineState,
  id: string,
): ThrottleNode {
  const deployed = deployedRevisionId === null ? undefined : configuration.get(revisions, deployedRevisionId)
  const isMeant = (node: NodeDocument) => node.id === id && node.kind === 'transform'
  const running = deployed?.value.document.nodes.find(isMeant)
  const node = running ?? draft.value.nodes.find(isMeant)
  if (node === undefined) throw notFound('The processor does not exist')
  if (catalogue.processorOf(node.type)?.state?.buckets === undefined)
    throw new ApiError(
      400,
      'BadRequest',
      `The processor is of type "${node.type}": only a throttle has buckets`,
    )
  return { node, runs: running !== undefined }
}
