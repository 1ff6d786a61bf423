import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import {
  AggregateModel,
  type ModelEvent,
  type ModelResult,
  type ModelRules,
} from '../../test/support/aggregate-model.ts'
import type { Condition } from '../conditions/condition.ts'
import { Event } from '../event/event.ts'
import { Failed } from '../event/outcome.ts'
import { UNMETERED } from '../expressions/cost-meter.ts'
import { keyHash, valuesKey } from '../nodes/contract/values-key.ts'
import { finish } from '../steps.ts'
import { canonicalTimeOf } from '../times/instant.ts'
import type { Emission } from './aggregated.ts'
import { Aggregation, type AggregationOptions } from './aggregation.ts'
import type { Operation } from './metric-form.ts'
import { type AggregateBounds, OpenAggregates } from './open-aggregates.ts'

const TIME = '2031-03-09T08:15:30.250Z'
const START_MS = 1_930_000_000_000
const GROUP_BY = ['.name', '.tags.oven']
const ROOMY: AggregateBounds = { maxGroups: 1_000, maxGroupWindows: 200, maxWindowBytes: 1e9, maxBytes: 1e9 }
const OPERATORS = {
  value: 'greater',
  change: 'value_change_greater',
  percent: 'percent_change_greater',
} as const

function conditionOf({ condition }: ModelRules): { conditional?: Condition } {
  if (condition === undefined) return {}
  const leaf = { field: '.value.value', str_operator: OPERATORS[condition.by], value: condition.above }
  // A condition that is not of numbers is false without an error.
  const isNumber = { field: '.value.value', str_operator: 'is_number' }
  return { conditional: { expressions: [isNumber, leaf] } }
}

/** An aggregate with its windows, as one partition has them. */
class Node {
  windows: OpenAggregates
  readonly reported: string[] = []
  readonly #bounds: AggregateBounds
  readonly #aggregation: Aggregation

  constructor(options: AggregationOptions, bounds: AggregateBounds = ROOMY) {
    this.#bounds = bounds
    this.windows = new OpenAggregates(bounds)
    const report = (code: string) => this.reported.push(code)
    this.#aggregation = new Aggregation(options, { report, meter: UNMETERED })
  }

  take({ message, metadata, timeMs }: Omit<ModelEvent, 'group'>, nowMs: number) {
    while (!this.windows.forgetSilent(nowMs));
    this.reported.length = 0
    const sent = { ...message, ...(timeMs !== undefined && { at: timeMs }) }
    const added = this.#aggregation.add(this.windows, Event.of(sent, metadata, TIME), nowMs)
    if (added instanceof Failed)
      return { opened: 0, joined: 0, failed: added.code as string, reported: [], emitted: [] }
    const { isFirst, merged, emitted } = added
    return {
      opened: isFirst ? 1 : 0,
      joined: merged,
      failed: undefined,
      reported: [...this.reported],
      emitted: emitted.map(resultOf),
    }
  }

  emitDue(untilMs: number, nowMs: number): ModelResult[] {
    return Array.from(this.#aggregation.emitDue(this.windows, untilMs, nowMs), resultOf)
  }

  restore(): void {
    this.windows = finish(OpenAggregates.restore(finish(this.windows.snapshot()), this.#bounds))
  }

  move(of: number, target: (share: number) => Node): void {
    for (const piece of this.windows.split([...Array(of).keys()], hash => hash % of))
      if (piece !== undefined) target(piece.share).windows.absorb(piece.data)
  }
}

function resultOf({ event: { message, metadata, timestamp } }: Emission): ModelResult {
  const { at: _at, ...rest } = message as JsonObject
  expect(timestamp).toBe(canonicalTimeOf({ epochMs: Date.parse(timestamp), nanos: 0 }))
  return { message: rest, metadata, timestampMs: Date.parse(timestamp) }
}

const number = fc.integer({ min: -8, max: 8 }).map(half => half / 2)
const count = fc.integer({ min: 0, max: 5 })
const typed = (type: string, value: fc.Arbitrary<JsonValue>) => value.map(each => ({ type, value: each }))
const record = <Members>(members: { [Key in keyof Members]: fc.Arbitrary<Members[Key]> }) =>
  fc.record(members, { noNullPrototype: true }) as fc.Arbitrary<Members>
const drawnValue: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 3, arbitrary: typed('counter', number) },
  { weight: 2, arbitrary: typed('gauge', number) },
  typed('sum', number),
  typed(
    'set',
    record({ values: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 6 }), more: count }),
  ),
  typed(
    'histogram',
    record({
      buckets: fc
        .constantFrom(1, 2)
        .chain(limit => fc.tuple(record({ upper_limit: fc.constant(limit), count }))),
      count,
      sum: number,
    }) as fc.Arbitrary<JsonObject>,
  ),
  typed(
    'distribution',
    record({
      samples: fc.array(record({ value: number, rate: count }), { maxLength: 3 }),
      statistic: fc.constantFrom('histogram', 'summary'),
    }),
  ),
  typed(
    'summary',
    record({
      quantiles: fc.array(record({ quantile: number, value: number }), { maxLength: 2 }),
      count,
      sum: number,
    }),
  ),
)
const drawnMessage: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record(
      {
        name: fc.constantFrom('a', 'b', 'c'),
        kind: fc.constantFrom('incremental', 'incremental', 'incremental', 'absolute'),
        value: drawnValue,
        tags: fc.constantFrom({ oven: '4' }, {}),
      },
      { requiredKeys: ['name', 'kind', 'value'], noNullPrototype: true },
    ),
  },
  fc.constant({ name: 'a', text: 'not a metric' }),
)
/** Metrics of one form and few groups: windows of a group follow each other. */
const drawnPlainMessage: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom('a', 'a', 'a', 'b'), number)
  .map(([name, value]) => ({ name, kind: 'incremental', value: { type: 'counter', value } }))
const stepOf = (message: fc.Arbitrary<JsonObject>) =>
  fc.record({
    message,
    metadata: fc.constantFrom({}, { x: 1 }, { x: { y: 2 }, z: 3 }, { z: 4, aggregate: { old: true } }),
    /** Seconds before or after the log time. */
    ahead: fc.oneof(fc.constant(undefined), fc.constantFrom(0, 0, 0, -1, -5, -60, 5, 10, 11, 1_000)),
    afterMs: fc.constantFrom(0, 0, 1, 1_000, 1_000, 4_999, 5_000, 10_000, 20_000, 60_000),
    next: fc.constantFrom('', '', '', 'restore', 'move'),
  })
const drawnSteps = (maxLength: number) =>
  fc.oneof(
    ...[drawnMessage, drawnPlainMessage].map(message =>
      fc.array(stepOf(message), { maxLength, size: 'max' }),
    ),
  )
const drawnRules: fc.Arbitrary<ModelRules> = fc.record({
  type: fc.constantFrom('tumbling' as const, 'sliding' as const, 'sliding' as const),
  intervalMs: fc.constantFrom(1_000, 10_000, 30_000),
  distanceMs: fc.constantFrom(1_000, 5_000),
  operation: fc.constantFrom(
    'DEFAULT',
    'DEFAULT',
    'DEFAULT',
    'SUM',
    'MIN',
    'MAX',
    'AVG',
    'SET_INTERSECTION',
    'DIST_CONCAT',
  ),
  condition: fc.oneof(
    fc.constant(undefined),
    fc.record({
      by: fc.constantFrom('value' as const, 'change' as const, 'percent' as const),
      above: number,
    }),
  ),
  maxGroups: fc.constantFrom(2, 1_000),
  maxGroupWindows: fc.constantFrom(1, 3, 200),
})
const optionsOf = (rules: ModelRules): AggregationOptions => ({
  window: {
    type: rules.type,
    interval: rules.intervalMs / 1_000,
    // A stored 0 acts as 5.
    window_min: rules.distanceMs === 5_000 ? 0 : rules.distanceMs / 1_000,
  },
  operation: rules.operation as Operation,
  group_by: GROUP_BY,
  event_timestamp: '.at',
  ...conditionOf(rules),
})
const groupOf = (message: JsonObject) =>
  JSON.stringify([message.name, (message.tags as JsonObject | undefined)?.oven])
/** Windows of several groups that end together change their order when they move. */
const inAnyOrder = (results: readonly ModelResult[]) =>
  results.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))

describe('events of groups', () => {
  test('are aggregated as the model by brute force does, also across restarts and moves to other partitions and back', () => {
    let emitted = 0
    fc.assert(
      fc.property(drawnRules, drawnSteps(50), fc.integer({ min: 1, max: 8 }), (rules, steps, of) => {
        const model = new AggregateModel(rules)
        const options = optionsOf(rules)
        const bounds = { ...ROOMY, maxGroups: rules.maxGroups, maxGroupWindows: rules.maxGroupWindows }
        const node = new Node(options, bounds)
        let nowMs = START_MS
        let hasMoved = false
        const expectSame = (results: readonly ModelResult[], expected: readonly ModelResult[]) => {
          emitted += expected.length
          if (hasMoved) expect(inAnyOrder(results)).toEqual(inAnyOrder(expected))
          else expect(results).toEqual(expected)
        }
        for (const { message, metadata, ahead, afterMs, next } of steps) {
          nowMs += afterMs
          expectSame(node.emitDue(nowMs, nowMs), model.emitDue(nowMs, nowMs))
          const timeMs = ahead === undefined ? undefined : nowMs + ahead * 1_000
          const { emitted: results, ...effect } = node.take({ message, metadata, timeMs }, nowMs)
          const { emitted: expected, ...rest } = model.take(
            { group: groupOf(message), message, metadata, timeMs },
            nowMs,
          )
          expect(effect).toEqual(rest)
          expectSame(results, expected)
          expect(node.windows.count).toBe(model.open)
          if (next === 'restore') node.restore()
          if (next !== 'move') continue
          hasMoved = true
          const elsewhere = Array.from({ length: of }, () => new Node(options, bounds))
          node.move(of, share => elsewhere[share] as Node)
          expect([node.windows.count, node.windows.groups, node.windows.bytes]).toEqual([0, 0, 0])
          for (const each of elsewhere) each.move(of, () => node)
        }
        expectSame(
          node.emitDue(Number.POSITIVE_INFINITY, nowMs),
          model.emitDue(Number.POSITIVE_INFINITY, nowMs),
        )
        expect([node.windows.count, node.windows.bytes, node.windows.deadlineMs]).toEqual([
          0,
          0,
          Number.POSITIVE_INFINITY,
        ])
      }),
      { numRuns: 300 },
    )
    expect(emitted).toBeGreaterThan(1_000)
  })

  test('are aggregated alike on one partition and on up to eight, between which they move', () => {
    const keyOf = valuesKey(GROUP_BY, UNMETERED)
    fc.assert(
      fc.property(drawnRules, drawnSteps(40), (drawn, steps) => {
        const rules = { ...drawn, maxGroups: 1_000 }
        const model = new AggregateModel(rules)
        const bounds = { ...ROOMY, maxGroupWindows: rules.maxGroupWindows }
        let nodes = [new Node(optionsOf(rules), bounds)]
        let nowMs = START_MS
        for (const [index, { message, metadata, ahead, afterMs, next }] of steps.entries()) {
          nowMs += afterMs
          if (next === 'move') {
            const targets = Array.from({ length: 1 + (index % 8) }, () => new Node(optionsOf(rules), bounds))
            for (const each of nodes) each.move(targets.length, share => targets[share] as Node)
            nodes = targets
          }
          const ended = nodes.flatMap(each => each.emitDue(nowMs, nowMs))
          expect(inAnyOrder(ended)).toEqual(inAnyOrder(model.emitDue(nowMs, nowMs)))
          const timeMs = ahead === undefined ? undefined : nowMs + ahead * 1_000
          const owner = nodes[keyHash(keyOf(Event.of(message, {}, TIME))) % nodes.length] as Node
          const expected = model.take({ group: groupOf(message), message, metadata, timeMs }, nowMs)
          const taken = owner.take({ message, metadata, timeMs }, nowMs)
          expect({ ...taken, emitted: inAnyOrder(taken.emitted) }).toEqual({
            ...expected,
            emitted: inAnyOrder(expected.emitted),
          })
          expect(nodes.reduce((sum, { windows }) => sum + windows.count, 0)).toBe(model.open)
        }
      }),
      { numRuns: 200 },
    )
  })
})
