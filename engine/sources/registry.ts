import { byWireId } from '../graph/node-declaration.ts'
import { azureEventHub } from './azure-event-hub.ts'
import type { Source } from './define-source.ts'
import { demoLogs } from './demo-logs.ts'
import { fluent } from './fluent.ts'
import { http } from './http.ts'
import { kafka } from './kafka.ts'
import { kinesisFirehose } from './kinesis-firehose.ts'
import { logAnalysisIngestion } from './log-analysis-ingestion.ts'
import { logstash } from './logstash.ts'
import { s3 } from './s3.ts'
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
} from './sources-without-options.ts'
import { sqs } from './sqs.ts'

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
