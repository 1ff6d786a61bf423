import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../schemas/json.ts'
import { sentEvent } from '../../../../test/support/sent-lines.ts'
import { Event } from '../../../event/event.ts'
import { Gathered } from '../../../event/outcome.ts'
import { UNMETERED } from '../../../expressions/cost-meter.ts'
import { finish } from '../../../steps.ts'
import type { EndedWindow } from '../../contract/define-processor.ts'
import { keyHash } from '../../contract/values-key.ts'
import { reduce } from './reduce.ts'
import { Reductions } from './reductions.ts'

const TIME = '2031-03-09T08:15:30.250Z'
const event = (message: JsonObject, metadata: JsonObject = {}) => Event.of(message, metadata, TIME)

/** A reduce with its state, as one partition has it. */
function running(config: JsonObject) {
  const state = reduce.state?.create(1) as Reductions
  const process = reduce.compile(config, () => {}, UNMETERED)
  const release = reduce.windows?.release(config)
  return {
    state,
    take: (message: JsonObject, metadata?: JsonObject) => {
      const outcome = process(event(message, metadata), state, 0)
      if (!(outcome instanceof Gathered)) throw new Error('neither held nor merged')
      return outcome.released
    },
    /** Events that are released until that time. */
    until: (timeMs: number) => eventsOf(release?.(state, timeMs, timeMs)),
  }
}

const eventsOf = (ended: Iterable<Pick<EndedWindow, 'event'>> = []) => Array.from(ended, each => each.event)
const messages = (events: readonly Event[]) => events.map(({ message }) => message)

describe('open reductions', () => {
  test('give the annotations of their first event back, also from a snapshot', () => {
    const line = sentEvent({ line: 'text' })
    for (const first of [event({ n: 1 }), line]) {
      const { state } = running({})
      const process = reduce.compile({ max_events: 2 }, () => {}, UNMETERED)
      process(first.withAnnotations({ app: 'gate' }), state, 0)
      const restored = finish(Reductions.restore(finish(state.snapshot())))
      const outcome = process(event({ n: 2 }).withAnnotations({ app: 'other' }), restored, 0) as Gathered
      expect(outcome.released.map(({ annotations }) => annotations)).toEqual([{ app: 'gate' }])
    }
  })

  test('that grow beyond 100 KiB are released at once, and their groups begin again', () => {
    const { take, state } = running({ merge_strategies: [{ field: '.n', strategy: 'array' }] })
    const text = 'x'.repeat(20_000)
    for (let n = 0; n < 5; n++) expect(take({ n: text })).toEqual([])
    expect(messages(take({ n: text }))).toEqual([{ n: Array.from({ length: 6 }, () => text) }])
    expect([state.count, state.bytes]).toEqual([0, 0])
  })

  test('beyond 1 MiB in total are released, oldest first', () => {
    const { take, state } = running({ group_by: ['.k'] })
    const given: unknown[] = []
    for (let k = 0; k < 30; k++) given.push(...messages(take({ k, text: 'x'.repeat(50_000) })))
    expect(given).toMatchObject(Array.from({ length: given.length }, (_, k) => ({ k })))
    expect(given.length).toBeGreaterThan(5)
    expect(state.bytes).toBeLessThanOrEqual(1024 * 1024)
  })

  test('distinguish types of group values, and a missing value is a group of its own', () => {
    const { take, state } = running({ group_by: ['.k'] })
    for (const k of [1, '1', true, 'true', null, '', [1], { a: 1 }]) take({ k })
    take({})
    expect(state.count).toBe(9)
    take({ k: { a: 1 } })
    expect(state.count).toBe(9)
  })

  test('take over later metadata, and do not add up its numbers', () => {
    const { take, until } = running({})
    take({ n: 1 }, { query: { app: 'a' }, n: 1 })
    take({ n: 2 }, { n: 5, late: true })
    const [given] = until(Number.POSITIVE_INFINITY)
    expect(given?.message).toEqual({ n: 3 })
    expect(given?.metadata).toEqual({ query: { app: 'a' }, n: 1, late: true })
    expect(given?.timestamp).toBe(TIME)
  })

  test('add up integers exactly, and a sum is always a number', () => {
    const { take, until } = running({ group_by: ['.k'] })
    take({ k: 1, n: Number.MAX_SAFE_INTEGER })
    take({ k: 1, n: 2 })
    take({ k: 2, n: 1e308 })
    take({ k: 2, n: 1e308 })
    take({ k: 3, n: 0.5 })
    take({ k: 3, n: 2n ** 60n })
    take({ k: 4, n: 10n ** 308n })
    take({ k: 4, n: 10n ** 308n })
    expect(messages(until(Number.POSITIVE_INFINITY))).toEqual([
      { k: 1, n: 9007199254740993n },
      { k: 2, n: Number.MAX_VALUE },
      { k: 3, n: 2 ** 60 + 0.5 },
      { k: 4, n: Number.MAX_VALUE },
    ])
  })

  test('are not changed by a message that is not an object, which stays as it was if it is alone', () => {
    const { state, until } = running({})
    const process = reduce.compile({}, () => {}, UNMETERED)
    process(Event.of('one', {}, TIME), state, 0)
    process(Event.of('two', {}, TIME), state, 0)
    expect(messages(until(Number.POSITIVE_INFINITY))).toEqual(['one'])
  })

  test('treat members with names of built-in properties like all others', () => {
    const { take, until } = running({})
    take(JSON.parse('{"__proto__":1,"constructor":2}') as JsonObject)
    take(JSON.parse('{"__proto__":1,"constructor":2}') as JsonObject)
    expect(JSON.stringify(messages(until(Number.POSITIVE_INFINITY)))).toBe(
      '[{"__proto__":2,"constructor":4}]',
    )
  })

  test('can move in shares, and are joined again elsewhere unchanged', () => {
    const { state, take } = running({
      group_by: ['.k'],
      merge_strategies: [{ field: '.n', strategy: 'flat_unique' }],
    })
    for (let n = 0; n < 60; n++) take({ k: `key ${n % 20}`, n: n % 7, text: 'x'.repeat(3_000) })
    const shareOf = (hash: number) => hash % 4
    const pieces = [...state.split([1, 3], shareOf)].filter(piece => piece !== undefined)
    expect(state.count).toBeGreaterThan(0)
    const other = running({ group_by: ['.k'], merge_strategies: [{ field: '.n', strategy: 'flat_unique' }] })
    for (const { share, data } of pieces) {
      expect([1, 3]).toContain(share)
      other.state.absorb(data)
    }
    expect(other.state.count + state.count).toBe(20)
    for (let k = 0; k < 20; k++) {
      const group = JSON.stringify(`key ${k}`)
      const place = [1, 3].includes(shareOf(keyHash(group))) ? other.state : state
      expect(place.find(group)?.count).toBe(3)
    }
    // A moved reduction continues: values that it already has are not added again.
    const [moved] = [...Array(20).keys()].filter(
      k => other.state.find(JSON.stringify(`key ${k}`)) !== undefined,
    )
    other.take({ k: `key ${moved}`, n: [(moved as number) % 7, 'new'] })
    const result = messages(other.until(Number.POSITIVE_INFINITY)).find(
      each => (each as JsonObject).k === `key ${moved}`,
    )
    expect((result as JsonObject).n).toEqual([
      ...new Set([moved, (moved as number) + 20, (moved as number) + 40].map(n => (n as number) % 7)),
      'new',
    ])
  })
})

describe('options', () => {
  test('a smaller maximum of events ends windows that already have as many', () => {
    const { take, state } = running({ max_events: 10 })
    for (let n = 1; n <= 5; n++) take({ n })
    const process = reduce.compile({ max_events: 3 }, () => {}, UNMETERED)
    const outcome = process(event({ n: 6 }), state, 0)
    expect(messages((outcome as Gathered).released)).toEqual([{ n: 21 }])
  })

  test('with a maximum of one, each event is released alone, even if it begins a window', () => {
    const flush = {
      when: 'starts_when',
      conditional: { expressions: [{ field: '.s', str_operator: 'exists' }] },
    }
    const { take } = running({ max_events: 1, flush_condition: flush })
    expect(messages(take({ s: 1 }))).toEqual([{ s: 1 }])
    expect(messages(take({ n: 2 }))).toEqual([{ n: 2 }])
  })

  test('a group by the whole message keeps it unchanged, and a member can be called undefined', () => {
    const { take, until } = running({ group_by: ['.'] })
    take({ n: 1 })
    take({ n: 1 })
    expect(messages(until(Number.POSITIVE_INFINITY))).toEqual([{ n: 1 }])
    const other = running({ group_by: ['metadata'] })
    other.take({ undefined: 1 })
    other.take({ undefined: 2 })
    expect(messages(other.until(Number.POSITIVE_INFINITY))).toEqual([{ undefined: 3 }])
  })

  test('a date without the form of a number stays a text, and a long one keeps its digits', () => {
    const dates = [
      { field: '.d', format: '%Y%m%d %H%M%S' },
      { field: '.ns', format: '%Y%m%d%H%M%S%9f' },
    ]
    const { take, until } = running({ date_formats: dates })
    take({ d: 20310309081530, ns: 20310309081530000000001n })
    take({ d: 20310310081530, ns: 20310309081531000000001n })
    expect(messages(until(Number.POSITIVE_INFINITY))).toEqual([
      {
        d: '20310309 081530',
        d_end: '20310310 081530',
        ns: 20310309081530000000001n,
        ns_end: 20310309081531000000001n,
      },
    ])
  })

  test('large doubles and negative zero survive a snapshot', () => {
    const values = { big: 1e20, exact: 12345678901234567890n, least: -0, max: Number.MAX_VALUE, half: 0.5 }
    const { take, state } = running({})
    take(values)
    const restored = finish(Reductions.restore(finish((state as Reductions).snapshot())))
    const process = reduce.compile({}, () => {}, UNMETERED)
    const release = reduce.windows?.release({})
    for (const memory of [state, restored])
      process(event({ big: 1, exact: 1, least: -0, half: 1 }), memory, 0)
    const results = [state, restored].map(memory =>
      messages(eventsOf(release?.(memory, Number.POSITIVE_INFINITY, 0))),
    )
    expect(results[1]).toStrictEqual(results[0])
    expect(results[0]).toEqual([{ ...values, big: 1e20, exact: 12345678901234567891n, least: 0, half: 1.5 }])
  })
})
