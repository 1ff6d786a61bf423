import Type from 'typebox'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { compileCondition, JUDGING_CODES } from '../../../conditions/condition.ts'
import type { Event } from '../../../event/event.ts'
import { fieldAt } from '../../../event/field-path.ts'
import { drop, pass } from '../../../event/outcome.ts'
import type { Problem } from '../../../event/problem.ts'
import { canonicalJson } from '../../../json/canonical-json.ts'
import { finish } from '../../../steps.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../times/duration.ts'
import { type BucketRule, freeFrom } from '../../contract/buckets.ts'
import { Conditional, FieldPath } from '../../contract/config-schema.ts'
import { defineProcessor } from '../../contract/define-processor.ts'
import type { StateBounds } from '../../contract/state-bounds.ts'
import { OVERFLOW_DISCARDED, OVERFLOW_PASSED, PASSED, ThrottleState } from './throttle-state.ts'

const MAX_THRESHOLD = 1_000_000_000
const MAX_WINDOW_MS = DAY_MS // A day: components, section 5A.1.
const WINDOW_TEXT = /^(\d+)(ms|s|min|h)$/
/** Number of pass times of a full bucket that an explanation shows. */
const MAX_SHOWN_PASSES = 100
const UNIT_MS = { ms: 1, s: SECOND_MS, min: MINUTE_MS, h: HOUR_MS }

interface ThrottleConfig {
  readonly threshold: number
  readonly window_ms?: number
  readonly window?: string
  readonly key_field?: string
}

/**
 * Throttle: passes a number of events per window and bucket, and discards the others. No bucket ever passes more than
 * `threshold` events in any stretch of `window`, and an event is discarded only when its bucket is full. Rules:
 * Specification, section 2, Throttle; components, section 5A.
 */
export const throttle = defineProcessor({
  type: 'throttle',
  summary: 'Limit how many events pass in a span of time, over all events or per value of a field.',
  feature: 'throttle',
  droppedMetric: { name: 'throttle_discarded_total', help: 'Events beyond the limit of a throttle' },
  notes: [
    'Events without a value of `key_field`, with null or with an empty text share one bucket. A key of more than 512 bytes is remembered as its SHA-256.',
  ],
  config: Type.Object(
    {
      threshold: Type.Integer({
        minimum: 1,
        maximum: MAX_THRESHOLD,
        description: 'Limit: events that pass within one window, per bucket',
      }),
      window_ms: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_WINDOW_MS, description: 'Window, in milliseconds' }),
      ),
      window: Type.Optional(
        Type.String({ description: 'Window as text, such as 250ms, 1s, 1min or 2h; in place of window_ms' }),
      ),
      key_field: Type.Optional(
        FieldPath({ blank: true, description: 'Field whose value says which bucket an event belongs to' }),
      ),
      exclude: Type.Optional(Conditional({ description: 'Events that always pass and are not counted' })),
    },
    { additionalProperties: false },
  ),
  errors: [...JUDGING_CODES, 'E_CARDINALITY_LIMIT'],

  check: windowProblems,

  compile(config, report, meter) {
    const rule = ruleOf(config)
    const keyField = config.key_field || undefined
    const key = bucketKeyIn(config)
    const excluded =
      config.exclude === undefined ? undefined : compileCondition(config.exclude, report, meter)
    return (event, state: ThrottleState) => {
      if (excluded?.(event)) return event
      const bucketKey = key(event)
      if (state.isExempt(bucketKey)) return event
      const verdict = state.judge(bucketKey, rule)
      if (verdict === OVERFLOW_PASSED || verdict === OVERFLOW_DISCARDED)
        report('E_CARDINALITY_LIMIT', { field: keyField ?? '', captured: bucketKey ?? '' })
      return verdict === PASSED || verdict === OVERFLOW_PASSED ? event : drop()
    }
  },

  explain(config) {
    const key = bucketKeyIn(config)
    const windowMs = windowMsOf(config)
    return (event, state: ThrottleState) => ({
      rule: 'the bucket is full',
      bucket: key(event) ?? null,
      threshold: config.threshold,
      window_ms: windowMs,
      // After the limit was lowered, a bucket may have more passes than it allows.
      passed: state
        .passesOf(key(event))
        .slice(-MAX_SHOWN_PASSES)
        .map(({ timeMs, count }) => ({ at: new Date(timeMs).toISOString(), count })),
      free_from: freeFrom(state.passesOf(key(event)), { limit: config.threshold, windowMs }),
    })
  },

  state: {
    create: (seed, bounds?: StateBounds) => new ThrottleState(bounds, seed),
    advance: (state, nowMs, config) => state.advance(nowMs, windowMsOf(config)),
    snapshot: state => state.snapshot(),
    restore: (bytes, bounds) => ThrottleState.restore(bytes, bounds),
    measure: state => state.measure(),
    exempt: (state, keys) => state.exempt(keys),
    buckets: {
      rule: ruleOf,
      figures: state => state.measure(),
      busiest: (state, limit, atMs, windowMs) => state.busiest(limit, atMs, windowMs),
      passesOf: (state, key) => state.passesOf(key),
      has: (state, key) => state.has(key),
      exemptUntilMs: (state, key) => state.exemptUntilMs(key),
    },
    // Another limit or window also judges earlier events: publishing must not be a way around a limit.
    keeps: (before, after) => (before.key_field ?? '') === (after.key_field ?? ''),
    placement: {
      by: 'key',
      hash: config => {
        const key = bucketKeyIn(config)
        return (event, state) => state.hashOf(key(event))
      },
      split: (state, shares, shareOf) => state.split(shares, shareOf),
      absorb: (state, data) => state.absorb(finish(ThrottleState.restore(data))),
    },
  },

  configs: [
    { sent: { threshold: 100, window_ms: 1000 } },
    {
      sent: { threshold: 2, window: '1min', key_field: '.oven' },
    },
  ],

  examples: [
    {
      title: 'the worked example of the specification: two per second and oven, alarms are never held back',
      config: {
        threshold: 2,
        window_ms: 1000,
        key_field: '.oven',
        exclude: {
          logical_operation: 'AND',
          expressions: [
            { field: '.lvl', str_operator: 'exists' },
            { field: '.lvl', str_operator: 'equal', value: 'alarm' },
          ],
        },
      },
      steps: [
        { atMs: 0, event: { oven: 4, n: 1 }, outcome: pass({ oven: 4, n: 1 }) },
        { atMs: 300, event: { oven: '4', n: 2 }, outcome: pass({ oven: '4', n: 2 }) },
        { atMs: 999, event: { oven: 4, n: 3 }, outcome: drop() },
        { atMs: 999, event: { oven: 4, lvl: 'ALARM', n: 4 }, outcome: pass({ oven: 4, lvl: 'ALARM', n: 4 }) },
        { atMs: 1000, event: { oven: 4, n: 5 }, outcome: pass({ oven: 4, n: 5 }) },
        { atMs: 990, event: { oven: 4, n: 6 }, outcome: drop() },
        { atMs: 1000, event: { n: 7 }, outcome: pass({ n: 7 }) },
        { atMs: 1000, event: { oven: null, n: 8 }, outcome: pass({ oven: null, n: 8 }) },
        { atMs: 1001, event: { oven: '', n: 9 }, outcome: drop() },
        { atMs: 1299, event: { oven: 4, n: 10 }, outcome: drop() },
        { atMs: 1300, event: { oven: 4, n: 11 }, outcome: pass({ oven: 4, n: 11 }) },
        { atMs: 1999, event: { n: 12 }, outcome: drop() },
        { atMs: 2000, event: { n: 13 }, outcome: pass({ n: 13 }) },
      ],
    },
    {
      title: 'the first event of each app in a second passes, and everything from an excluded host',
      config: {
        threshold: 1,
        window: '1s',
        key_field: '.app',
        exclude: { expressions: [{ field: '.host', str_operator: 'equal', value: 'canary' }] },
      },
      steps: [
        { event: { host: 'a', app: 'web' }, outcome: pass({ host: 'a', app: 'web' }) },
        { event: { host: 'b', app: 'web' }, outcome: drop() },
        { event: { host: 'a', app: 'db' }, outcome: pass({ host: 'a', app: 'db' }) },
        { event: { host: 'Canary', app: 'web' }, outcome: pass({ host: 'Canary', app: 'web' }) },
      ],
    },
    {
      title: 'objects with the same members share a bucket, whatever their order',
      config: { threshold: 1, window: '1min', key_field: '.who' },
      steps: [
        { event: { who: { a: 1, b: [2] } }, outcome: pass({ who: { a: 1, b: [2] } }) },
        { event: { who: { b: [2], a: 1 } }, outcome: drop() },
        { event: { who: true }, outcome: pass({ who: true }) },
        { event: { who: 'true' }, outcome: drop() },
        { event: { who: 'True' }, outcome: pass({ who: 'True' }) },
      ],
    },
    {
      title: 'an exclusion that cannot be judged is not met: the event is subject to the limit',
      config: {
        threshold: 1,
        window_ms: 1000,
        exclude: {
          logical_operation: 'OR',
          expressions: [
            { field: '.from', str_operator: 'is_ip_in_cidr_range', value: '10.0.0.0/8' },
            { field: '.size', str_operator: 'greater', value: 5 },
          ],
        },
      },
      steps: [
        {
          event: { from: 'here', size: '9' },
          outcome: pass({ from: 'here', size: '9' }),
          errors: [
            ['E_COMPARE_BAD_CIDR', '.from'],
            ['E_COMPARE_COERCION_FAILED', '.size'],
          ],
        },
        {
          event: { from: null },
          outcome: drop(),
          errors: [
            ['E_COMPARE_BAD_TYPE', '.from'],
            ['E_NOT_FOUND', '.size'],
          ],
        },
      ],
    },
    {
      title: 'where two keys may have buckets, a third is judged with all others that found no room',
      config: { threshold: 1, window_ms: 1000, key_field: '.k' },
      bounds: { maxKeys: 2, maxEntries: 100 } satisfies StateBounds,
      steps: [
        { event: { k: 'a' }, outcome: pass({ k: 'a' }) },
        { event: { k: 'b' }, outcome: pass({ k: 'b' }) },
        { event: { k: 'c' }, outcome: pass({ k: 'c' }), errors: [['E_CARDINALITY_LIMIT', '.k']] },
        { event: { k: 'd' }, outcome: drop(), errors: [['E_CARDINALITY_LIMIT', '.k']] },
        { event: { k: 'a' }, outcome: drop() },
      ],
    },
  ],
})

/** Reads an event's bucket key. */
function bucketKeyIn({ key_field: keyField }: ThrottleConfig): (event: Event) => string | undefined {
  if (!keyField) return () => undefined
  const field = fieldAt(keyField)
  return event => bucketKeyOf(field.read(event))
}

/** Text of the bucket key (components, section 5A.4); undefined for the default bucket. */
export function bucketKeyOf(value: JsonValue | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
      return value === '' ? undefined : value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      return value === undefined || value === null ? undefined : canonicalJson(value)
  }
}

function ruleOf(config: ThrottleConfig): BucketRule {
  return { limit: config.threshold, windowMs: windowMsOf(config) }
}

/** Window of checked options, which contain it in exactly one of two forms. */
function windowMsOf({ window_ms: windowMs, window }: ThrottleConfig): number {
  return windowMs ?? parseWindow(window ?? '') ?? Number.NaN
}

function parseWindow(text: string): number | undefined {
  const match = WINDOW_TEXT.exec(text)
  return match === null ? undefined : Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]
}

function windowProblems({ window_ms: windowMs, window }: JsonObject): Problem[] {
  if (window === undefined) {
    return windowMs === undefined
      ? [{ instancePath: '', message: "must have required property 'window_ms'" }]
      : []
  }
  if (windowMs !== undefined)
    return [{ instancePath: '/window', message: 'must NOT be sent together with window_ms' }]
  if (typeof window !== 'string') return [] // reported by the schema
  const parsedMs = parseWindow(window)
  if (parsedMs === undefined)
    return [{ instancePath: '/window', message: 'must be an integer and a unit: ms, s, min or h' }]
  if (parsedMs < 1) return [{ instancePath: '/window', message: 'must be >= 1ms' }]
  return parsedMs > MAX_WINDOW_MS ? [{ instancePath: '/window', message: 'must be <= 24h' }] : []
}
