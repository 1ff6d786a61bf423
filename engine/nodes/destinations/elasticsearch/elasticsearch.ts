import { THIRTEENTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { HttpOutcome, HttpRequest } from '../../../outbound/http-exchange.ts'
import { defineDestination } from '../../contract/define-destination.ts'
import { batchToCheck, emptiedRequest } from '../../http/check-request.ts'
import { CHECKED_NAME } from '../../http/object-batch.ts'
import { bulkBatching, bulkRequests, indexFailure } from './bulk-request.ts'
import { bulkVerdicts } from './bulk-verdict.ts'
import {
  ElasticsearchOptions,
  elasticsearchProblems,
  elasticsearchPublishProblems,
} from './elasticsearch-options.ts'

const FILTER = 'filter_path=errors%2Citems.*.status%2Citems.*.error.type'

/** Documents of Elasticsearch or OpenSearch: components, section 7.7. */
export const elasticsearch = defineDestination({
  type: 'elasticsearch',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Index events as documents of Elasticsearch or OpenSearch.',
  notes: [
    'Documents are created with an id that an event keeps at every repeat. A document that is there already is done, so an ' +
      'event is stored once, unless a data stream begins a new index between a request and its repeat.',
    'A message that is not an object is sent as `{"message": …}`. Marks of time in `index` are those of the timestamp of the ' +
      'event, in UTC.',
  ],
  config: ElasticsearchOptions,
  check: elasticsearchProblems,
  publishProblems: elasticsearchPublishProblems,
  delivery: 'requests',
  transport: 'http',
  foldOptions: ['index'],
  errors: ['E_NOT_FOUND', 'E_DELIVERY_FAILED'],
  neverSent: indexFailure,
  batching: bulkBatching,
  encode: bulkRequests,
  judge: (answer: HttpOutcome, _config, sent) => bulkVerdicts(answer, sent),
  // The index of an event may follow from fields that only real events have.
  checkRequest: config =>
    emptiedRequest(bulkRequests(batchToCheck(), { ...config, index: CHECKED_NAME })) as HttpRequest,
  examples: [
    {
      title: 'each event is created with its id, in the index of its day',
      config: {
        endpoints: ['https://search.example.com:9200'],
        auth: { strategy: 'basic', user: 'weir', password: 'secret' },
        index: '{{ .app }}-%Y.%m.%d',
      },
      events: [{ app: 'web', n: 1 }, { app: 'web', n: 2 }, 'door=7 open'],
      never: { 2: ['E_NOT_FOUND', '.app'] },
      requests: [
        {
          method: 'POST',
          url: `https://search.example.com:9200/_bulk?${FILTER}`,
          headers: { 'content-type': 'application/x-ndjson', authorization: 'Basic d2VpcjpzZWNyZXQ=' },
          body:
            '{"create":{"_index":"web-2031.03.09","_id":"1"}}\n{"app":"web","n":1}\n' +
            '{"create":{"_index":"web-2031.03.09","_id":"2"}}\n{"app":"web","n":2}\n',
          connection: { answerBytes: 65_856 },
        },
      ],
      answers: [
        { answer: { status: 200, body: '{"errors":false,"items":[]}' }, verdict: 'delivered' },
        {
          answer: {
            status: 200,
            body: '{"errors":true,"items":[{"create":{"status":201}},{"create":{"status":429}}]}',
          },
          verdict: ['delivered', 'again'],
        },
        {
          answer: {
            status: 200,
            body:
              '{"errors":true,"items":[{"create":{"status":409}},' +
              '{"create":{"status":400,"error":{"type":"mapper_parsing_exception"}}}]}',
          },
          verdict: ['delivered', { failed: ['E_DELIVERY_FAILED', null] }],
        },
        { answer: { status: 400 }, verdict: 'halve' },
        { answer: { status: 403 }, verdict: 'rest' },
        { answer: { status: 503 }, verdict: 'again' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
    {
      title: 'a text becomes a document, and further endpoints serve in turn',
      config: {
        endpoints: ['https://a.example.com/base/', 'https://b.example.com'],
        auth: {
          strategy: 'aws',
          access_key_id: 'AKIAEXAMPLE',
          secret_access_key: 'secret',
          region: 'eu-central-1',
        },
        index: 'logs',
        pipeline: 'geo ip',
      },
      events: ['door=7 open'],
      requests: [
        {
          method: 'POST',
          url: `https://a.example.com/base/_bulk?${FILTER}&pipeline=geo+ip`,
          otherUrls: [`https://b.example.com/_bulk?${FILTER}&pipeline=geo+ip`],
          headers: { 'content-type': 'application/x-ndjson' },
          body: '{"create":{"_index":"logs","_id":"1"}}\n{"message":"door=7 open"}\n',
          connection: { answerBytes: 65_696 },
          signature: {
            accessKeyId: 'AKIAEXAMPLE',
            secretAccessKey: 'secret',
            region: 'eu-central-1',
            service: 'es',
          },
        },
      ],
    },
  ],
  configs: [
    {
      sent: {
        endpoints: ['https://search.example.com:9200'],
        auth: { strategy: 'basic', user: 'weir', password: 'secret' },
      },
      defaults: { ack_enabled: true, compression: 'none', index: 'logs-%Y.%m.%d' },
    },
    {
      sent: {
        ack_enabled: false,
        endpoints: ['https://a.example.com', 'https://b.example.com'],
        auth: {
          strategy: 'aws',
          user: '',
          password: '',
          access_key_id: 'AKIAEXAMPLE',
          secret_access_key: 'secret',
          region: 'eu-central-1',
        },
        compression: 'gzip',
        index: '{{ .app }}-%Y.%m',
        pipeline: 'geoip',
      },
    },
  ],
})
