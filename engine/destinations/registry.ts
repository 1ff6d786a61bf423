import { byWireId } from '../graph/node-declaration.ts'
import { azureBlobStorage } from './azure-blob-storage.ts'
import { blackhole } from './blackhole.ts'
import { datadogLogs } from './datadog-logs.ts'
import { datadogMetrics } from './datadog-metrics.ts'
import type { Destination } from './define-destination.ts'
import { elasticsearch } from './elasticsearch.ts'
import { gcpCloudMonitoring } from './gcp-cloud-monitoring.ts'
import { gcpCloudOperations } from './gcp-cloud-operations.ts'
import { gcpCloudPubsub } from './gcp-cloud-pubsub.ts'
import { gcpCloudStorage } from './gcp-cloud-storage.ts'
import { honeycombLogs } from './honeycomb-logs.ts'
import { http } from './http.ts'
import { kafka } from './kafka.ts'
import { logAnalysis } from './log-analysis.ts'
import { loki } from './loki.ts'
import { newRelic } from './new-relic.ts'
import { prometheusRemoteWrite } from './prometheus-remote-write.ts'
import { s3 } from './s3.ts'
import { splunkHecLogs } from './splunk-hec-logs.ts'

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
