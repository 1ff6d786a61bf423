import type { Source } from './contract/define-source.ts'
import { byWireId } from './contract/node-declaration.ts'
import { azureEventHub } from './sources/azure-event-hub.ts'
import { demoLogs } from './sources/demo-logs.ts'
import { fluent } from './sources/fluent.ts'
import { http } from './sources/http/http.ts'
import { kafka } from './sources/kafka.ts'
import { kinesisFirehose } from './sources/kinesis-firehose.ts'
import { logAnalysisIngestion } from './sources/log-analysis-ingestion.ts'
import { logstash } from './sources/logstash.ts'
import { s3 } from './sources/s3.ts'
import {
  datadogAgent,
  logAgent,
  logAnalysis,
  openTelemetryLogs,
  openTelemetryMetrics,
  openTelemetryTraces,
  prometheusRemoteWrite,
  splunkHec,
  webhook,
} from './sources/sources-without-options.ts'
import { sqs } from './sources/sqs.ts'

/** Every source of the contract: adding one is a file and a line here. */
export const SOURCES: readonly Source[] = [
  logAgent,
  azureEventHub,
  datadogAgent,
  demoLogs,
  fluent,
  http,
  kafka,
  kinesisFirehose,
  logAnalysis,
  logAnalysisIngestion,
  logstash,
  openTelemetryLogs,
  openTelemetryMetrics,
  openTelemetryTraces,
  prometheusRemoteWrite,
  s3,
  splunkHec,
  sqs,
  webhook,
]

const BY_TYPE = byWireId(SOURCES)

/** @param type wire id or alias */
export function sourceOf(type: string): Source | undefined {
  return BY_TYPE.get(type)
}
