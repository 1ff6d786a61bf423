import { DATADOG_METRICS_CASES } from './datadog-metrics-receiver.ts'
import { ELASTICSEARCH_CASES } from './elasticsearch-receiver.ts'
import { GOOGLE_CASES } from './google-receivers.ts'
import { HTTP_CASES } from './http-receiver.ts'
import { LOG_CASES } from './log-receiver.ts'
import { LOKI_CASES } from './loki-receiver.ts'
import { OBJECT_CASES } from './object-receivers.ts'
import { PROMETHEUS_CASES } from './prometheus-receiver.ts'
import { PUBSUB_CASES } from './pubsub-receiver.ts'
import type { DestinationCase } from './receiver.ts'
import { SERVICE_CASES } from './service-receivers.ts'
import { SPLUNK_CASES } from './splunk-receiver.ts'

/** Counterparts of all destinations that send requests by HTTP. */
export const DESTINATION_CASES: readonly DestinationCase[] = [
  ...HTTP_CASES,
  ...ELASTICSEARCH_CASES,
  ...LOKI_CASES,
  ...SPLUNK_CASES,
  ...SERVICE_CASES,
  ...PROMETHEUS_CASES,
  ...DATADOG_METRICS_CASES,
  ...PUBSUB_CASES,
  ...OBJECT_CASES,
  ...GOOGLE_CASES,
  ...LOG_CASES,
]
