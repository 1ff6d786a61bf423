import type { PipelineDocument } from '../../schemas/pipeline.ts'
import { revisions } from './entities.ts'
import type { ConfigurationView } from './kind.ts'

/** Document of a revision that a deployment names. @param revisionId null or absent where nothing is deployed */
export function deployedDocument(
  configuration: ConfigurationView,
  revisionId: string | null | undefined,
): PipelineDocument | undefined {
  return configuration.get(revisions, revisionId ?? '')?.value.document
}
