import Type from 'typebox'
import { declareSource } from '../contract/define-source.ts'
import { COMMON_KEY_PLACES } from '../contract/key-place.ts'
import type { SourceDeclaration } from '../contract/source-declaration.ts'
import { captureMetadata } from '../options/capture-metadata.ts'

/** Sources of the contract without options. Rules: pipeline API, section 4 and appendix A. */

export const logAnalysis = declareSource({
  type: 'log-analysis',
  summary: "Data of the account's own log analysis; log-analysis-ingestion has taken its place.",
  config: Type.Object({}, { additionalProperties: false }),
  entrance: 'ingest',
  configs: [{ sent: {} }],
})

export const logAgent = plainPushSource({
  type: 'log-agent',
  aliases: ['mezmo-agent'],
  summary: 'Lines that log agents send.',
})

export const datadogAgent = plainPushSource({
  type: 'datadog-agent',
  aliases: ['mezmo-datadog-source'],
  summary: 'Logs and metrics of a Datadog agent.',
})

export const openTelemetryLogs = plainPushSource({
  type: 'open-telemetry-logs',
  summary: 'Log records by OTLP over HTTP.',
})

export const openTelemetryMetrics = plainPushSource({
  type: 'open-telemetry-metrics',
  summary: 'Data points by OTLP over HTTP.',
})

export const openTelemetryTraces = plainPushSource({
  type: 'open-telemetry-traces',
  summary: 'Spans by OTLP over HTTP.',
})

export const prometheusRemoteWrite = plainPushSource({
  type: 'prometheus-remote-write',
  summary: 'Samples by Prometheus remote write.',
})

export const splunkHec = plainPushSource({
  type: 'splunk-hec',
  summary: 'Events by the Splunk HTTP event collector protocol.',
  // Components, section 6.5.
  keys: [
    { header: 'authorization', scheme: 'splunk' },
    { header: 'authorization', scheme: 'basic' },
    ...COMMON_KEY_PLACES,
  ],
})

export const webhook = plainPushSource({
  type: 'webhook',
  summary: 'Calls of webhooks (WebSub).',
})

function plainPushSource(
  named: Pick<SourceDeclaration, 'type' | 'aliases' | 'summary' | 'keys'>,
): SourceDeclaration {
  return declareSource({
    ...named,
    config: Type.Object(captureMetadata, { additionalProperties: false }),
    entrance: 'gateway',
    configs: [{ sent: {} }, { sent: { capture_metadata: true } }],
  })
}
