import Type from 'typebox'
import { declareSource, type SourceDeclaration } from '../contract/define-source.ts'
import { captureMetadata } from '../options/capture-metadata.ts'

/** Sources of the contract without options. Rules: pipeline API, section 4 and appendix A. */

export const logAnalysis = declareSource({
  type: 'log-analysis',
  summary: "Data of the account's own log analysis; log-analysis-ingestion has taken its place.",
  config: Type.Object({}, { additionalProperties: false }),
  isPush: false,
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
})

export const webhook = plainPushSource({
  type: 'webhook',
  summary: 'Calls of webhooks (WebSub).',
})

function plainPushSource(named: Pick<SourceDeclaration, 'type' | 'aliases' | 'summary'>): SourceDeclaration {
  return declareSource({
    ...named,
    config: Type.Object(captureMetadata, { additionalProperties: false }),
    isPush: true,
    configs: [{ sent: {} }, { sent: { capture_metadata: true } }],
  })
}
