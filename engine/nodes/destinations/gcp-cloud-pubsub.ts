import Type from 'typebox'
import { declareDestination } from '../contract/define-destination.ts'
import { ackEnabled, encoding } from '../options/delivery-options.ts'
import { credentialsJson, credentialsProblems } from '../options/gcp-credentials.ts'

/** A topic of Google Cloud Pub/Sub: components, section 7.9. */
export const gcpCloudPubsub = declareDestination({
  type: 'gcp-cloud-pubsub',
  summary: 'Publish events to a topic of Google Cloud Pub/Sub.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      project_id: Type.String({ minLength: 1, description: 'Project of the topic' }),
      topic: Type.String({ minLength: 1, description: 'Topic to publish to' }),
      credentials_json: credentialsJson,
      encoding,
    },
    { additionalProperties: false },
  ),
  check: credentialsProblems,
  configs: [
    {
      sent: { project_id: 'example', topic: 'logs', credentials_json: '{}' },
      defaults: { ack_enabled: true, encoding: 'text' },
    },
    {
      sent: {
        ack_enabled: false,
        project_id: 'example',
        topic: 'logs',
        credentials_json: '{"type":"service_account"}',
        encoding: 'json',
      },
    },
  ],
})
