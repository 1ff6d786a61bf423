import Type from 'typebox'
import { declareDestination } from '../contract/define-destination.ts'
import { ackEnabled } from '../options/delivery-options.ts'
import { credentialsJson, credentialsProblems } from '../options/gcp-credentials.ts'
import { monitoredResourceOptions, monitoredResourceProblems } from '../options/monitored-resource.ts'

/** Entries of a log of Google Cloud: components, section 7.9. */
export const gcpCloudOperations = declareDestination({
  type: 'gcp-cloud-operations',
  summary: 'Write events as entries of a log of Google Cloud.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      log_id: Type.String({ minLength: 1, description: 'Log to write to' }),
      ...monitoredResourceOptions,
      credentials_json: credentialsJson,
    },
    { additionalProperties: false },
  ),
  check: sent => [...monitoredResourceProblems(sent), ...credentialsProblems(sent)],
  configs: [
    {
      sent: { project_id: 'example', log_id: 'weir', resource_type: 'global', credentials_json: '{}' },
      defaults: { ack_enabled: true },
    },
    {
      sent: {
        ack_enabled: false,
        project_id: 'example',
        log_id: 'weir',
        resource_type: 'k8s_cluster',
        resource_labels: [{ label_name: 'cluster_name', label_value: 'production' }],
        credentials_json: '{"type":"service_account"}',
      },
    },
  ],
})
