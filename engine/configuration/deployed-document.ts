import { INGEST_ENTRANCE } from '../../schemas/log/line-batch.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'
import { type Catalogue, isOpened } from '../nodes/contract/catalogue.ts'
import { type Deployment, revisions } from './entities.ts'
import type { ConfigurationView } from './kind.ts'

/** Document of a revision that a deployment names. @param revisionId null or absent where nothing is deployed */
export function deployedDocument(
  configuration: ConfigurationView,
  revisionId: string | null | undefined,
): PipelineDocument | undefined {
  return configuration.get(revisions, revisionId ?? '')?.value.document
}

/** Entrances that the sources of a deployment read, paused or not: `INGEST_ENTRANCE`, and ids of gateway routes. */
export function entrancesOf(
  catalogue: Catalogue,
  configuration: ConfigurationView,
  { revisionId }: Pick<Deployment, 'revisionId'>,
): ReadonlySet<string> {
  const entrances = new Set<string>()
  for (const { id, kind, type, gateway_route_id: route } of deployedDocument(configuration, revisionId)
    ?.nodes ?? []) {
    const source = kind === 'source' ? catalogue.runningSourceOf(type) : undefined
    if (source === undefined || !isOpened(source)) continue
    entrances.add(source.entrance === 'ingest' ? INGEST_ENTRANCE : (route ?? id))
  }
  return entrances
}
