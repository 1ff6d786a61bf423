import type { PipelineCut } from '../../../schemas/log/cuts.ts'
import { jsonText, parseJson } from '../../json/json-text.ts'
import { deployments, revisions } from '../entities.ts'
import { defineEntityCuts } from './entity-cuts.ts'

/** Cuts of deployments. A deployment outlives its pipeline. */
export const pipelineCuts = defineEntityCuts({
  cut: 'pipeline',
  kind: deployments,
  isPresumed: true,

  payloadOf({ value }, { catalogue, log }) {
    const revision = log.get(revisions, value.revisionId ?? '')?.value
    if (revision === undefined) return undefined
    const { document, elsewhere } = revision
    const { paused, drops } = value
    return {
      ...catalogue.foldDocumentOf(document, elsewhere),
      ...(paused ? { paused } : {}),
      ...(drops ? { drops } : {}),
    }
  },

  textOf: document => (document === undefined ? '' : jsonText(document)),

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
