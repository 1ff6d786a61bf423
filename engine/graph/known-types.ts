import type { NodeDocument } from '../../schemas/pipeline.ts'
import { canonicalDestinationType } from '../destinations/registry.ts'
import { processorOf } from '../processors/registry.ts'
import { sourceOf } from '../sources/registry.ts'

export type NodeKind = NodeDocument['kind']

/** Every wire id and alias of the contract (pipeline API, sections 4 to 6 and appendixes A and B), built here or not. */
const KNOWN_TYPES: Readonly<Record<NodeKind, ReadonlySet<string>>> = {
  source: new Set([
    ...['log-agent', 'mezmo-agent', 'datadog-agent', 'mezmo-datadog-source', 'azure-event-hub', 'demo-logs'],
    ...['fluent', 'http', 'kafka', 'kinesis-firehose', 'log-analysis', 'log-analysis-ingestion', 'logstash'],
    ...['open-telemetry-logs', 'open-telemetry-metrics', 'open-telemetry-traces', 'prometheus-remote-write'],
    ...['s3', 'splunk-hec', 'sqs', 'webhook'],
  ]),
  transform: new Set([
    ...['aggregate', 'aggregate-v2', 'compact-fields', 'data-profiler', 'decrypt-fields', 'dedupe'],
    ...['drop-fields', 'encrypt-fields', 'event-to-metric', 'filter', 'flatten-fields', 'js-script'],
    ...['script-execution', 'map-fields', 'mask-pii', 'metrics-tag-cardinality-limit', 'parse'],
    ...[
      'parse-sequentially',
      'redact',
      'reduce',
      'route',
      'sample',
      'set-timestamp',
      'stringify',
      'throttle',
    ],
    ...['trace-sampling', 'unroll'],
  ]),
  sink: new Set([
    ...['azure-blob-storage', 'blackhole', 'datadog-logs', 'datadog-metrics', 'elasticsearch'],
    ...['gcp-cloud-monitoring', 'gcp-cloud-operations', 'gcp-cloud-pubsub', 'gcp-cloud-storage'],
    ...['honeycomb-logs', 'http', 'kafka', 'log-analysis', 'loki', 'mezmo', 'new-relic'],
    ...['prometheus-remote-write', 's3', 'splunk-hec-logs'],
  ]),
}

/** Whether this program runs nodes of a type, only knows it from the contract, or has never heard of it. */
export function standingOf(kind: NodeKind, type: string): 'built' | 'notBuilt' | 'unknownType' {
  if (canonicalTypeOf(kind, type) !== undefined) return 'built'
  return KNOWN_TYPES[kind].has(type) ? 'notBuilt' : 'unknownType'
}

/** The one id behind an alias; undefined when this program does not run the type. */
export function canonicalTypeOf(kind: NodeKind, type: string): string | undefined {
  switch (kind) {
    case 'source':
      return sourceOf(type)?.type
    case 'transform':
      return processorOf(type)?.type
    case 'sink':
      return canonicalDestinationType(type)
  }
}
