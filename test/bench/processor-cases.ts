import { expandedPattern } from '../../engine/expressions/grok/grok-expression.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'

/** A chain of processors on events of one form. */
export interface ProcessorCase {
  readonly title: string
  /** Type and options of each processor, in order. */
  readonly chain: readonly (readonly [type: string, options: JsonObject])[]
  /** Message of an event, by its number; about 300 bytes of JSON. */
  readonly messageOf: (index: number) => JsonValue
  /** Share of the events that leave the chain; above 1 where it makes several of one. */
  readonly leaves: number
  /** Log time before the same events come again, if the memory of them must be over then. */
  readonly pauseMs?: number
  /** Least work of the task; parsing and printing the JSON of the event when absent. */
  readonly floor?: Floor
}

/** Work on a text of an event, which is made before the clock starts. */
export interface Floor {
  readonly name: string
  readonly textOf: (message: JsonValue) => string
  readonly work: (text: string) => unknown
}

const WORDS = 'the order was accepted and waits for the courier at the northern door of the second hall '

function order(index: number): JsonObject {
  return {
    ...{
      level: 'info',
      host: `web-${index % 16}`,
      app: 'orders',
      status: 200,
      duration: 12.5 + (index % 500),
    },
    user: { id: index, name: `user-${index % 1_000}`, address: { city: 'Oslo', zip: '0150', lines: [] } },
    ...{ tags: ['a', '', 'b'], empty: {}, number: `${index}`, at: '2031-03-09T08:15:30.250Z', text: WORDS },
  }
}

/** An order with one more text, and the other text shorter: all events have about one size. */
function withLine(line: (index: number) => string): (index: number) => JsonObject {
  return index => ({ level: 'info', host: `web-${index % 16}`, app: 'orders', id: index, line: line(index) })
}

function metric(index: number): JsonObject {
  return {
    ...{ name: 'door_open_ms', namespace: 'doors', kind: 'absolute' },
    value: { type: 'gauge', value: index % 977 },
    tags: {
      door: `north-${index % 50}`,
      site: `site-${index % 7}`,
      host: `web-${index % 16}`,
      region: 'north',
    },
    note: WORDS.repeat(2).slice(0, 130),
  }
}

/** A counter of one of a thousand groups. */
function counter(index: number): JsonObject {
  return {
    ...metric(index),
    kind: 'incremental',
    value: { type: 'counter', value: index % 7 },
    tags: oven(index),
  }
}

const oven = (index: number): JsonObject => ({ oven: `${index % 1_000}`, hall: 'north' })

const SPANS = 10
const ROOT = 7
const SPREAD = 0x9e3779b97f4a7c15f39cc0605cedc835n

/** A span of a trace of ten, whose root comes after seven others. */
function span(index: number): JsonObject {
  const trace = Math.floor(index / SPANS)
  const id = BigInt.asUintN(128, BigInt(trace + 1) * SPREAD)
  return {
    trace_id: id.toString(16).padStart(32, '0'),
    span_id: index.toString(16).padStart(16, '0'),
    ...(index % SPANS !== ROOT && { parent_span_id: 'a6c3b1f0d2e47788' }),
    ...{ name: 'GET /doors', status: trace % 3 === 0 ? 500 : 200, text: WORDS },
  }
}

const LINES_PER_SECOND = 20
const twoDigits = (number: number) => String(number % 60).padStart(2, '0')
/** Time of an access log in which twenty requests arrive per second. */
function accessTime(index: number): string {
  const second = Math.floor(index / LINES_PER_SECOND)
  return `09/Mar/2031:08:${twoDigits(Math.floor(second / 60))}:${twoDigits(second)} +0000`
}

const accessLine = (index: number) =>
  `192.0.2.${index % 256} - ada [${accessTime(index)}] "GET /doors/${index}?page=${index % 9} HTTP/1.1" 200 ${5_000 + (index % 999)} "https://fjord.example/doors" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"`
const ACCESS_EXPRESSION = String.raw`^(?<clientip>\S+) (?<ident>\S+) (?<auth>\S+) \[(?<timestamp>[^\]]+)\] "(?<verb>[A-Z]+) (?<request>\S+) HTTP/(?<httpversion>[\d.]+)" (?<response>\d{3}) (?<bytes>\d+|-) "(?<referrer>[^"]*)" "(?<agent>[^"]*)"`
const COMBINED_LOG = '%{HTTPD_COMBINEDLOG}'
const syslogLine = (index: number) =>
  `<34>1 2031-03-09T08:15:30.250Z web-${index % 16} sshd ${index} ID47 [origin@32473 software="sshd" ip="192.0.2.7"] ${WORDS}`
const keyValueLine = (index: number) =>
  `level=info method=GET path=/doors/${index} host=web-${index % 16} status=200 bytes=${index} took=12ms user="ida b" request_id=5f2c${index} zone=eu-north-1 cache=hit retries=0`
const csvLine = (index: number) =>
  `${index},2031-03-09T08:15:30Z,GET,/doors/${index},200,"Mozilla/5.0, X11",web-${index % 16},orders,eu-north-1,hit,12.5,"${WORDS.slice(0, 60)}"`
const jsonLine = (index: number) =>
  JSON.stringify({ method: 'GET', path: `/doors/${index}`, ok: true, text: WORDS })

const REDACTED = ['credit_card', 'email_address', 'ipv4_address', 'phone_number', 'us_social_security_number']
const REDACT: JsonObject = { patterns: REDACTED.map(pattern => ({ pattern, action: 'replace' })) }

const SCRIPT = `function f(msg, meta) {
  if (msg.level == 'debug' || msg.text.startsWith('health')) { return null }
  msg.level = msg.level.toUpperCase()
  msg.slow = msg.duration > 400
  msg.seconds = msg.duration / 1000
  msg.empty = null
  msg.user.address = undefined
  meta.team = 'backend'
  msg.title = msg.app + ' on ' + msg.host + ': ' + msg.status.toString()
  return msg
}`

function parsing(
  title: string,
  parser: string,
  line: (index: number) => string,
  options?: JsonObject,
): ProcessorCase {
  const config = { field: '.line', target_field: '.parsed', parser, ...(options && { options }) }
  return { title, chain: [['parse', config]], messageOf: withLine(line), leaves: 1 }
}

const lineOf = (message: JsonValue) => (message as { line: string }).line

/** The expression of a pattern of grok as it would be written by hand: V8 matches it, and its groups are put into an object. */
function byHand(pattern: string): Floor {
  const labels: string[] = []
  const expression = new RegExp(expandedPattern(pattern, labels))
  return {
    name: 'the same expression by hand',
    textOf: lineOf,
    work: text => {
      const match = expression.exec(text)
      if (match === null) throw new Error(`the expression does not match ${text}`)
      const found: Record<string, string> = {}
      for (let group = 0; group < labels.length; group++) {
        const value = match[group + 1]
        if (value !== undefined) found[labels[group] as string] = value
      }
      return found
    },
  }
}

function alone(
  type: string,
  options: JsonObject,
  messageOf: (index: number) => JsonValue = order,
  leaves = 1,
): ProcessorCase {
  return { title: type, chain: [[type, options]], messageOf, leaves }
}

/** A decision on a trace is remembered for at most 15 minutes. */
const TRACES_END_MS = 16 * 60_000
const TUMBLING: JsonObject = { type: 'tumbling', interval: 60 }
const TAIL: JsonObject = {
  sample_type: 'tail',
  conditionals: [
    {
      rate: 1,
      conditional: { expressions: [{ field: '.status', str_operator: 'greater_or_equal', value: 500 }] },
    },
  ],
}

function encrypting(mode: string): ProcessorCase {
  const options = { field: '.text', algorithm: `AES-256-${mode}`, key: 'k'.repeat(32), iv_field: '.iv' }
  return { ...alone('encrypt-fields', options), title: `encrypt-fields, AES-256-${mode}` }
}

const ORDER_METRIC: JsonObject = {
  ...{ metric_name: 'order_ms', metric_kind: 'absolute', metric_type: 'gauge' },
  value: { value_type: 'field', value: '.duration' },
  namespace: { value_type: 'value', value: 'orders' },
  tags: [{ name: 'host', value_type: 'field', value: '.host' }],
}

const STATELESS: ProcessorCase['chain'] = [
  [
    'filter',
    {
      action: 'drop',
      conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] },
    },
  ],
  ['drop-fields', { fields: ['.app', '.user.address'] }],
  ['map-fields', { mappings: [{ source_field: '.host', target_field: '.machine', drop_source: true }] }],
  ['compact-fields', { fields: ['.tags'] }],
  ['flatten-fields', { fields: ['.user'] }],
  ['parse', { field: '.number', target_field: '.parsed', parser: 'parse_int' }],
  ['set-timestamp', { parsers: [{ field: '.at', options: { format: '%Y-%m-%dT%H:%M:%S%.fZ' } }] }],
  ['map-fields', { mappings: [{ source_field: '.status', target_field: '.http.status' }] }],
  ['drop-fields', { fields: ['.empty'] }],
  ['stringify', {}],
]

/** A row of the table each: a processor is added here. */
export const PROCESSOR_CASES: readonly ProcessorCase[] = [
  alone('map-fields', {
    mappings: [
      { source_field: '.host', target_field: '.machine.name', drop_source: true },
      { source_field: '.user.name', target_field: '.who' },
    ],
  }),
  alone('compact-fields', { fields: ['.tags', '.user'] }),
  alone('flatten-fields', { fields: ['.user'] }),
  {
    ...alone('unroll', { field: '.rows', values_only: false }, index => ({
      ...{ host: `web-${index % 16}`, app: 'orders', id: index },
      rows: Array.from({ length: 10 }, (_, row) => ({ row, part: `part-${row}` })),
    })),
    title: 'unroll of 10',
    leaves: 10,
  },
  alone('event-to-metric', ORDER_METRIC),
  alone('sample', { rate: 10 }, order, 0.1),
  alone('stringify', {}),
  {
    ...alone('dedupe', { fields: ['.user.name'], number_of_events: 5_000 }, index => ({
      ...order(index),
      user: { id: index, name: `user-${(index * 7_919) % 6_000}` },
    })),
    title: 'dedupe among 5,000 keys, none repeated within them',
  },
  alone('metrics-tag-cardinality-limit', { value_limit: 500, action: 'drop_event' }, metric),
  {
    ...parsing('parse_json', 'parse_json', jsonLine),
    floor: { name: 'JSON.parse of the line', textOf: lineOf, work: text => JSON.parse(text) },
  },
  parsing('parse_apache_log', 'parse_apache_log', accessLine, { format: 'combined' }),
  parsing('parse_syslog', 'parse_syslog', syslogLine),
  parsing('parse_key_value', 'parse_key_value', keyValueLine),
  parsing('parse_csv', 'parse_csv', csvLine),
  parsing('parse_regex of the combined log', 'parse_regex', accessLine, { pattern: ACCESS_EXPRESSION }),
  {
    ...parsing('parse_grok, HTTPD_COMBINEDLOG', 'parse_grok', accessLine, { pattern: COMBINED_LOG }),
    floor: byHand(COMBINED_LOG),
  },
  { ...alone('redact', REDACT), title: 'redact, five patterns, nothing found' },
  {
    ...alone('redact', REDACT, index => ({
      ...order(index),
      text: `ida-${index}@fjord.example wrote from 192.0.2.${index % 256} to the courier at the northern door`,
    })),
    title: 'redact, five patterns, two found',
  },
  encrypting('CBC-PKCS7'),
  encrypting('CTR'),
  {
    ...alone('aggregate', { window: TUMBLING, evaluate: { operation: 'SUM' } }, counter, 0),
    title: 'aggregate, 1,000 groups',
  },
  {
    ...alone('trace-sampling', { sample_type: 'head', rate: 10 }, span, 0.1),
    title: 'trace-sampling, head',
    pauseMs: TRACES_END_MS,
  },
  {
    ...alone('trace-sampling', TAIL, span, 1 / 3),
    title: 'trace-sampling, tail, seven of ten spans are held',
    pauseMs: TRACES_END_MS,
  },
  { ...alone('js-script', { script: SCRIPT }), title: 'js-script of ten statements' },
  { title: 'ten processors without state', chain: STATELESS, messageOf: order, leaves: 1 },
]
