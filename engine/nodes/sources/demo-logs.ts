import Type from 'typebox'
import { declareSource } from '../contract/define-source.ts'

/** Rules: pipeline API, section 4; components, section 6.6. */
export const demoLogs = declareSource({
  type: 'demo-logs',
  summary: 'Events that are made up, to try a pipeline with.',
  config: Type.Object(
    {
      format: Type.Enum(
        [
          ...['env_sensor', 'financial', 'nginx', 'json', 'apache_common', 'apache_error', 'bsd_syslog'],
          ...['syslog', 'http_metrics', 'generic_metrics'],
        ],
        { description: 'Form of the events' },
      ),
    },
    { additionalProperties: false },
  ),
  entrance: 'pull',
  configs: [{ sent: { format: 'nginx' } }],
})
