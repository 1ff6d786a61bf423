import type { PipelineCut } from '../../../schemas/log/cuts.ts'
import type { PipelineDocument } from '../../../schemas/pipeline.ts'
import { jsonText, parseJson } from '../../json/json-text.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { type Deployment, deployments, revisions } from '../entities.ts'
import { defineEntityCuts } from './entity-cuts.ts'

/** Cuts of deployments. A deployment outlives its pipeline. */
export const pipelineCuts = defineEntityCuts<Deployment>({
  cut: 'pipeline',
  kind: deployments,

  payloadOf({ value }, { catalogue, log }) {
    const { revisionId } = value
    const document = revisionId === null ? undefined : log.get(revisions, revisionId)?.value.document
    return document === undefined ? '' : jsonText(payloadOf(catalogue, document, value) as never)
  },

  changes: {
    of: ({ number }) => number,
    set: (deployment, number) => ({ ...deployment, number }),
  },

  withoutEffect({ payload }) {
    if (payload === '') return undefined
    const { accountId: account } = parseJson(payload) as unknown as PipelineCut
    return { account, number: 0, revisionId: null }
  },
})

/** Alerts are left out as a whole: partitions do not evaluate them, and they contain passwords and keys of services. */
function payloadOf(
  catalogue: Catalogue,
  { alerts: _, ...document }: PipelineDocument,
  { paused }: Deployment,
): PipelineCut {
  const nodes = document.nodes.map(node => ({ ...node, user_config: catalogue.foldOptionsOf(node) }))
  return { ...document, nodes, ...(paused ? { paused } : {}) }
}
