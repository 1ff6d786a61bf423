import { Catalogue } from './contract/catalogue.ts'
import { checkStoredOptions } from './contract/node-declaration.ts'
import { azureBlobStorage } from './destinations/azure-blob-storage.ts'
import { blackhole } from './destinations/blackhole.ts'
import { datadogLogs } from './destinations/datadog-logs.ts'
import { datadogMetrics } from './destinations/datadog-metrics/datadog-metrics.ts'
import { elasticsearch } from './destinations/elasticsearch/elasticsearch.ts'
import { gcpCloudMonitoring } from './destinations/gcp-cloud-monitoring/gcp-cloud-monitoring.ts'
import { gcpCloudOperations } from './destinations/gcp-cloud-operations.ts'
import { gcpCloudPubsub } from './destinations/gcp-cloud-pubsub.ts'
import { gcpCloudStorage } from './destinations/gcp-cloud-storage.ts'
import { honeycombLogs } from './destinations/honeycomb-logs.ts'
import { http as httpDestination } from './destinations/http/http.ts'
import { kafka as kafkaDestination } from './destinations/kafka/kafka.ts'
import { logAnalysis } from './destinations/log-analysis/log-analysis.ts'
import { loki } from './destinations/loki/loki.ts'
import { newRelic } from './destinations/new-relic/new-relic.ts'
import { prometheusRemoteWrite } from './destinations/prometheus-remote-write/prometheus-remote-write.ts'
import { s3 as s3Destination } from './destinations/s3/s3.ts'
import { splunkHecLogs } from './destinations/splunk-hec-logs/splunk-hec-logs.ts'
import { aggregate } from './processors/aggregate/aggregate.ts'
import { compactFields } from './processors/compact-fields.ts'
import { dataProfiler } from './processors/data-profiler/data-profiler.ts'
import { dedupe } from './processors/dedupe/dedupe.ts'
import { dropFields } from './processors/drop-fields.ts'
import { decryptFields } from './processors/encryption/decrypt-fields.ts'
import { encryptFields } from './processors/encryption/encrypt-fields.ts'
import { eventToMetric } from './processors/event-to-metric.ts'
import { filter } from './processors/filter.ts'
import { flattenFields } from './processors/flatten-fields.ts'
import { jsScript } from './processors/js-script.ts'
import { mapFields } from './processors/map-fields.ts'
import { metricsTagCardinalityLimit } from './processors/metrics-tag-cardinality-limit/metrics-tag-cardinality-limit.ts'
import { parse } from './processors/parse.ts'
import { parseSequentially } from './processors/parse-sequentially.ts'
import { redact } from './processors/redact/redact.ts'
import { reduce } from './processors/reduce/reduce.ts'
import { route } from './processors/route.ts'
import { sample } from './processors/sample.ts'
import { setTimestamp } from './processors/set-timestamp/set-timestamp.ts'
import { stringify } from './processors/stringify.ts'
import { throttle } from './processors/throttle/throttle.ts'
import { traceSampling } from './processors/trace-sampling/trace-sampling.ts'
import { unroll } from './processors/unroll.ts'
import { azureEventHub } from './sources/azure-event-hub.ts'
import { demoLogs } from './sources/demo-logs.ts'
import { fluent } from './sources/fluent.ts'
import { http } from './sources/http/http.ts'
import { kafka } from './sources/kafka.ts'
import { kinesisFirehose } from './sources/kinesis-firehose.ts'
import { logAnalysisIngestion } from './sources/log-analysis-ingestion.ts'
import { logstash } from './sources/logstash.ts'
import { s3 } from './sources/s3.ts'
import * as withoutOptions from './sources/sources-without-options.ts'
import { sqs } from './sources/sqs.ts'

/** Every node type of this program: adding one is a file and a line here. Only wiring and tests import this. */
export const CATALOGUE = new Catalogue({
  sources: [
    withoutOptions.logAgent,
    azureEventHub,
    withoutOptions.datadogAgent,
    demoLogs,
    fluent,
    http,
    kafka,
    kinesisFirehose,
    withoutOptions.logAnalysis,
    logAnalysisIngestion,
    logstash,
    withoutOptions.openTelemetryLogs,
    withoutOptions.openTelemetryMetrics,
    withoutOptions.openTelemetryTraces,
    withoutOptions.prometheusRemoteWrite,
    s3,
    withoutOptions.splunkHec,
    sqs,
    withoutOptions.webhook,
  ],
  processors: [
    dropFields,
    filter,
    reduce,
    route,
    setTimestamp,
    throttle,
    aggregate,
    compactFields,
    dataProfiler,
    decryptFields,
    dedupe,
    encryptFields,
    eventToMetric,
    flattenFields,
    jsScript,
    mapFields,
    metricsTagCardinalityLimit,
    parse,
    parseSequentially,
    redact,
    sample,
    stringify,
    traceSampling,
    unroll,
  ],
  destinations: [
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
    httpDestination,
    kafkaDestination,
    loki,
    newRelic,
    prometheusRemoteWrite,
    s3Destination,
    splunkHecLogs,
  ],
  ownStore: logAnalysis,
  check: checkStoredOptions,
})
