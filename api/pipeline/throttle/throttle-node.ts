import type { ConfigurationView } from '../../../engine/configuration/kind.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import { ApiError } from '../../http/errors.ts'
import { type DeployedProcessor, processorIn } from '../deployed-processor.ts'
import type { PipelineState } from '../pipelines.ts'

export interface ThrottlePath {
  readonly pipeline: string
  readonly node: string
}

/**
 * The throttle with that id: its deployed version, else that of the draft.
 *
 * @throws ApiError 404; 400 when the node is another processor
 */
export function throttleIn(
  { catalogue, configuration }: { readonly catalogue: Catalogue; readonly configuration: ConfigurationView },
  state: PipelineState,
  id: string,
): DeployedProcessor {
  const found = processorIn(configuration, state, id)
  const { type } = found.node
  if (catalogue.processorOf(type)?.state?.buckets === undefined)
    throw new ApiError(400, 'BadRequest', `The processor is of type "${type}": only a throttle has buckets`)
  return found
}
