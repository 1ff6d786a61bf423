import Type from 'typebox'
import { defineLineSource } from '../contract/define-source.ts'

/**
 * All lines that are sent to the account's log ingestion. While a deployed pipeline has this source, lines are no longer
 * stored directly. Rules: pipeline API, section 4.
 */
export const logAnalysisIngestion = defineLineSource({
  type: 'log-analysis-ingestion',
  summary: "Lines sent to the account's log ingestion.",
  config: Type.Object({}, { additionalProperties: false }),
  entrance: 'ingest',
  examples: [
    {
      title: 'a line is a message with its members',
      hostname: 'web-1',
      body: '{"lines":[{"line":"door=7 open","app":"gate"},{"line":"door=8","host":"web-2"}]}',
      messages: [
        { line: 'door=7 open', app: 'gate', host: 'web-1' },
        { line: 'door=8', host: 'web-2' },
      ],
    },
    {
      title: 'a line that is a JSON object stays a text',
      hostname: 'web-1',
      body: '{"lines":[{"line":"{\\"door\\":7}","app":"gate"}]}',
      messages: [{ line: '{"door":7}', app: 'gate', host: 'web-1' }],
    },
  ],
  configs: [{ sent: {} }],
})
