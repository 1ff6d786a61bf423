import type { JsonObject } from '../../../schemas/json.ts'

export const DEMO_TITLE = 'Calm the noisy service'

/** Usual share of the busiest service, with room above it: only the noisy one has more. */
const LIMIT_SHARE = 0.7
const MINUTE_S = 60

/** The pipeline of the sample data: each service may send so many lines a minute, and errors always pass. */
export function demoPipeline(ratePerS: number): JsonObject {
  return {
    weir: 'pipeline/1',
    title: DEMO_TITLE,
    sources: [{ name: 'lines', type: 'log-analysis-ingestion', title: 'All lines' }],
    processors: [
      {
        name: 'calm',
        type: 'throttle',
        title: 'Lines of each service in a minute',
        inputs: ['lines'],
        config: {
          threshold: Math.max(1, Math.round(ratePerS * MINUTE_S * LIMIT_SHARE)),
          window: '1min',
          key_field: '.app',
          exclude: { expressions: [{ field: '.level', str_operator: 'equal', value: 'error' }] },
        },
      },
    ],
    destinations: [{ name: 'store', type: 'log-analysis', title: 'The store', inputs: ['calm'] }],
  }
}
