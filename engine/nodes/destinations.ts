import type { Destination } from './contract/define-destination.ts'
import { byWireId } from './contract/node-declaration.ts'
import { azureBlobStorage } from './destinations/azure-blob-storage.ts'
import { blackhole } from './destinations/blackhole.ts'
import { datadogLogs } from './destinations/datadog-logs.ts'
import { datadogMetrics } from './destinations/datadog-metrics.ts'
import { elasticsearch } from './destinations/elasticsearch.ts'
import { gcpCloudMonitoring } from './destinations/gcp-cloud-monitoring.ts'
import { gcpCloudOperations } from './destinations/gcp-cloud-operations.ts'
import { gcpCloudPubsub } from './destinations/gcp-cloud-pubsub.ts'
import { gcpCloudStorage } from './destinations/gcp-cloud-storage.ts'
import { honeycombLogs } from './destinations/honeycomb-logs.ts'
import { http } from './destinations/http.ts'
import { kafka } from './destinations/kafka.ts'
import { logAnalysis } from './destinations/log-analysis/log-analysis.ts'
import { loki } from './destinations/loki.ts'
import { newRelic } from './destinations/new-relic.ts'
import { prometheusRemoteWrite } from './destinations/prometheus-remote-write.ts'
import { s3 } from './destinations/s3.ts'
import { splunkHecLogs } from './destinations/splunk-hec-logs.ts'

/** Every destination of the contract: adding one is a file and a line here. */
export const DESTINATIONS: readonly Destination[] = [
  logAnalysis,
  blackhole,
  azureBlobStorage,
  datadogLogs,
  datadogMetrics,
  elasticsearch,
  gcpCloudMonitoring,
  gcpCloudOperations,
  gcpCloudPubsub,
  gcpCloudStorage,
  honeycombLogs,
  http,
  kafka,
  loki,
  newRelic,
  prometheusRemoteWrite,
  s3,
  splunkHecLogs,
]

const BY_TYPE = byWireId(DESTINATIONS)

/** @param type wire id or alias */
export function destinationOf(type: string): Destination | undefined {
  return BY_TYPE.get(type)
}
