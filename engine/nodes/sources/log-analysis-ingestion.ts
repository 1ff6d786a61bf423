import Type from 'typebox'
import { defineSource } from '../contract/define-source.ts'

/**
 * Everything that is sent to the account's log ingestion. While a deployed pipeline has this source, lines no
 * longer go straight into the own store.
 * Rules: pipeline API, section 4.
 */
export const logAnalysisIngestion = defineSource({
  type: 'log-analysis-ingestion',
  summary: "Lines sent to the account's log ingestion.",
  config: Type.Object({}, { additionalProperties: false }),
  isPush: false,
  entrance: 'ingest',
  configs: [{ sent: {}, stored: {} }],
})
