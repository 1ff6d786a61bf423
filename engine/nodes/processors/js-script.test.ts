import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { runProblemsOf } from '../../../test/support/run-problems.ts'
import { running } from '../../../test/support/running-processor.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { Event } from '../../event/event.ts'
import { BEYOND_BUDGET, EventMeter, SUSPENDED, UNMETERED } from '../../expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget, FREE_STEPS } from '../../expressions/expression-budget.ts'
import { scriptCalls } from '../../scripts/script-calls.ts'
import { Stretch } from '../../steps.ts'
import { jsScript } from './js-script.ts'

const { problems, stored } = transformOptions('js-script')

test.each<[string, JsonObject]>([
  [" must have required property 'script'", {}],
  ['/script must NOT have fewer than 1 characters', { script: '' }],
  ['/script must be string', { script: null }],
  [
    "/script script is not valid JavaScript: Unexpected identifier 'IS' (line 1, column 6)",
    { script: 'THIS IS NOT VALID' },
  ],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test('a script is stored unchanged to the last blank, under either name of the type', () => {
  const script = '\nfunction processEvent(e) {\n  return e\n}\n  \n'
  expect(stored({ script })).toEqual({ script })
  expect(transformOptions('script-execution').stored({ script })).toEqual({ script })
})

test.each([
  ['function f(m) {\n  while (m.a) {}\n}', 'a "while" loop is not available (line 2, column 3)'],
  ['function f(m) { return Math.max(m.a, 1) }', '"Math.max" is not available (line 1, column 24)'],
  [
    'function f(m) { return parseGrok(m.line) }',
    'the function "parseGrok" takes 2 values, not 1 (line 1, column 24)',
  ],
])('saved, and not published: %s', (script, problem) => {
  expect(stored({ script })).toEqual({ script })
  expect(runProblemsOf(jsScript.runProblems?.({ script }))).toEqual([
    { instancePath: '/script', message: `script cannot run: ${problem}` },
  ])
})

test('a script within the language can be published, and a missing one is reported elsewhere', () => {
  expect(runProblemsOf(jsScript.runProblems?.({}))).toEqual([])
  expect(runProblemsOf(jsScript.runProblems?.({ script: 'function f(m) { return m };' }))).toEqual([])
})

const { after, cost, errors } = running(jsScript)

test.each([
  ['function f() {}', 'no parameters', '{"a":1}', undefined],
  ['function f(m) { return m }', 'one parameter', '"a text"', 'a text'],
  [
    'function f(a, b, c, d) { return [a, b, c, d] }',
    'all parameters',
    '1',
    '[1,{},"2031-03-09T08:15:30.250Z",null]',
  ],
  ['function f(a, b, c, d, e) { return [e] }', 'more parameters', '1', '[null]'],
  ['function f(m) { return false }', 'the value false', '1', 'false'],
  ['function f(m) { return undefined }', 'the value undefined', '1', undefined],
])('%s: a function with %s', (script, _title, message, value) => {
  const { process } = running(jsScript).compiled({ script }, null)
  const outcome = process(Event.of(JSON.parse(message), {}, '2031-03-09T08:15:30.250Z'), undefined, 0)
  if (value === undefined) expect(outcome).toMatchObject({ kind: 'dropped' })
  else expect(after({ script }, JSON.parse(message) === 'a text' ? '"a text"' : message)).toBe(value)
})

test('annotations are read, and stay as they are', () => {
  const script = 'function f(m, meta, time, notes) { m.format = notes.format; notes.format = 1; return m }'
  const process = jsScript.compile({ script }, () => {}, UNMETERED)
  const annotations = { format: 'HTTPD' }
  const event = Event.of({}, {}, '2031-03-09T08:15:30.250Z').withAnnotations(annotations)
  const outcome = process(event, undefined, 0) as Event
  expect(outcome.message).toEqual({ format: 'HTTPD' })
  expect(outcome.annotations).toBe(annotations)
  expect(annotations).toEqual({ format: 'HTTPD' })
})

test('an event that a script does not change is the event itself', () => {
  const script =
    'function f(m, meta, time) { if (m.a.b[0] > 1) { m.c = null } meta.x = meta.y; time = time; return m }'
  const process = jsScript.compile({ script }, () => {}, UNMETERED)
  const event = Event.of({ a: { b: [2, { c: 1 }] } }, { z: {} }, '2031-03-09T08:15:30.250Z')
  expect(process(event, undefined, 0)).toBe(event)
})

test('copies are private: neither the event nor a copy of it on another branch sees a change', () => {
  const script =
    'function f(m, meta) { m.a.b.push(1); m.a.c = 2; meta.q.site = 3; m.meta = meta.q; return m }'
  const process = jsScript.compile({ script }, () => {}, UNMETERED)
  const [message, metadata] = [{ a: { b: [0] } }, { q: { site: 'oslo' } }]
  const event = Event.of(message, metadata, '2031-03-09T08:15:30.250Z')
  const outcome = process(event, undefined, 0) as Event
  expect(outcome.message).toEqual({ a: { b: [0, 1], c: 2 }, meta: { site: 3 } })
  expect(outcome.metadata).toEqual({ q: { site: 3 } })
  expect([message, metadata]).toEqual([{ a: { b: [0] } }, { q: { site: 'oslo' } }])
})

test('metadata is replaced by an object that is assigned to it, and by nothing else', () => {
  const metadataAfter = (value: string) => {
    const script = `function f(m, meta) { meta = ${value}; return m }`
    const event = Event.of({}, { a: 1 }, '2031-03-09T08:15:30.250Z')
    return (jsScript.compile({ script }, () => {}, UNMETERED)(event, undefined, 0) as Event).metadata
  }
  expect(metadataAfter('{ b: 2 }')).toEqual({ b: 2 })
  for (const value of ['null', '5', '[1]', "'x'"]) expect(metadataAfter(value)).toEqual({ a: 1 })
})

test('members of the metadata are set, and removed by null and by undefined', () => {
  const script = 'function f(m, meta) { meta.a = null; meta.b.c = undefined; meta.d.e = 1; return m }'
  const event = Event.of({}, { a: 1, b: { c: 2, f: null }, g: 3 }, '2031-03-09T08:15:30.250Z')
  const after = jsScript.compile({ script }, () => {}, UNMETERED)(event, undefined, 0) as Event
  expect(after.metadata).toEqual({ b: { f: null }, g: 3, d: { e: 1 } })
})

test('a metadata that contains itself fails the event', () => {
  expect(errors({ script: 'function f(m, meta) { meta.self = meta; return m }' }, {})).toEqual([
    ['E_SCRIPT_FAILED', null],
  ])
})

test('an event whose grok patterns cost more than it may fails, and the account pays for the steps', () => {
  const script =
    "function f(m) { m.found = parseGrok(m.line, '%{GREEDYDATA:a}-%{GREEDYDATA:b}-%{INT:c}'); return m }"
  const short = '-'.repeat(500)
  expect(cost({ script }, { line: short })).toBeGreaterThan(1_000)
  expect(after({ script }, { line: `${short}4` })).toEqual({
    line: `${short}4`,
    found: { a: '-'.repeat(498), b: '', c: '4' },
  })
  const long = '-'.repeat(60_000)
  expect(cost({ script }, { line: long })).toBe('too much')
  let taken = 0
  const process = jsScript.compile({ script }, () => {}, {
    ...UNMETERED,
    stepsLeft: () => 1_000,
    takeSteps: steps => (taken += steps),
    countAtOnce: () => {
      throw BEYOND_BUDGET
    },
  })
  expect(() => process(Event.of({ line: long }, {}, ''), undefined, 0)).toThrow(BEYOND_BUDGET)
  expect(taken).toBeGreaterThan(10)
})

test('a search of a script is done at once, and the stretch pays for it', () => {
  const script = "function f(m) { return parseGrok(m.line, '%{GREEDYDATA:a}-%{INT:c}') }"
  const meter = new EventMeter()
  const stretch = new Stretch()
  const allowance = new ExpressionAllowance(new ExpressionBudget())
  allowance.begin(0, 10_000)
  meter.open(allowance, stretch)
  meter.begin(0)
  stretch.begin()
  stretch.left = 5
  const line = `${'x'.repeat(5_000)}-7`
  const process = jsScript.compile({ script }, () => {}, meter)
  const outcome = process(Event.of({ line }, {}, ''), undefined, 0) as Event
  expect(outcome.message).toEqual({ a: 'x'.repeat(5_000), c: '7' })
  expect(stretch.left).toBeLessThan(-5_000)
})

test('the most steps of one call are known to the process', () => {
  const script = 'function f(m) { let n = 0; for (const x of m.list) { n = n + x } m.n = n; return m }'
  const steps: number[] = []
  const process = jsScript.compile({ script }, () => {}, {
    ...UNMETERED,
    takeSteps: taken => steps.push(taken),
  })
  scriptCalls.mostSteps = 0
  for (const length of [3, 40, 5]) {
    process(Event.of({ list: Array.from({ length }, () => 1) }, {}, ''), undefined, 0)
    expect(scriptCalls.mostSteps).toBe(Math.max(...steps))
  }
  expect(scriptCalls.mostSteps).toBeGreaterThan(40)
})

test('a dropped event is explained by the statement that returned null', () => {
  const script = 'function f(m) {\n  if (m.a) return null\n  if (m.b == Date.now()) { return }\n}'
  const explained = (message: JsonObject) =>
    jsScript.explain?.({ script })(Event.of(message, {}, '2031-03-09T08:15:30.250Z'), undefined, 7)
  expect(explained({ a: 1 })).toEqual({ rule: 'the function returned null', line: 2, column: 12 })
  expect(explained({ b: 7 })).toEqual({ rule: 'the function returned null', line: 3, column: 28 })
  expect(explained({})).toEqual({ rule: 'the function ended without a value' })
})

test.each([
  [
    'sets and removes fields',
    `function f(msg, meta) {
      if (msg.level == 'debug' || msg.path.startsWith('/health')) { return null }
      msg.level = msg.level.toUpperCase()
      msg.slow = msg.duration > 1000
      msg.seconds = msg.duration / 1000
      msg.password = null
      msg.user.email = undefined
      msg.tags.push('seen')
      meta.team = msg.path.slice(1).startsWith('api') ? 'backend' : 'frontend'
      msg.title = msg.method + ' ' + msg.path + ' ' + msg.status.toString()
      return msg
    }`,
  ],
  [
    'sums a list',
    `function f(msg) {
      let total = 0
      for (const item of msg.items) { total += item.price * item.count }
      msg.total = total
      return msg
    }`,
  ],
])('the free steps are enough for a script that %s', (_title, script) => {
  let taken = 0
  const process = jsScript.compile({ script }, () => {}, {
    ...UNMETERED,
    takeSteps: steps => (taken += steps),
  })
  const message = {
    ...{ level: 'info', path: '/api/orders/17', method: 'GET', status: 200, duration: 1234.5, password: 'x' },
    ...{ user: { email: 'a@example.org', id: 5 }, tags: ['a'], text: 'x'.repeat(300) },
    items: Array.from({ length: 8 }, (_, index) => ({ price: index, count: 2 })),
  }
  expect(process(Event.of(message, {}, '2031-03-09T08:15:30.250Z'), undefined, 0)).toBeInstanceOf(Event)
  expect(taken).toBeGreaterThan(50)
  expect(taken).toBeLessThan(FREE_STEPS)
})

test('a long script is compiled in stretches, and its first event is then judged as any other', () => {
  const script = `function f(m) { ${'m.a=1;'.repeat(6_000)} m.b = 2; return m }`
  const meter = new EventMeter()
  const process = jsScript.compile({ script }, () => {}, meter)
  const stretch = new Stretch()
  meter.open(undefined, stretch)
  const event = Event.of({}, {}, '2031-03-09T08:15:30.250Z')
  for (let stretches = 1; ; stretches++) {
    try {
      expect(process(event, undefined, 0)).toMatchObject({ message: { a: 1, b: 2 } })
      expect(stretches).toBeGreaterThan(10)
      return
    } catch (error) {
      if (error !== SUSPENDED) throw error
      stretch.begin()
      meter.again()
    }
  }
})
