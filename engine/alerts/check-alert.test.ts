import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { AlertDocument, NodeDocument } from '../../schemas/pipeline.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { checkAlert } from './check-alert.ts'

const PIPELINE = 'a0000000-0000-4000-8000-000000000000'
const SOURCE: NodeDocument = {
  id: 'b0000000-0000-4000-8000-000000000000',
  kind: 'source',
  type: 'log-analysis-ingestion',
  title: null,
  user_config: {},
  inputs: [],
}
const ROUTE: NodeDocument = {
  ...SOURCE,
  id: 'c0000000-0000-4000-8000-000000000000',
  kind: 'transform',
  type: 'route',
  user_config: { conditionals: [{ label: 'hot', _output_name: 'aaaaaaaa' }] },
}

const leaf = (operator: string, value: JsonValue = 5) => ({
  expressions: [{ field: '.value.value', str_operator: operator, value }],
})
const storedLeaf = (operator: string) => ({
  expressions: [{ field: '.value.value', str_operator: operator, value: 5, negate: false }],
  logical_operation: 'AND',
})

const THRESHOLD = {
  alert_type: 'threshold',
  event_type: 'metric',
  operation: 'SUM',
  conditional: leaf('greater'),
}
const CHANGE = { ...THRESHOLD, alert_type: 'change', conditional: leaf('percent_change_greater') }
const ABSENCE = { alert_type: 'absence', event_type: 'metric' }
const LOG = {
  ...THRESHOLD,
  event_type: 'log',
  operation: 'CUSTOM',
  script: 'function count (accumulator) { accumulator.count += 1; return accumulator }',
}
const SLACK = { name: 'slack', uri: 'https://hooks.example/x', message_text: '{{ .name }} is high' }
const WEBHOOK = { ...SLACK, name: 'webhook' }
const PAGER_DUTY = {
  name: 'pager_duty',
  uri: 'https://events.example/v2/enqueue',
  summary: 'Ovens',
  severity: 'CRITICAL',
  source: '{{ metadata.host }}',
  routing_key: 'abc',
  event_action: 'trigger',
}
const LOG_ANALYSIS = {
  name: 'log_analysis',
  severity: 'WARNING',
  subject: 'Ovens',
  body: '{{ .value.value }} is too hot',
  ingestion_key: 'key',
}
const DEFAULTS = { window_type: 'tumbling', window_duration_minutes: 5 }
const THROTTLING = { window_secs: 60, threshold: 1 }

interface Parts {
  readonly general?: JsonValue
  readonly evaluation?: JsonValue
  readonly service?: JsonValue
  readonly throttling?: JsonValue
}

const config = ({
  general = { name: 'ovens' },
  evaluation = THRESHOLD,
  service = SLACK,
  ...rest
}: Parts) => ({
  general,
  evaluation,
  alert_payload: { service, ...rest },
})
const alert = (parts: Parts = {}, members: JsonObject = {}): JsonObject => ({
  component_kind: 'source',
  inputs: [SOURCE.id],
  alert_config: config(parts),
  ...members,
})

const check = (sent: JsonValue | undefined, node = SOURCE, previous?: AlertDocument) =>
  checkAlert(sent, { catalogue: CATALOGUE, pipelineId: PIPELINE, node, previous })

function stored(sent: JsonValue, node = SOURCE): Omit<AlertDocument, 'id'> {
  const checked = check(sent, node)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  return checked.stored
}

function findings(sent: JsonValue | undefined, node = SOURCE, previous?: AlertDocument): string[] {
  const checked = check(sent, node, previous)
  return 'problems' in checked
    ? checked.problems.map(({ instancePath, message }) => `${instancePath} ${message}`)
    : []
}

const EVALUATION = '/alert_config/evaluation'
const SERVICE = '/alert_config/alert_payload/service'

describe('the stored form is the sent one with the listed defaults', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['threshold', THRESHOLD, { ...THRESHOLD, ...DEFAULTS, conditional: storedLeaf('greater') }],
    ['change', CHANGE, { ...CHANGE, ...DEFAULTS, conditional: storedLeaf('percent_change_greater') }],
    ['absence', ABSENCE, { ...ABSENCE, ...DEFAULTS }],
    [
      'everything of a threshold on logs',
      {
        ...LOG,
        window_type: 'sliding',
        window_duration_minutes: 1440,
        group_by: ['.b', 'metadata.host', '.a'],
        event_timestamp: '.at',
        conditional: { ...storedLeaf('exists'), logical_operation: 'OR' },
      },
      {
        ...LOG,
        window_type: 'sliding',
        window_duration_minutes: 1440,
        group_by: ['.b', 'metadata.host', '.a'],
        event_timestamp: '.at',
        conditional: { ...storedLeaf('exists'), logical_operation: 'OR' },
      },
    ],
    [
      'a list of groups that is empty',
      { ...ABSENCE, group_by: [] },
      { ...ABSENCE, ...DEFAULTS, group_by: [] },
    ],
  ])('%s', (_name, sent, expected) => {
    const body = alert({ evaluation: sent })
    const before = structuredClone(body)
    expect(stored(body)).toEqual({
      component_kind: 'source',
      component_id: SOURCE.id,
      inputs: [SOURCE.id],
      active: true,
      alert_config: {
        general: { name: 'ovens' },
        evaluation: expected,
        alert_payload: { service: SLACK, throttling: THROTTLING },
      },
    })
    expect(body, 'what was sent is not touched').toEqual(before)
  })

  test.each<[string, JsonObject]>([
    ['slack', SLACK],
    ['a webhook, whose method stays absent', WEBHOOK],
    ['pager_duty', PAGER_DUTY],
    ['log_analysis', LOG_ANALYSIS],
    [
      'a message that is JSON',
      { ...WEBHOOK, message_text: '{"oven":"{{.tags.oven}}","deep":{"a":{"b":1}}}' },
    ],
    ['a webhook with headers', { ...WEBHOOK, headers: [{ header_name: 'x', header_value: '{{ .a }}' }] }],
    ['a webhook with no headers', { ...WEBHOOK, headers: [] }],
    ['a webhook with a method', { ...WEBHOOK, method: 'put' }],
    ['auth none', { ...WEBHOOK, auth: { strategy: 'none' } }],
    [
      'auth none, all members sent',
      { ...WEBHOOK, auth: { strategy: 'none', user: '', password: '', token: '' } },
    ],
    ['auth basic', { ...WEBHOOK, auth: { strategy: 'basic', user: 'u', password: '{{' } }],
    [
      'auth basic, all members sent',
      { ...WEBHOOK, auth: { strategy: 'basic', user: 'u', password: 'p', token: '' } },
    ],
    ['auth bearer', { ...WEBHOOK, auth: { strategy: 'bearer', token: 't' } }],
  ])('%s', (_name, service) => {
    expect(stored(alert({ service })).alert_config.alert_payload).toEqual({ service, throttling: THROTTLING })
  })

  test.each<[string, JsonObject, JsonObject]>([
    ['{}', {}, THROTTLING],
    ['both 0', { window_secs: 0, threshold: 0 }, THROTTLING],
    ['one 0', { window_secs: 300, threshold: 0 }, { window_secs: 300, threshold: 1 }],
    ['the other 0', { window_secs: 0, threshold: 7 }, { window_secs: 60, threshold: 7 }],
    ['one of them', { threshold: 7 }, { window_secs: 60, threshold: 7 }],
    ['both', { window_secs: 1, threshold: 1 }, { window_secs: 1, threshold: 1 }],
  ])('throttling %s is stored with both members', (_name, throttling, expected) => {
    expect(stored(alert({ throttling })).alert_config).toMatchObject({
      alert_payload: { throttling: expected },
    })
  })

  test('a description that is empty stays, and so does an alert that is switched off', () => {
    const general = { name: 'x'.repeat(200), description: '' }
    expect(stored(alert({ general }, { active: false }))).toMatchObject({
      active: false,
      alert_config: { general },
    })
    expect(findings(alert({ general: { name: 'n', description: 'x'.repeat(1024) } }))).toEqual([])
  })

  test('the stored form can be sent back and changes nothing', () => {
    for (const parts of [
      {},
      { evaluation: LOG, service: PAGER_DUTY },
      { evaluation: ABSENCE, service: WEBHOOK },
    ]) {
      const once = stored(alert(parts))
      expect(
        stored({ ...once, id: 'i', pipeline_id: PIPELINE, account_id: 'a' } as unknown as JsonObject),
      ).toEqual(once)
    }
  })

  test('read-only members are ignored, even empty ones', () => {
    const readOnly = {
      id: '',
      account_id: 5,
      component_id: '',
      pipeline_id: '',
      consumer_id: '',
      surplus: {},
    }
    expect(stored(alert({}, readOnly))).toEqual(stored(alert()))
    expect(findings(alert({}, { component_id: null, pipeline_id: null }))).toEqual([])
  })

  test('inputs are kept in their order', () => {
    const inputs = [`${ROUTE.id}.aaaaaaaa`, `${ROUTE.id}._unmatched`]
    expect(stored(alert({}, { component_kind: 'transform', inputs }), ROUTE)).toMatchObject({
      component_kind: 'transform',
      component_id: ROUTE.id,
      inputs,
    })
  })
})

describe('the place of the alert', () => {
  test.each<[string, JsonObject, string[], NodeDocument?]>([
    ['another pipeline', { pipeline_id: ROUTE.id }, ['/pipeline_id must be the pipeline of the path']],
    ['another node', { component_id: ROUTE.id }, ['/component_id must be the node of the path']],
    ['a number as node', { component_id: 5 }, ['/component_id must be the node of the path']],
    ['another kind', { component_kind: 'transform' }, ['/component_kind must be "source", as in the path']],
    ['no inputs', { inputs: [] }, ['/inputs must NOT have fewer than 1 items']],
    ['an input twice', { inputs: [SOURCE.id, SOURCE.id] }, ['/inputs/1 must NOT have duplicate items']],
    [
      'an input of another node',
      { inputs: [ROUTE.id] },
      ['/inputs/0 must be an output of the node of the path'],
    ],
    [
      'an output that the node does not have',
      { component_kind: 'transform', inputs: [ROUTE.id, `${ROUTE.id}.bbbbbbbb`, `${ROUTE.id}._unmatched`] },
      [
        '/inputs/0 must be an output of the node of the path',
        '/inputs/1 must be an output of the node of the path',
      ],
      ROUTE,
    ],
    ['a number as input', { inputs: [5] }, ['/inputs/0 must be string']],
    ['a text as inputs', { inputs: SOURCE.id }, ['/inputs must be array']],
    ['null as inputs', { inputs: null }, ['/inputs must be array']],
    ['null as active', { active: null }, ['/active must be boolean']],
    ['a text as active', { active: 'true' }, ['/active must be boolean']],
  ])('%s is refused', (_name, members, expected, node) => {
    expect(findings(alert({}, members), node)).toEqual(expected)
  })

  test('a destination has no alerts', () => {
    expect(findings(alert({}, { component_kind: 'sink' }))).toContain(
      '/component_kind must be equal to one of the allowed values: source, transform',
    )
  })

  test('all missing required members are named at once', () => {
    expect(findings({})).toEqual([
      " must have required property 'component_kind'",
      " must have required property 'inputs'",
      " must have required property 'alert_config'",
    ])
    expect(findings(alert({}, { alert_config: {} }))).toEqual([
      "/alert_config must have required property 'general'",
      "/alert_config must have required property 'evaluation'",
      "/alert_config must have required property 'alert_payload'",
    ])
    expect(findings(alert({ general: {}, evaluation: {}, service: {} }))).toEqual([
      "/alert_config/general must have required property 'name'",
      `${EVALUATION} must have required property 'alert_type'`,
      `${EVALUATION} must have required property 'event_type'`,
      `${SERVICE} must have required property 'name'`,
    ])
  })

  test.each<[JsonValue | undefined]>([[undefined], [null], [[]], [5], ['x']])('%j is not an alert', sent => {
    expect(findings(sent)).toEqual([' must be object'])
  })

  test('the type of an alert does not change', () => {
    const previous = { id: 'i', ...stored(alert()) }
    expect(findings(alert({ evaluation: CHANGE }), SOURCE, previous)).toEqual([
      `${EVALUATION}/alert_type must stay "threshold": the type of an alert does not change`,
    ])
    expect(findings(alert({ evaluation: LOG }), SOURCE, previous)).toEqual([])
  })
})

describe('the evaluation', () => {
  const without = (evaluation: JsonObject, member: string) => {
    const { [member]: _, ...others } = evaluation
    return others
  }

  test.each<[string, JsonObject, string[]]>([
    [
      'another type',
      { ...THRESHOLD, alert_type: 'x' },
      ['/alert_type must be equal to one of the allowed values: threshold, change, absence'],
    ],
    [
      'other events',
      { ...THRESHOLD, event_type: 'trace' },
      ['/event_type must be equal to one of the allowed values: log, metric'],
    ],
    [
      'another operation',
      { ...THRESHOLD, operation: 'MEDIAN' },
      [
        '/operation must be equal to one of the allowed values: DEFAULT, SUM, MIN, MAX, AVG, SET_INTERSECTION, DIST_CONCAT, CUSTOM',
      ],
    ],
    [
      'a threshold without operation',
      without(THRESHOLD, 'operation'),
      [" must have required property 'operation'"],
    ],
    [
      'a change without operation',
      without(CHANGE, 'operation'),
      [" must have required property 'operation'"],
    ],
    [
      'a threshold without condition',
      without(THRESHOLD, 'conditional'),
      [" must have required property 'conditional'"],
    ],
    [
      'a change without condition',
      without(CHANGE, 'conditional'),
      [" must have required property 'conditional'"],
    ],
    [
      'logs that are added up',
      { ...THRESHOLD, event_type: 'log' },
      ['/operation must be "CUSTOM" when event_type is "log"'],
    ],
    ['CUSTOM without script', without(LOG, 'script'), [" must have required property 'script'"]],
    [
      'a script with SUM',
      { ...LOG, event_type: 'metric', operation: 'SUM' },
      ['/script must NOT be sent when operation is not "CUSTOM"'],
    ],
    ['an empty script', { ...LOG, script: '' }, ['/script must NOT have fewer than 1 characters']],
    [
      'a script of 5001 characters',
      { ...LOG, script: '('.repeat(5001) },
      ['/script must NOT have more than 5000 characters'],
    ],
    [
      'a script that does not compile',
      { ...LOG, script: 'function f () {' },
      ['/script script is not valid JavaScript: Unexpected end of input (line 1, column 16)'],
    ],
    [
      'an absence with what it has none of',
      { ...LOG, alert_type: 'absence' },
      [
        '/operation must NOT be sent for an absence alert',
        '/script must NOT be sent for an absence alert',
        '/conditional must NOT be sent for an absence alert',
      ],
    ],
    [
      'a threshold on a change',
      { ...THRESHOLD, conditional: leaf('value_change_less') },
      ['/conditional/expressions/0/str_operator must be equal to one of the allowed values'],
    ],
    [
      'a change that compares with a value',
      { ...CHANGE, conditional: leaf('greater') },
      ['/conditional/expressions/0/str_operator must be equal to one of the allowed values'],
    ],
    [
      'a text to compare with',
      { ...THRESHOLD, conditional: leaf('greater', 'many') },
      ['/conditional/expressions/0/value Value must be a number'],
    ],
    ['a condition that is null', { ...THRESHOLD, conditional: null }, ['/conditional must be object']],
    [
      'a condition without expressions',
      { ...CHANGE, conditional: {} },
      ["/conditional must have required property 'expressions'"],
    ],
    [
      'another window',
      { ...ABSENCE, window_type: 'x' },
      ['/window_type must be equal to one of the allowed values: tumbling, sliding'],
    ],
    ['a window of 0', { ...ABSENCE, window_duration_minutes: 0 }, ['/window_duration_minutes must be >= 1']],
    [
      'a window of 1441',
      { ...ABSENCE, window_duration_minutes: 1441 },
      ['/window_duration_minutes must be <= 1440'],
    ],
    [
      'half a minute',
      { ...ABSENCE, window_duration_minutes: 1.5 },
      ['/window_duration_minutes must be integer'],
    ],
    [
      'a text as window',
      { ...ABSENCE, window_duration_minutes: '5' },
      ['/window_duration_minutes must be integer'],
    ],
    [
      '51 groups',
      { ...ABSENCE, group_by: Array.from({ length: 51 }, (_, i) => `.g${i}`) },
      ['/group_by must NOT have more than 50 items'],
    ],
    [
      'a group twice',
      { ...ABSENCE, group_by: ['.a', '.a'] },
      ['/group_by must NOT have duplicate items (items ## 1 and 0 are identical)'],
    ],
    [
      'a group that is not a path',
      { ...ABSENCE, group_by: ['.a', 'a b'] },
      ['/group_by/1 Must be a valid data access syntax'],
    ],
    [
      'a group that is empty',
      { ...ABSENCE, group_by: [''] },
      ['/group_by/0 Must be a valid data access syntax'],
    ],
    [
      'a group of 101 characters',
      { ...ABSENCE, group_by: [`.${'a'.repeat(100)}`] },
      ['/group_by/0 must NOT have more than 100 characters'],
    ],
    ['groups that are null', { ...ABSENCE, group_by: null }, ['/group_by must be array']],
    [
      'the time of metrics',
      { ...THRESHOLD, event_timestamp: '.at' },
      ['/event_timestamp must NOT be sent when event_type is "metric"'],
    ],
    [
      'a time that is not a path',
      { ...LOG, event_timestamp: '10' },
      ['/event_timestamp Must be a valid data access syntax'],
    ],
    [
      'a time of 101 characters',
      { ...LOG, event_timestamp: `.${'a'.repeat(100)}` },
      ['/event_timestamp must NOT have more than 100 characters'],
    ],
    ['a member nobody knows', { ...ABSENCE, x: 1 }, [" must NOT have additional properties: 'x'"]],
  ])('%s is refused', (_name, evaluation, expected) => {
    expect(findings(alert({ evaluation }))).toEqual(expected.map(finding => `${EVALUATION}${finding}`))
  })

  test.each<[string, JsonObject]>([
    ['a script of 5000 characters', { ...LOG, script: `function f () {}${' '.repeat(4984)}` }],
    ['a script for metrics', { ...LOG, event_type: 'metric' }],
    ['absence of logs', { ...ABSENCE, event_type: 'log', event_timestamp: `.${'a'.repeat(99)}` }],
    ['a window of 1', { ...ABSENCE, window_duration_minutes: 1 }],
    ['50 groups', { ...ABSENCE, group_by: Array.from({ length: 50 }, (_, i) => `.g${i}`) }],
    ['a group of 100 characters', { ...ABSENCE, group_by: [`.${'a'.repeat(99)}`] }],
    ['a change of a change', { ...CHANGE, conditional: leaf('value_change_less_or_equal') }],
  ])('%s is fine', (_name, evaluation) => {
    expect(findings(alert({ evaluation }))).toEqual([])
  })

  test.each(['DEFAULT', 'SUM', 'MIN', 'MAX', 'AVG', 'SET_INTERSECTION', 'DIST_CONCAT'])(
    '%s is an operation',
    operation => {
      expect(findings(alert({ evaluation: { ...THRESHOLD, operation } }))).toEqual([])
    },
  )
})

describe('the payload', () => {
  const services = { slack: SLACK, webhook: WEBHOOK, pager_duty: PAGER_DUTY, log_analysis: LOG_ANALYSIS }

  test.each(Object.entries(services))('%s has its members and no others', (name, service) => {
    for (const member of Object.keys(service).filter(each => each !== 'name')) {
      const { [member]: _, ...others } = service as JsonObject
      expect(findings(alert({ service: others }))).toEqual([
        `${SERVICE} must have required property '${member}'`,
      ])
      expect(findings(alert({ service: { ...service, [member]: null } })).length).toBeGreaterThan(0)
      expect(findings(alert({ service: { ...service, [member]: '' } })).length).toBeGreaterThan(0)
    }
    const all: JsonObject = {
      ...Object.assign({}, ...Object.values(services)),
      method: 'post',
      headers: [],
      auth: { strategy: 'none' },
    }
    const own = [...Object.keys(service), ...(name === 'webhook' ? ['method', 'headers', 'auth'] : [])]
    for (const [member, value] of Object.entries(all).filter(([each]) => !own.includes(each)))
      expect(findings(alert({ service: { ...service, [member]: value } }))).toEqual([
        `${SERVICE}/${member} must NOT be sent when name is "${name}"`,
      ])
    expect(findings(alert({ service: { ...service, x: '' } }))).toEqual([
      `${SERVICE} must NOT have additional properties: 'x'`,
    ])
  })

  test.each<[string, JsonObject, string[]]>([
    [
      'another service',
      { ...SLACK, name: 'toString' },
      ['/name must be equal to one of the allowed values: slack, webhook, pager_duty, log_analysis'],
    ],
    [
      'another severity',
      { ...PAGER_DUTY, severity: 'info' },
      [
        '/severity must be equal to one of the allowed values: INFO, WARNING, ERROR, CRITICAL; did you mean "INFO"?',
      ],
    ],
    ['a number as text', { ...SLACK, message_text: 5 }, ['/message_text must be string']],
    [
      'an open template',
      { ...SLACK, message_text: '{{ .a' },
      ['/message_text must be a valid template: "{{" without a matching "}}"'],
    ],
    [
      'a template without a path',
      { ...LOG_ANALYSIS, subject: '{{ a b }}' },
      ['/subject Must be a valid data access syntax: "a b"'],
    ],
    [
      'a method in capitals',
      { ...WEBHOOK, method: 'POST' },
      [
        '/method must be equal to one of the allowed values: post, put, patch, delete, get, head, options, trace; did you mean "post"?',
      ],
    ],
    [
      'a method that is null',
      { ...WEBHOOK, method: null },
      [
        '/method must be equal to one of the allowed values: post, put, patch, delete, get, head, options, trace',
      ],
    ],
    ['headers that are null', { ...WEBHOOK, headers: null }, ['/headers must be array']],
    [
      'bad headers',
      {
        ...WEBHOOK,
        headers: [
          { header_name: '' },
          5,
          { header_name: 'a', header_value: '{{' },
          { header_name: 'a', header_value: 'b', x: 1 },
        ],
      },
      [
        "/headers/0 must have required property 'header_value'",
        '/headers/0/header_name must NOT have fewer than 1 characters',
        '/headers/1 must be object',
        "/headers/3 must NOT have additional properties: 'x'",
        '/headers/2/header_value must be a valid template: "{{" without a matching "}}"',
      ],
    ],
    ['auth without strategy', { ...WEBHOOK, auth: {} }, ["/auth must have required property 'strategy'"]],
    ['auth that is null', { ...WEBHOOK, auth: null }, ['/auth must be object']],
    [
      'auth of a kind of its own',
      { ...WEBHOOK, auth: { strategy: 'constructor' } },
      ['/auth/strategy must be equal to one of the allowed values: none, basic, bearer'],
    ],
    [
      'auth of something that cannot be a text',
      { ...WEBHOOK, auth: { strategy: { toString: 5 } } },
      ['/auth/strategy must be equal to one of the allowed values: none, basic, bearer'],
    ],
    [
      'auth with more',
      { ...WEBHOOK, auth: { strategy: 'none', x: '' } },
      ["/auth must NOT have additional properties: 'x'"],
    ],
    [
      'basic without both',
      { ...WEBHOOK, auth: { strategy: 'basic' } },
      ["/auth must have required property 'user'", "/auth must have required property 'password'"],
    ],
    [
      'basic, empty',
      { ...WEBHOOK, auth: { strategy: 'basic', user: '', password: '' } },
      [
        '/auth/user must NOT have fewer than 1 characters',
        '/auth/password must NOT have fewer than 1 characters',
      ],
    ],
    [
      'basic with a token',
      { ...WEBHOOK, auth: { strategy: 'basic', user: 'u', password: 'p', token: 't' } },
      ['/auth/token must NOT be sent when strategy is "basic"'],
    ],
    [
      'bearer without a token',
      { ...WEBHOOK, auth: { strategy: 'bearer', user: '' } },
      ["/auth must have required property 'token'"],
    ],
    [
      'bearer, empty',
      { ...WEBHOOK, auth: { strategy: 'bearer', token: '' } },
      ['/auth/token must NOT have fewer than 1 characters'],
    ],
    [
      'bearer, null',
      { ...WEBHOOK, auth: { strategy: 'bearer', token: null } },
      ['/auth/token must be string'],
    ],
    [
      'none with a password',
      { ...WEBHOOK, auth: { strategy: 'none', password: 'p' } },
      ['/auth/password must NOT be sent when strategy is "none"'],
    ],
  ])('%s is refused', (_name, service, expected) => {
    expect(findings(alert({ service }))).toEqual(expected.map(finding => `${SERVICE}${finding}`))
  })

  const THROTTLED = '/alert_config/alert_payload/throttling'
  test.each<[string, JsonValue, string[]]>([
    ['null', null, [' must be object']],
    ['a window below 0', { window_secs: -1 }, ['/window_secs must be >= 0']],
    ['half a notice', { threshold: 0.5 }, ['/threshold must be integer']],
    ['a text', { threshold: '1' }, ['/threshold must be integer']],
    ['a member nobody knows', { x: 1 }, [" must NOT have additional properties: 'x'"]],
  ])('throttling: %s is refused', (_name, throttling, expected) => {
    expect(findings(alert({ throttling }))).toEqual(expected.map(finding => `${THROTTLED}${finding}`))
  })

  test.each<[string, JsonValue, string[]]>([
    ['no name', {}, [" must have required property 'name'"]],
    ['an empty name', { name: '' }, ['/name must NOT have fewer than 1 characters']],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, ['/name must NOT have more than 200 characters']],
    [
      'a description of 1025 characters',
      { name: 'n', description: 'x'.repeat(1025) },
      ['/description must NOT have more than 1024 characters'],
    ],
    ['a description that is null', { name: 'n', description: null }, ['/description must be string']],
    ['a member nobody knows', { name: 'n', x: 1 }, [" must NOT have additional properties: 'x'"]],
  ])('general: %s is refused', (_name, general, expected) => {
    expect(findings(alert({ general }))).toEqual(expected.map(finding => `/alert_config/general${finding}`))
  })
})

test('findings of all parts are reported together', () => {
  const sent = alert(
    {
      general: { name: '' },
      evaluation: { ...LOG, script: '(', window_duration_minutes: 0 },
      service: { ...SLACK, method: 'post' },
      throttling: null,
    },
    { inputs: [ROUTE.id], component_id: ROUTE.id },
  )
  const pointers = findings(sent).map(finding => finding.split(' ')[0])
  expect(pointers.toSorted()).toEqual([
    '/alert_config/alert_payload/service/method',
    '/alert_config/alert_payload/throttling',
    '/alert_config/evaluation/script',
    '/alert_config/evaluation/window_duration_minutes',
    '/alert_config/general/name',
    '/component_id',
    '/inputs/0',
  ])
})
