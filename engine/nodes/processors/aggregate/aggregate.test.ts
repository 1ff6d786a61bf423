import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../schemas/json.ts'
import { runProblemsOf } from '../../../../test/support/run-problems.ts'
import { transformOptions } from '../../../../test/support/transform-options.ts'
import { Event } from '../../../event/event.ts'
import type { Gathered } from '../../../event/outcome.ts'
import { SUSPENDED, UNMETERED } from '../../../expressions/cost-meter.ts'
import { aggregate } from './aggregate.ts'

const { problems, stored } = transformOptions('aggregate')
const window = { type: 'tumbling', interval: 3600 }
const evaluate = { operation: 'SUM' }
const SCRIPT = 'function process(event, metadata) { event.foo = "bar"; return event }'
const leaf = (str_operator: string, value: JsonObject[string]) => ({
  expressions: [{ field: '.value.value', str_operator, value }],
})

test.each<[string, JsonObject]>([
  ["/window must have required property 'interval'", { window: { type: 'sliding' } }],
  [
    '/window/type must be equal to one of the allowed values: tumbling, sliding',
    { window: { ...window, type: 'hopping' } },
  ],
  ['/window/interval must be >= 1', { window: { ...window, interval: 0 } }],
  ['/window/interval must be <= 90000', { window: { ...window, interval: 90_001 } }],
  ['/window/interval must be <= 90000', { window: { ...window, interval: 305_325_235_325 } }],
  ['/window/interval must be integer', { window: { ...window, interval: '60' } }],
  ['/window/window_min must be >= 0', { window: { ...window, window_min: -1 } }],
  ["/window must NOT have additional properties: 'x'", { window: { ...window, x: 1 } }],
  ['/window must be object', { window: 60 }],
  ["/evaluate must have required property 'operation'", { evaluate: {} }],
  [
    '/evaluate/operation must be equal to one of the allowed values: DEFAULT, SUM, MIN, MAX, AVG, SET_INTERSECTION, DIST_CONCAT, CUSTOM; did you mean "SUM"?',
    { evaluate: { operation: 'sum' } },
  ],
  ["/evaluate must have required property 'script'", { evaluate: { operation: 'CUSTOM' } }],
  [
    '/evaluate/script must NOT be sent unless operation is CUSTOM',
    { evaluate: { operation: 'SUM', script: SCRIPT } },
  ],
  [
    '/evaluate/script must NOT have fewer than 1 characters',
    { evaluate: { operation: 'CUSTOM', script: '' } },
  ],
  [
    '/evaluate/script must NOT have more than 5000 characters',
    { evaluate: { operation: 'CUSTOM', script: SCRIPT + ' '.repeat(5001 - SCRIPT.length) } },
  ],
  [
    "/evaluate/script script is not valid JavaScript: Unexpected identifier 'a' (line 1, column 5)",
    { evaluate: { operation: 'CUSTOM', script: 'not a script' } },
  ],
  ['/group_by/1 Must be a valid data access syntax', { group_by: ['.name', 'name'] }],
  ['/event_timestamp Must be a valid data access syntax', { event_timestamp: 'time' }],
  ['/event_timestamp Must be a valid data access syntax', { event_timestamp: '' }],
  ['/event_timestamp must NOT have more than 200 characters', { event_timestamp: `.${'x'.repeat(200)}` }],
  [
    '/conditional/expressions/0/value Value must be a number',
    { conditional: leaf('value_change_less', 'much') },
  ],
])('%s', (problem, change) => {
  expect(problems({ window, evaluate, ...change })).toEqual([problem])
})

test.each<JsonObject>([
  { window: { ...window, interval: 1 } },
  { window: { ...window, interval: 90_000, window_min: 0 } },
  { evaluate: { operation: 'CUSTOM', script: SCRIPT + ' '.repeat(5000 - SCRIPT.length) } },
  { event_timestamp: `.${'x'.repeat(199)}` },
  { conditional: leaf('percent_change_greater_or_equal', 5) },
  { conditional: leaf('greater', '5') },
  { group_by: [] },
])('%j is accepted', change => {
  expect(problems({ window, evaluate, ...change })).toEqual([])
})

test('a sliding window reads back as sent, including the 0, and with no more than the time of the event', () => {
  const sent = { window: { type: 'sliding', interval: 10, window_min: 0 }, evaluate: { operation: 'SUM' } }
  expect(stored(sent)).toEqual({ ...sent, event_timestamp: 'timestamp' })
})

test('a tumbling window gets a distance, too, and a sent one is returned', () => {
  expect(stored({ window, evaluate }).window).toEqual({ ...window, window_min: 5 })
  expect(stored({ window: { ...window, window_min: 7 }, evaluate }).window).toEqual({
    ...window,
    window_min: 7,
  })
})

test('the other name of the type has the same meaning', () => {
  const config = { window, evaluate }
  expect(transformOptions('aggregate-v2').stored(config)).toEqual(stored(config))
})

test('window and evaluation are required, and all findings are reported at once', () => {
  expect(problems({})).toEqual([
    " must have required property 'window'",
    " must have required property 'evaluate'",
  ])
  expect(
    problems({ window: { ...window, interval: 0 }, evaluate: { operation: 'CUSTOM' }, group_by: ['x'] }),
  ).toEqual([
    '/window/interval must be >= 1',
    '/group_by/0 Must be a valid data access syntax',
    "/evaluate must have required property 'script'",
  ])
})

test('without groups, events of a metric are a group if name, namespace and tags are equal; missing differs from null', () => {
  const config = { window, evaluate }
  const process = aggregate.compile(config, () => {}, UNMETERED)
  const state = aggregate.state?.create(1)
  const metric = (more: JsonObject) => ({
    name: 'a',
    kind: 'absolute',
    value: { type: 'gauge', value: 1 },
    ...more,
  })
  const isFirst = (message: JsonObject) =>
    !(process(Event.of(message, {}, '2031-03-09T08:15:30.250Z'), state, 0) as Gathered<Event>).merged
  expect(isFirst(metric({}))).toBe(true)
  expect(isFirst(metric({ value: { type: 'gauge', value: 2 }, other: 1 }))).toBe(false)
  expect(isFirst(metric({ name: 'b' }))).toBe(true)
  expect(isFirst(metric({ namespace: 'n' }))).toBe(true)
  expect(isFirst(metric({ tags: {} }))).toBe(true)
  expect(isFirst(metric({ tags: { x: '1' } }))).toBe(true)
  const byOther = aggregate.compile({ ...config, group_by: ['.other'] }, () => {}, UNMETERED)
  const others = aggregate.state?.create(1)
  const opened = [{}, { other: null }, { other: 1 }, { other: '1' }, {}, { other: null }].map(
    more =>
      !(byOther(Event.of(metric(more), {}, '2031-03-09T08:15:30.250Z'), others, 0) as Gathered<Event>).merged,
  )
  expect(opened).toEqual([true, true, true, true, false, false])
})

describe('a script outside the language', () => {
  const findings = (script?: string) =>
    runProblemsOf(
      aggregate.runProblems?.({ window, evaluate: { operation: 'CUSTOM', ...(script && { script }) } }),
    )

  test('is found before publication, with its place', () => {
    expect(findings('function f(total, event) {\n  while (true) {}\n}')).toEqual([
      {
        instancePath: '/evaluate/script',
        message: expect.stringMatching(/^script cannot run: .* \(line 2, column 3\)$/),
      },
    ])
    expect(findings(SCRIPT)).toEqual([])
    expect(findings()).toEqual([])
    expect(runProblemsOf(aggregate.runProblems?.({}))).toEqual([])
  })
})

describe('open windows', () => {
  const base = { window: { ...window, window_min: 5 }, evaluate, event_timestamp: 'timestamp' }
  test.each<[boolean, string, JsonObject]>([
    [true, 'the condition', { conditional: leaf('greater', 5) }],
    [true, 'the time of events', { event_timestamp: '.at' }],
    [true, 'the distance', { window: { ...window, window_min: 9 } }],
    [true, 'default groups that are named', { group_by: ['.name', '.namespace', '.tags'] }],
    [false, 'the groups', { group_by: ['.name'] }],
    [false, 'the operation', { evaluate: { operation: 'MAX' } }],
    [false, 'the interval', { window: { ...window, interval: 60 } }],
    [false, 'the type', { window: { ...window, type: 'sliding' } }],
  ])('go on: %s, when another option is %s', (isKept, _option, change) => {
    expect(aggregate.state?.keeps(base, { ...base, ...change })).toBe(isKept)
  })

  test('are not merged by another script', () => {
    const custom = (script: string) => ({ ...base, evaluate: { operation: 'CUSTOM', script } })
    expect(aggregate.state?.keeps(custom('a'), custom('b'))).toBe(false)
  })
})

test('a script is given accumulator, event, metadata and annotations, the last two of the event', () => {
  const script = `function f(total, event, metadata, annotations) {
    total.seen = [event.n, metadata.host, annotations.app]
    return total
  }`
  const config = { window, evaluate: { operation: 'CUSTOM', script }, group_by: [] }
  const process = aggregate.compile(config, () => {}, UNMETERED)
  const state = aggregate.state?.create(1)
  for (const n of [1, 2]) {
    const event = Event.of({ n }, { host: `h${n}` }, '2031-03-09T08:15:30.250Z')
    process(event.withAnnotations({ app: `a${n}` }), state, 0)
  }
  const [ended] = aggregate.windows?.release(config)(state, Number.POSITIVE_INFINITY, 0) ?? []
  expect(ended?.event.message).toEqual({ n: 1, seen: [2, 'h2', 'a2'] })
  expect(ended?.event.metadata).toMatchObject({ host: 'h1' })
})

describe('an event whose judgement is suspended', () => {
  test('is merged by its script once, and its steps count once', () => {
    const script = 'function f(total, event) { total.n = total.n + event.n\n return total }'
    let steps = 0
    let suspends = true
    let isSuspended = false
    const meter = {
      ...UNMETERED,
      stepsLeft: () => 1_000,
      takeSteps: (count: number) => {
        steps += count
      },
      matches: () => {
        isSuspended = suspends && !isSuspended
        if (isSuspended) throw SUSPENDED
        return false
      },
    }
    const config = {
      window,
      evaluate: { operation: 'CUSTOM', script },
      group_by: [],
      conditional: { expressions: [{ field: '.text', str_operator: 'regex_match', value: 'x+' }] },
    }
    const process = aggregate.compile(config, () => {}, meter)
    const state = aggregate.state?.create(1)
    const event = () => Event.of({ n: 2, text: 'y' }, {}, '2031-03-09T08:15:30.250Z')
    const judged = (each: Event) => {
      try {
        return process(each, state, 0)
      } catch (error) {
        expect(error).toBe(SUSPENDED)
        return process(each, state, 0)
      }
    }
    judged(event())
    judged(event())
    const stepsWithPause = steps
    suspends = false
    judged(event())
    expect(stepsWithPause).toBeGreaterThan(0)
    expect(steps - stepsWithPause).toBe(stepsWithPause)
    const [ended] = aggregate.windows?.release(config)(state, Number.POSITIVE_INFINITY, 0) ?? []
    expect(ended?.event.message).toEqual({ n: 6, text: 'y' })
  })
})
