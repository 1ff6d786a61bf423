import Type from 'typebox'
import { declareDestination } from '../contract/define-destination.ts'
import { ackEnabled } from '../options/delivery-options.ts'
import { credentialsJson, credentialsProblems } from '../options/gcp-credentials.ts'
import { monitoredResourceOptions, monitoredResourceProblems } from '../options/monitored-resource.ts'

/** Metrics of Google Cloud: components, section 7.9. */
export const gcpCloudMonitoring = declareDestination({
  type: 'gcp-cloud-monitoring',
  summary: 'Write metrics to Google Cloud Monitoring.',
  config: Type.Object(
    { ack_enabled: ackEnabled, ...monitoredResourceOptions, credentials_json: credentialsJson },
    { additionalProperties: false },
  ),
  check: sent => [...monitoredResourceProblems(sent), ...credentialsProblems(sent)],
  configs: [
    {
      sent: { project_id: 'example', resource_type: 'global', credentials_json: '{}' },
      defaults: { ack_enabled: true },
    },
    {
      sent: {
        ack_enabled: false,
        project_id: 'example',
        resource_type: 'k8s_cluster',
        resource_labels: [{ label_name: 'cluster_name', label_value: 'production' }],
        credentials_json: '{"type":"service_account"}',
      },
    },
  ],
})
