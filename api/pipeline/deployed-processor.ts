import { deployedDocument } from '../../engine/configuration/deployed-document.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { notFound } from '../http/errors.ts'
import type { PipelineState } from './pipelines.ts'

/** A processor of a pipeline. */
export interface DeployedProcessor {
  readonly node: NodeDocument
  /** Whether it is part of the deployed revision, not only of the draft. */
  readonly runs: boolean
}

/** The processor with that id: its deployed version, else that of the draft. @throws ApiError 404 */
export function processorIn(
  configuration: ConfigurationView,
  { draft, deployedRevisionId }: PipelineState,
  id: string,
): DeployedProcessor {
  const isMeant = (node: NodeDocument) => node.id === id && node.kind === 'transform'
  const running = deployedDocument(configuration, deployedRevisionId)?.nodes.find(isMeant)
  const node = running ?? draft.value.nodes.find(isMeant)
  if (node === undefined) throw notFound('The processor does not exist')
  return { node, runs: running !== undefined }
}
