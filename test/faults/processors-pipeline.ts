import type { RunningWeir } from '../support/running-weir.ts'
import type { ThrottleRule } from './plain-throttle.ts'
import type { ShippedPipeline } from './shipped-pipeline.ts'

/** Text that is redacted, and the text in its place. */
export const REDACTED = { text: '17 ms', replacement: '[time]' } as const
export const SECRET_KEY = 'sixteen byte key'
export const REMEMBERED_KEYS = 100
export const SAMPLE_RATE = 3
/** Rate of traces whose first line may be left out. */
export const TRACE_RATE = 2
export const REQUESTS_PER_TRACE = 3
export const WINDOW_S = 1
/** Ends the hosts of the lines that the aggregate makes. */
export const SUMS = '-sums'

/** The text begins with connection, request and place. */
const LINE_PATTERN = '^(?:\\{"id":")?(?<connection>c\\d+)/(?<number>\\d+)/(?<place>\\d+)'

/**
 * Computes the keys of the nodes behind it. None of them leaves out a line of the level `kept`: its key has the log time, which
 * differs where a request without a key is on the log twice.
 */
const MARK = `function mark(msg) {
  let app = 'none'
  if (msg.bucket) { app = msg.bucket }
  const name = msg.parsed.connection + '/' + msg.parsed.number + '/' + msg.parsed.place
  let key = app + '/' + msg.parsed.place
  const group = parseInt(parseInt(msg.parsed.number) / ${REQUESTS_PER_TRACE})
  let trace = app + '/' + msg.parsed.connection + '/' + group.toString()
  if (msg.level === 'kept') {
    key = name + ' ' + Date.now().toString()
    trace = 'kept'
  }
  const marks = { key: key, trace: trace, secret: name, count: 1 }
  if (msg.meta) { marks.was = msg.meta }
  msg.meta = marks
  msg.parsed = null
  msg.bucket = null
  return msg
}`

const COUNT = 'function count(sum, line) { sum.meta.count = sum.meta.count + line.meta.count; return sum }'

const KEPT = { field: '.level', str_operator: 'equal', value: 'kept' }

/**
 * Ten processors. The chain is parse, redact, map-fields, js-script, encrypt-fields, dedupe, sample, trace-sampling, throttle,
 * then the own store. Behind the script an aggregate counts the lines of each host and app in windows of log time.
 */
export class ProcessorsPipeline implements ShippedPipeline {
  readonly #weir: RunningWeir
  #path: string | undefined
  #beforeThrottle = ''
  entrance = ''
  throttle = ''
  #published: ThrottleRule | undefined

  constructor(weir: RunningWeir) {
    this.#weir = weir
  }

  async publish(rule: ThrottleRule): Promise<void> {
    // The dice sometimes give the same rule twice, and an unchanged pipeline cannot be published.
    if (rule.limit === this.#published?.limit) return
    if (this.#path === undefined) this.#path = await this.#create(rule)
    else {
      const node = { ...this.#throttleNode(rule), title: `at most ${rule.limit}` }
      await this.#weir.send('PUT', `${this.#path}/transform/${this.throttle}`, node)
    }
    await this.#weir.send('POST', `${this.#path}/publish`, {})
    this.#published = rule
  }

  /** @returns path of the new pipeline */
  async #create(rule: ThrottleRule): Promise<string> {
    const path = `/v3/pipeline/${await this.#add('/v3/pipeline', { title: 'ten processors' })}`
    const step = (type: string, input: string, options: object) =>
      this.#add(`${path}/transform`, { type, inputs: [input], user_config: options })
    const source = await this.#add(`${path}/source`, { type: 'log-analysis-ingestion' })
    this.entrance = await step('parse', source, {
      field: '.line',
      target_field: '.parsed',
      parser: 'parse_regex',
      options: { pattern: LINE_PATTERN },
    })
    const { text: expression, replacement } = REDACTED
    const redact = await step('redact', this.entrance, {
      field: '.line',
      patterns: [{ pattern: 'custom', expression, action: 'replace', replacement }],
    })
    const mappings = [{ source_field: '.app', target_field: '.bucket' }]
    const mapped = await step('map-fields', redact, { mappings })
    const marked = await step('js-script', mapped, { script: MARK })
    const encrypted = await step('encrypt-fields', marked, {
      field: '.meta.secret',
      iv_field: '.meta.iv',
      algorithm: 'AES-128-CFB',
      key: SECRET_KEY,
    })
    const distinct = await step('dedupe', encrypted, {
      fields: ['.meta.key'],
      number_of_events: REMEMBERED_KEYS,
    })
    const sampled = await step('sample', distinct, { rate: SAMPLE_RATE, always_include: KEPT })
    this.#beforeThrottle = await step('trace-sampling', sampled, {
      sample_type: 'tail',
      trace_id_field: '.meta.trace',
      conditionals: [
        { conditional: { expressions: [KEPT] }, rate: 1 },
        { conditional: { expressions: [{ field: '.line', str_operator: 'exists' }] }, rate: TRACE_RATE },
      ],
    })
    this.throttle = await this.#add(`${path}/transform`, this.#throttleNode(rule))
    await this.#add(`${path}/sink`, { type: 'mezmo', inputs: [this.throttle], user_config: {} })
    const sums = await step('aggregate', marked, {
      window: { type: 'tumbling', interval: WINDOW_S },
      evaluate: { operation: 'CUSTOM', script: COUNT },
      group_by: ['.host', '.app'],
      event_timestamp: '.none',
    })
    await this.#add(`${path}/sink`, {
      type: 'mezmo',
      inputs: [sums],
      user_config: {
        query: { hostname: `{{ .host }}${SUMS}` },
        message: {
          scheme: 'Explicit field selection',
          line: '{{ metadata.aggregate.start_timestamp }} {{ metadata.aggregate.event_count }} {{ .meta.count }}',
        },
      },
    })
    return path
  }

  #throttleNode({ limit, windowMs }: ThrottleRule) {
    return {
      type: 'throttle',
      inputs: [this.#beforeThrottle],
      user_config: {
        threshold: limit,
        window_ms: windowMs,
        key_field: '.app',
        exclude: { expressions: [KEPT] },
      },
    }
  }

  async #add(path: string, body: object): Promise<string> {
    return (await this.#weir.send<{ data: { id: string } }>('POST', path, body)).data.id
  }
}
