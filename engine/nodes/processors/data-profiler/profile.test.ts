import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { Event } from '../../../event/event.ts'
import { UNMETERED } from '../../../expressions/cost-meter.ts'
import { finish } from '../../../steps.ts'
import type { NodeProfile } from '../../contract/profile-view.ts'
import type { StateBounds } from '../../contract/state-bounds.ts'
import { dataProfiler } from './data-profiler.ts'
import { Profile } from './profile.ts'

const OPTIONS = {
  app_fields: ['.app', '.meta.app'],
  host_fields: ['metadata.host'],
  level_fields: ['.level'],
  line_fields: ['.msg'],
}
const DAY_MS = 86_400_000

function profiler(state: Profile, options: JsonObject = OPTIONS) {
  const process = dataProfiler.compile(options, () => {}, UNMETERED)
  return (message: JsonValue, nowMs = 0) =>
    process(Event.of(message, { host: 'h' }, '2031-03-09T08:15:30Z'), state, nowMs) as Event
}

function profileOf(messages: readonly JsonValue[], bounds?: StateBounds): NodeProfile {
  const state = new Profile(bounds)
  const add = profiler(state)
  for (const message of messages) add(message)
  return state.profile(0)
}

const leaf = fc.oneof(
  fc.constantFrom<JsonValue>('x', '', 'info', '2031-03-09T08:15:30Z', '2031-03-09T09:15:30.5+01:00'),
  fc.constantFrom<JsonValue>(true, false, null, 1, 2.5, -7, 0, 9007199254740993n, [], [1, 2], {}),
)
const drawnMessage: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.dictionary(fc.constantFrom('app', 'level', 'a', 'b c', '7'), leaf, { maxKeys: 4 }),
  fc
    .record({
      msg: fc.constantFrom('oven 4 at 231', 'oven 7 at 228', 'door is open', 'x'),
      meta: fc.record({ app: leaf }),
    })
    .map(message => message as JsonObject),
  fc.constantFrom<JsonValue>('oven 9 at 12', '{"app":"json","n":3}', '', 5, [1]),
)
const drawnMessages = fc.array(drawnMessage, { maxLength: 30, size: 'max' })

describe('counts', () => {
  test('are those of all events, whatever the events are', () => {
    fc.assert(
      fc.property(drawnMessages, messages => {
        const profile = profileOf(messages)
        expect(profile).toMatchObject({ events: messages.length, cutEvents: 0 })
        const sizes = messages.map(sizeOf)
        expect(profile.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0))
        const paths = new Map<string, { events: number; eventBytes: number; values: JsonValue[] }>()
        for (const [index, message] of messages.entries())
          for (const [path, value] of leavesOf(message)) {
            const known = paths.get(path) ?? { events: 0, eventBytes: 0, values: [] }
            known.events++
            known.eventBytes += sizes[index] as number
            known.values.push(value)
            paths.set(path, known)
          }
        expect(profile.fields.map(({ field }) => field)).toEqual([...paths.keys()])
        for (const { field, events, eventBytes, values, numbers, times } of profile.fields) {
          const known = paths.get(field)
          expect({ events, eventBytes }).toEqual({ events: known?.events, eventBytes: known?.eventBytes })
          const counted = values.reduce((sum, each) => sum + each.events, 0)
          const fractions = known?.values.filter(
            value => typeof value === 'number' && !Number.isInteger(value),
          ).length
          expect(counted + (times?.count ?? 0) + (fractions ?? 0)).toBe(events)
          const allNumbers = known?.values
            .filter(value => typeof value === 'number' || typeof value === 'bigint')
            .map(Number)
          expect(numbers?.count ?? 0).toBe(allNumbers?.length)
          if (numbers !== undefined && allNumbers !== undefined) {
            expect(numbers.min).toBe(Math.min(...allNumbers) + 0)
            expect(numbers.max).toBe(Math.max(...allNumbers) + 0)
            expect(numbers.mean).toBeCloseTo(
              allNumbers.reduce((sum, each) => sum + each, 0) / allNumbers.length,
              5,
            )
          }
        }
        const apps = messages.map(appOf).filter(app => app !== undefined)
        expect(Object.fromEntries(profile.counts.apps.map(({ name, lines }) => [name, lines]))).toEqual(
          Object.fromEntries([...new Set(apps)].map(app => [app, apps.filter(each => each === app).length])),
        )
        const lines = messages.filter(message => lineOf(message) !== undefined).length
        expect(profile.templates.reduce((sum, template) => sum + template.lines, 0)).toBe(lines)
      }),
    )
  })

  test('are the same after a snapshot, or a move in pieces, at any place', () => {
    fc.assert(
      fc.property(drawnMessages, fc.array(fc.nat(2), { maxLength: 30, size: 'max' }), (messages, moves) => {
        let state = new Profile()
        let add = profiler(state)
        for (const [index, message] of messages.entries()) {
          if (moves[index] === 1) state = restored(state)
          if (moves[index] === 2) state = moved(state)
          add = profiler(state)
          add(message, index)
        }
        expect(state.profile(0)).toEqual({ ...profileOf(messages), run: state.profile(0).run })
        expect(finish(restored(state).snapshot())).toEqual(finish(state.snapshot()))
        expect(finish(moved(state).snapshot())).toEqual(finish(restored(moved(state)).snapshot()))
      }),
    )
  })
})

function restored(state: Profile, bounds?: StateBounds): Profile {
  return finish(Profile.restore(finish(state.snapshot()), bounds))
}

function moved(state: Profile): Profile {
  const copy = restored(state)
  const target = new Profile()
  for (const piece of copy.empty()) if (piece !== undefined) target.absorb(piece)
  expect(copy.measure()).toEqual(new Profile().measure())
  return target
}

/** The model: size, fields, app and line of a message. */
function sizeOf(message: JsonValue): number {
  const text = JSON.stringify(message, (_key, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  )
  return typeof message === 'string' ? message.length : text.length
}

function objectIn(message: JsonValue): JsonValue {
  return typeof message === 'string' && message.startsWith('{') ? (JSON.parse(message) as JsonValue) : message
}

function leavesOf(message: JsonValue, path = ''): [string, JsonValue][] {
  const value = path === '' ? objectIn(message) : message
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || (path !== '' && Object.keys(value).length === 0))
    return [[path === '' ? '.' : path, value]]
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner as JsonValue, `${path}.${/^\w+$/.test(key) ? key : `"${key}"`}`),
  )
}

function appOf(message: JsonValue): string | undefined {
  const { app, meta } = Object(objectIn(message)) as { app?: unknown; meta?: { app?: unknown } }
  return [app, meta?.app].find(each => typeof each === 'string' && each !== '') as string | undefined
}

function lineOf(message: JsonValue): string | undefined {
  const { msg } = Object(objectIn(message)) as { msg?: string }
  return msg ?? (typeof message === 'string' && message !== '' ? message : undefined)
}

describe('bounds', () => {
  test('a thousand fields and a thousand names of a role are kept, and the rest together', () => {
    const profile = profileOf(Array.from({ length: 1_002 }, (_, n) => ({ app: `app ${n}`, [`f${n}`]: true })))
    expect(profile.fields).toHaveLength(1_000)
    // The app is a field, too.
    expect(profile.otherFields).toMatchObject({ events: 3 })
    expect(profile.counts.apps).toHaveLength(1_001)
    expect(profile.counts.apps.at(-1)).toMatchObject({ name: undefined, lines: 2 })
    expect(profile.counts.hosts).toEqual([{ name: 'h', lines: 1_002, bytes: profile.bytes }])
  })

  test('an event has a thousand fields, and long paths are not kept', () => {
    const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`f${n}`, 1]))
    expect(profileOf([many]).fields).toHaveLength(1_000)
    const long = profileOf([{ ['x'.repeat(511)]: 1, ['y'.repeat(512)]: 1 }])
    expect([long.fields.length, long.otherFields.events]).toEqual([1, 1])
  })

  test('the memory of all values is bounded, also after a snapshot', () => {
    const bounds = { maxKeys: 4, maxEntries: 10 }
    const state = new Profile(bounds)
    const add = profiler(state)
    for (let n = 0; n < 20; n++)
      add({ a: `${n}`, b: `${n}`, c: n / 7, d: n, e: 0, app: `${n}`, msg: `${'w '.repeat(n)}x` })
    expect(state.measure()).toMatchObject({ fields: 4, values: 10, templates: 4, names: 4 + 1 })
    expect(restored(state, bounds).profile(0)).toEqual(state.profile(0))
  })
})

describe('a run', () => {
  test('ends after 24 hours of log time, and other options begin one that adds', () => {
    const state = new Profile()
    expect(state.profile(5).run).toEqual({ state: 'waiting', startedMs: undefined, events: 0 })
    const add = profiler(state)
    add({ msg: 'a' }, 5)
    expect(add({ msg: 'a' }, DAY_MS + 4).annotations).toBeDefined()
    expect(add({ msg: 'a' }, DAY_MS + 5).annotations).toBeUndefined()
    expect(state.profile(DAY_MS + 5)).toMatchObject({
      run: { state: 'ended', startedMs: 5, events: 2 },
      events: 2,
    })
    const addMore = profiler(state, { ...OPTIONS, label_fields: ['.x'] })
    expect(addMore({ msg: 'a' }, DAY_MS + 6).annotations).toBeDefined()
    expect(state.profile(DAY_MS + 6)).toMatchObject({
      run: { state: 'running', startedMs: DAY_MS + 6, events: 1 },
      events: 3,
      templates: [{ template: 'a', lines: 3 }],
    })
  })

  test('ends after a million events', () => {
    const state = new Profile()
    const add = profiler(state)
    const event = { bytes: 1, names: {}, content: undefined }
    add({})
    const options = optionsOf(state)
    for (let n = 2; n < 1_000_000; n++) state.add(event, options, 0)
    expect(add({}).annotations).toBeDefined()
    expect(add({}).annotations).toBeUndefined()
    expect(state.profile(0)).toMatchObject({ run: { state: 'ended', events: 1_000_000 }, cutEvents: 999_998 })
  })

  test('begins again after a reset, which empties the profile', () => {
    const state = new Profile()
    const add = profiler(state)
    add({ msg: 'a' }, 0)
    state.reset()
    expect(state.profile(0)).toEqual(new Profile().profile(0))
    expect(add({ msg: 'b' }, 2 * DAY_MS).annotations).toBeDefined()
    expect(state.profile(2 * DAY_MS)).toMatchObject({ events: 1, templates: [{ template: 'b' }] })
  })
})

/** Digest of the options of the present run. */
function optionsOf(state: Profile): string {
  const [, [, totals]] = JSON.parse(Buffer.from(finish(state.snapshot())).toString()) as [
    number,
    [string, { options: string }],
  ]
  return totals.options
}

test('pieces are of a bounded size', () => {
  const state = new Profile()
  const add = profiler(state)
  for (let n = 0; n < 3_000; n++)
    add({ app: `a${n}`, x: `${n} ${'\u0001'.repeat(48)}`, y: `${n}`, msg: `${'w '.repeat(n % 400)}${n}` })
  const before = state.profile(0)
  const pieces = [...state.empty()].filter(piece => piece !== undefined)
  expect(pieces.length).toBeGreaterThan(3)
  const target = new Profile()
  for (const piece of pieces) {
    expect(piece.length).toBeLessThan(900_000)
    target.absorb(piece)
  }
  expect(target.profile(0)).toEqual(before)
})

test.each(['', '{}', '[2]', '[1,["other"]]', '[1,["totals"]]', '[1,["field","a",{}]]', '[1,5]', '[1'])(
  'bytes that are not a snapshot are refused: %s',
  text => {
    expect(() => finish(Profile.restore(Buffer.from(text)))).toThrow(RangeError)
  },
)
