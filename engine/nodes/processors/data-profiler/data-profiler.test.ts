import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { sentEvent } from '../../../../test/support/sent-lines.ts'
import { transformOptions } from '../../../../test/support/transform-options.ts'
import { Event } from '../../../event/event.ts'
import { EventMeter, UNMETERED } from '../../../expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../../expressions/expression-budget.ts'
import { Stretch } from '../../../steps.ts'
import { dataProfiler } from './data-profiler.ts'
import { Profile } from './profile.ts'

const { problems } = transformOptions('data-profiler')
const valid: JsonObject = {
  app_fields: ['.app'],
  host_fields: ['.host'],
  level_fields: ['.level'],
  line_fields: ['.line'],
}
const paths = (count: number) => Array.from({ length: count }, (_, index) => `.f${index}`)

describe.each([...Object.keys(valid), 'label_fields'])('%s', member => {
  const problemsOf = (value: JsonObject[string]) => problems({ ...valid, [member]: value })

  test('has at most ten paths, of at most 512 characters', () => {
    expect(problemsOf(paths(10))).toEqual([])
    expect(problemsOf(paths(11))).toEqual([`/${member} must NOT have more than 10 items`])
    expect(problemsOf([`.${'x'.repeat(511)}`])).toEqual([])
    expect(problemsOf([`.${'x'.repeat(512)}`])).toEqual([
      `/${member}/0 must NOT have more than 512 characters`,
    ])
    expect(problemsOf(['.ok', 'not-valid-field-reference'])).toEqual([
      `/${member}/1 Must be a valid data access syntax`,
    ])
    expect(problemsOf([''])).toEqual([`/${member}/0 Must be a valid data access syntax`])
    expect(problemsOf('.a')).toEqual([`/${member} must be array`])
  })
})

test('needs a path for every role except the labels', () => {
  expect(problems({})).toEqual(Object.keys(valid).map(member => ` must have required property '${member}'`))
  for (const member of Object.keys(valid))
    expect(problems({ ...valid, [member]: [] })).toEqual([`/${member} must NOT have fewer than 1 items`])
  expect(problems({ ...valid, label_fields: [] })).toEqual([])
})

test('an event has the same size in a simulation and as a line of log ingestion, at least that of its fields', () => {
  const line = sentEvent({ line: 'abc', app: 'oven', meta: '{"door":{"n":7}}' })
  const profiles = [line, Event.of(line.message, line.metadata, line.timestamp), Event.of('abc', {}, '')].map(
    event => {
      const state = new Profile()
      const process = dataProfiler.compile(valid, () => {}, UNMETERED)
      const { annotations = {} } = process(event, state, 0) as Event
      const { events, bytes, fields } = state.profile(0)
      for (const field of fields) expect(field.bytes).toBeLessThanOrEqual(field.eventBytes)
      return { events, bytes, fields, total: (annotations.classification as JsonObject).total_bytes }
    },
  )
  const [live, simulated, text] = profiles
  expect(live).toEqual(simulated)
  const { length } = JSON.stringify(line.message)
  expect([live?.bytes, live?.total]).toEqual([length, length])
  expect([text?.bytes, text?.fields[0]?.bytes]).toEqual([3, 3])
})

describe('the cost of a profile', () => {
  const ACCESS = '192.0.2.7 - ida [09/Mar/2031:08:15:30 +0000] "GET /doors/4 HTTP/1.1" 200 5316'

  /** Profiles an event of an account with a budget, in stretches. */
  function profiled(message: JsonValue, budget: ExpressionBudget, hasStretches = false) {
    const allowance = new ExpressionAllowance(budget)
    allowance.countsOptions = true
    allowance.chargesFailures = true
    allowance.begin(0, 0)
    const stretch = hasStretches ? new Stretch() : undefined
    const meter = new EventMeter()
    meter.open(allowance, stretch)
    const state = new Profile()
    const process = dataProfiler.compile(valid, () => {}, meter)
    meter.begin(0)
    for (let stretches = 1; ; stretches++) {
      try {
        const event = process(Event.of(message, {}, '2031-03-09T08:15:30Z'), state, 0) as Event
        return { event, profile: state.profile(0), spent: meter.spent, stretches }
      } catch (error) {
        if (!String(error).includes('goes on')) throw error
        stretch?.begin()
        meter.again()
      }
    }
  }

  test('is within the free units, and half of them are left to other nodes', () => {
    const { event, spent, profile } = profiled({ line: ACCESS }, new ExpressionBudget())
    expect(event.annotations).toMatchObject({ classification: { event_types: { HTTPD_COMMONLOG: 1 } } })
    expect(profile.cutEvents).toBe(0)
    expect(spent).toBeGreaterThan(1_000)
    const worst = profiled(
      { line: `${'a: b '.repeat(20_000)}${'x'.repeat(1_000_000)}` },
      new ExpressionBudget(),
    )
    expect(worst.event.annotations).toMatchObject({ classification: { event_types: {} } })
    expect(worst.spent).toBeLessThanOrEqual(115_000)
  })

  test('is spared while the account has no free units, owes units, or the event is very large', () => {
    const used = new ExpressionBudget()
    used.takeShared(used.shared)
    const owing = new ExpressionBudget()
    owing.owe(owing.saved + 1_000_000)
    for (const [message, budget] of [
      [{ line: ACCESS }, used],
      [{ line: ACCESS }, owing],
      [{ line: 'x'.repeat(3_000_000) }, new ExpressionBudget()],
    ] as const) {
      const saved = budget.saved
      const { event, profile } = profiled(message, budget)
      expect(event.annotations).toMatchObject({ message_key: '.line', classification: { event_types: {} } })
      expect(profile).toMatchObject({ events: 1, cutEvents: 1, templates: [], fields: [] })
      expect(budget.saved).toBe(saved)
    }
  })

  test('is the same in stretches, and the event is profiled once', () => {
    const line = `${'a: b '.repeat(500)}${ACCESS}`
    const whole = profiled({ line }, new ExpressionBudget())
    const parts = profiled({ line }, new ExpressionBudget(), true)
    expect(parts.stretches).toBeGreaterThan(1)
    expect(parts.profile).toEqual(whole.profile)
    expect([parts.spent, parts.event.annotations]).toEqual([whole.spent, whole.event.annotations])
  })
})
