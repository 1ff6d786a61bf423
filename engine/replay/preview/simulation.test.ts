import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../schemas/json.ts'
import { catalogueWith } from '../../../test/support/catalogue-with.ts'
import { quietDestination } from '../../../test/support/quiet-destination.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import { Event } from '../../event/event.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { DEFAULT_SIMULATION_BOUNDS, Simulation, simulate } from './simulation.ts'

const AT = Date.UTC(2031, 2, 9)

const sample = (message: JsonValue, timeMs = AT) => ({
  event: Event.of(message, {}, new Date(timeMs).toISOString()),
  timeMs,
  source: 'source',
})
const document = (...nodes: ReturnType<typeof node>[]) => ({
  id: 'p',
  accountId: 'a',
  title: 'P',
  revision: 1,
  nodes: [SOURCE, ...nodes],
})
const at = (simulation: Simulation, id: string) => {
  const found = simulation.nodes.find(each => each.id === id)
  if (found === undefined) throw new RangeError(id)
  return found
}
const leaving = (simulation: Simulation, id: string, output = '') =>
  at(simulation, id)
    .outputs.get(output)
    ?.map(({ sample, event }) => [sample, event.message])

describe('a simulation', () => {
  const limit = node('transform', 'limit', 'throttle', ['source'], {
    threshold: 2,
    window_ms: 1000,
    key_field: '.k',
  })

  test('judges by the times of the samples, and names the events that filled the window', () => {
    const simulation = simulate(CATALOGUE, document(limit), [
      sample({ k: 'a', n: 0 }),
      sample({ k: 'a', n: 1 }, AT + 300),
      sample({ k: 'a', n: 2 }, AT + 999),
      sample({ k: 'b', n: 3 }, AT + 999),
      // Time does not step back.
      sample({ k: 'a', n: 4 }, AT),
      sample({ k: 'a', n: 5 }, AT + 1000),
    ])
    expect(leaving(simulation, 'limit')?.map(([index]) => index)).toEqual([0, 1, 3, 5])
    const { dropped, counters } = at(simulation, 'limit')
    expect(dropped).toMatchObject([{ sample: 2 }, { sample: 4 }])
    expect(dropped[0]?.reason).toEqual({
      rule: 'the bucket is full',
      bucket: 'a',
      threshold: 2,
      window_ms: 1000,
      passed: [
        { at: '2031-03-09T00:00:00.000Z', count: 1 },
        { at: '2031-03-09T00:00:00.300Z', count: 1 },
      ],
      free_from: '2031-03-09T00:00:01.000Z',
    })
    // No node reads the throttle, so its events are dropped there.
    expect(counters).toMatchObject({ eventsIn: 6, dropped: 6, eventsOut: 0 })
  })

  test('shows every output of every node, and the errors with the samples that caused them', () => {
    const rule = (label: string, _output_name: string, value: number) => ({
      label,
      _output_name,
      conditional: { expressions: [{ field: '.t', str_operator: 'greater', value }] },
    })
    const split = node('transform', 'split', 'route', ['source'], {
      conditionals: [rule('hot', 'aaaaaaaa', 200), rule('warm', 'bbbbbbbb', 20)],
    })
    const sink = node('sink', 'out', 'blackhole', ['split.aaaaaaaa', 'split.bbbbbbbb'])
    const simulation = simulate(CATALOGUE, document(split, sink), [
      sample({ t: 300 }),
      sample({ t: 30 }),
      sample({ t: '3' }),
    ])
    expect(leaving(simulation, 'split', 'aaaaaaaa')).toEqual([[0, { t: 300 }]])
    expect(leaving(simulation, 'split', 'bbbbbbbb')).toEqual([
      [0, { t: 300 }],
      [1, { t: 30 }],
    ])
    expect(leaving(simulation, 'split', '_unmatched')).toEqual([[2, { t: '3' }]])
    expect(leaving(simulation, 'out')).toEqual([
      [0, { t: 300 }],
      [0, { t: 300 }],
      [1, { t: 30 }],
    ])
    expect(at(simulation, 'split').errors).toMatchObject([
      { sample: 2, code: 'E_COMPARE_COERCION_FAILED', field: '.t' },
      { sample: 2, code: 'E_COMPARE_COERCION_FAILED', field: '.t' },
    ])
    expect(simulation.isCut).toBe(false)
  })

  test('names the comparison by which a filter dropped', () => {
    const conditional = {
      logical_operation: 'OR',
      expressions: [
        { field: '.level', str_operator: 'equal', value: 'debug' },
        { expressions: [{ field: '.app', str_operator: 'exists', negate: true }] },
      ],
    }
    const filter = node('transform', 'filter', 'filter', ['source'], { action: 'drop', conditional })
    const { dropped } = at(
      simulate(CATALOGUE, document(filter), [sample({ level: 'DEBUG', app: 'web' })]),
      'filter',
    )
    expect(dropped[0]?.reason).toEqual({
      rule: 'the condition is met',
      action: 'drop',
      comparisons: [
        { field: '.level', str_operator: 'equal', value: 'debug', negate: false, actual: 'DEBUG', met: true },
        { field: '.app', str_operator: 'exists', negate: true, actual: 'web', met: false },
      ],
    })
  })

  test('repeats no long value for each comparison, and no long options for each sample', () => {
    const comparisons = (count: number, value: string) =>
      Array.from({ length: count }, () => ({ field: '.text', str_operator: 'equal', value, negate: true }))
    const filterOf = (count: number, value: string) =>
      node('transform', 'filter', 'filter', ['source'], {
        action: 'drop',
        conditional: { expressions: comparisons(count, value) },
      })
    const text = 'x'.repeat(100_000)
    const long = simulate(CATALOGUE, document(filterOf(1_000, 'y')), [sample({ text })])
    const shown = at(long, 'filter').dropped[0]?.reason?.comparisons
    expect(shown).toMatchObject([
      { actual: text.slice(0, 1_024), cut: true, met: true },
      ...Array.from({ length: 999 }, () => ({ cut: true, met: true })),
    ])
    expect(JSON.stringify(shown).length).toBeLessThan(150_000)
    const short = simulate(
      CATALOGUE,
      document(filterOf(1, 'y'.repeat(1_000))),
      Array.from({ length: 10 }, () => sample({ text: 'x' })),
      { maxEvents: 100, maxBytes: 5_000 },
    )
    expect(at(short, 'filter').dropped.length).toBeLessThan(5)
    expect(short.isCut).toBe(true)
    expect(at(short, 'filter').counters).toMatchObject({ dropped: 10 })
  })

  test('shows events that a destination would refuse as failed, with the reason', () => {
    const options = { query: { hostname: 'from-{{.rack}}' } }
    const store = node('sink', 'store', 'mezmo', ['source'], options)
    const simulation = simulate(CATALOGUE, document(store), [sample('no rack'), sample({ rack: 7 })])
    expect(leaving(simulation, 'store')).toEqual([[1, { rack: 7 }]])
    const { failed, errors, counters } = at(simulation, 'store')
    expect(failed).toMatchObject([{ sample: 0, event: { message: 'no rack' } }])
    const message = 'The hostname cannot be rendered: .rack is not in the event.'
    expect(errors).toEqual([{ sample: 0, code: 'E_NOT_FOUND', field: '.rack', message }])
    expect(counters).toMatchObject({ eventsIn: 2, eventsOut: 1, failed: 1 })
  })

  test('closes the windows that are open at its end, and moves time to their end', () => {
    const cart = node('transform', 'cart', 'reduce', ['source'], { duration_ms: 1000, group_by: ['.cart'] })
    const day = node('transform', 'day', 'reduce', ['cart'], { duration_ms: 5000 })
    const out = node('sink', 'out', 'blackhole', ['day'])
    const samples = [
      sample({ cart: 1, n: 1 }),
      sample({ cart: 1, n: 2 }, AT + 999),
      // Time ends the first window before the event arrives, and the event is part of the next one.
      sample({ cart: 1, n: 3 }, AT + 1000),
      sample({ cart: 2, n: 4 }, AT + 1500),
    ]
    const simulation = simulate(CATALOGUE, document(cart, day, out), samples)
    expect(leaving(simulation, 'cart')).toEqual([
      [null, { cart: 1, n: 3 }],
      [null, { cart: 1, n: 3 }],
      [null, { cart: 2, n: 4 }],
    ])
    expect(leaving(simulation, 'out')).toEqual([[null, { cart: 4, n: 10 }]])
    expect(at(simulation, 'cart').counters).toMatchObject({ eventsIn: 4, eventsOut: 3, merged: 1, held: 0 })
    expect(at(simulation, 'day').counters).toMatchObject({ eventsIn: 3, eventsOut: 1, merged: 2, held: 0 })
  })

  test('releases a window that opens after its end with the sample that opened it', () => {
    const metric = (at: number, value: number) => ({
      kind: 'incremental',
      name: 'loaves',
      tags: {},
      value: { type: 'counter', value },
      at,
    })
    const aggregate = node('transform', 'hot', 'aggregate', ['source'], {
      window: { type: 'tumbling', interval: 60 },
      evaluate: { operation: 'SUM' },
      group_by: [],
      event_timestamp: '.at',
    })
    const late = (value: number) => sample(metric(AT - 3_600_000, value))
    const simulation = new Simulation(CATALOGUE, document(aggregate), DEFAULT_SIMULATION_BOUNDS)
    simulation.try(late(4))
    expect(leaving(simulation, 'hot')).toMatchObject([[null, { value: { value: 4 } }]])
    simulation.try(late(3))
    expect(leaving(simulation, 'hot')).toMatchObject([
      [null, { value: { value: 4 } }],
      [null, { value: { value: 3 } }],
    ])
  })

  test('keeps no more than its bounds, and counts everything', () => {
    const samples = Array.from({ length: 10 }, (_, n) => sample({ n }))
    const simulation = simulate(CATALOGUE, document(), samples, { maxEvents: 4, maxBytes: 1_000 })
    expect(leaving(simulation, 'source')).toHaveLength(4)
    expect(simulation.isCut).toBe(true)
    expect(at(simulation, 'source').counters.eventsIn).toBe(10)
    expect(
      leaving(simulate(CATALOGUE, document(), samples, { maxEvents: 100, maxBytes: 8 }), 'source'),
    ).toHaveLength(1)
  })

  test('needs an existing source', () => {
    expect(() => simulate(CATALOGUE, document(), [{ ...sample({}), source: 'nowhere' }])).toThrow(RangeError)
  })
})

test('a simulation ends with a sentence at the first sample whose expressions cost too much', () => {
  const filter = node('transform', 'filter', 'filter', ['source'], {
    action: 'drop',
    conditional: {
      expressions: [
        { field: '.line', str_operator: 'regex_match', value: '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]' },
      ],
    },
  })
  const line = 'abcd0123'.repeat(2_000)
  const simulation = simulate(CATALOGUE, document(filter), [
    sample({ line: 'short' }),
    sample({ line }),
    sample({ line: 'short' }),
  ])
  expect(simulation.tried).toBe(2)
  expect(simulation.tooDear).toBe(
    'The expressions took more work on one event than is free, and the account has no more saved up: write shorter ones, or send shorter texts.',
  )
  expect(at(simulation, 'filter').errors).toMatchObject([{ sample: 1, code: 'E_EXPRESSION_COST' }])
})

test('a simulation of very many copies ends with a sentence', () => {
  const forks = Array.from({ length: 30 }, (_, fork) => {
    const input = fork === 0 ? 'source' : `join-${fork - 1}`
    const config = { fields: ['.nope'] }
    return [
      node('transform', `left-${fork}`, 'drop-fields', [input], config),
      node('transform', `right-${fork}`, 'drop-fields', [input], config),
      node('transform', `join-${fork}`, 'drop-fields', [`left-${fork}`, `right-${fork}`], config),
    ]
  })
  const simulation = simulate(CATALOGUE, document(...forks.flat()), [sample('x'), sample('x')])
  expect(simulation.tried).toBe(1)
  expect(simulation.tooDear).toMatch(/^The pipeline made more copies of one event than are free/)
})

test('events that a destination can never send fail', () => {
  const catalogue = catalogueWith({ destinations: [quietDestination()] })
  const sink = node('sink', 'quiet', 'quiet', ['source'], { app: 'noise' })
  const simulation = simulate(catalogue, document(sink), [sample({ app: 'a' }), sample({ app: 'noise' })])
  expect(leaving(simulation, 'quiet')).toEqual([[0, { app: 'a' }]])
  expect(at(simulation, 'quiet').errors).toMatchObject([{ sample: 1, code: 'E_DELIVERY_FAILED' }])
})
