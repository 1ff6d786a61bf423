import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { sentBatch } from '../../test/support/sent-lines.ts'
import { Event } from '../event/event.ts'
import { drop, fail, Gathered, type Outcome, pass, settle, split, splitInTurn } from '../event/outcome.ts'
import { EVENT_UNITS, finish, Stretch } from '../steps.ts'
import { CompiledOutput, DEFAULT_OUTPUT, type Inbox } from './compiled-node.ts'
import { ErrorDesk } from './error-desk.ts'
import { ProcessingNode } from './processing-node.ts'
import { RecordYield } from './record-yield.ts'
import { ascending } from './run.ts'

function eventOf(message: JsonValue): Event {
  return Event.of(message, {}, '2031-03-09T08:15:30.250Z')
}

/** Runs numbers through a node whose process decides the outcome of each. */
function runNode(messages: readonly number[], process: (event: Event) => Outcome, made?: RecordYield) {
  const inbox: Inbox = { run: undefined }
  const desk = new ErrorDesk('n')
  const node = new ProcessingNode({ id: 'n', inboxes: [inbox], process, state: undefined, desk })
  const output = new CompiledOutput(node.counters)
  const reader: Inbox = { run: undefined }
  output.readers.push(reader)
  node.outputs.set(DEFAULT_OUTPUT, output)
  const events = messages.map(eventOf)
  inbox.run = { events, rows: ascending(events.length), bytes: events.length }
  const errors: string[] = []
  const deadLetters: string[] = []
  const steps = node.step({
    nowMs: 0,
    deliver: () => undefined,
    made,
    report: ({ code, event }) => errors.push(`${code} ${event.message}`),
    takeDeadLetter: ({ code, event }) => deadLetters.push(`${code} ${event.message}`),
  })
  finish(steps)
  const rows = reader.run?.rows.slice(0, reader.run.events.length)
  return {
    out: reader.run?.events.map(event => event.message),
    rows,
    bytes: reader.run?.bytes,
    errors,
    deadLetters,
    counters: node.counters,
    run: reader.run,
    input: events,
  }
}

describe('results of a node', () => {
  test('that replace one event stay in its place and keep its number', () => {
    const { out, rows, bytes, counters } = runNode([1, 2, 3, 4], event => {
      if (event.message === 2) return split([eventOf('x'), eventOf('yy'), eventOf('z')])
      if (event.message === 3) return split([])
      return event
    })
    expect(out).toEqual([1, 'x', 'yy', 'z', 4])
    expect(rows).toEqual([0, 1, 1, 1, 3])
    expect(bytes).toBe(6)
    expect(counters).toMatchObject({
      eventsIn: 4,
      created: 2,
      dropped: 1,
      droppedBytes: 1,
      eventsOut: 5,
      bytesOut: 6,
    })
  })

  test('that settle held events count each of them once', () => {
    const held = [eventOf('h1'), eventOf('h2')]
    const leftOut = [{ event: eventOf('h3'), reason: {} }]
    const { out, rows, counters } = runNode([1, 2, 3, 4], event => {
      if (event.message === 1) return settle('held', [], leftOut)
      if (event.message === 2) return settle('passed', held, leftOut)
      if (event.message === 3) return settle('dropped', [], [...leftOut, ...leftOut])
      return event
    })
    expect(out).toEqual([2, 'h1', 'h2', 4])
    expect(rows).toEqual([1, 1, 1, 3])
    expect(counters).toMatchObject({ eventsIn: 4, eventsOut: 4, dropped: 5, droppedBytes: 9, held: 1 - 6 })
  })

  test('that are merged into several windows count as copies', () => {
    const { counters } = runNode([1, 2], event => new Gathered(event.message === 2, [], undefined, 3))
    expect(counters).toMatchObject({ eventsIn: 2, copied: 6, merged: 7, held: 1, eventsOut: 0 })
  })

  test('do not include failed events, which become dead letters, but events that passed with an error', () => {
    const { out, errors, deadLetters, counters } = runNode([1, 2, 3], event => {
      if (event.message === 1) return fail('E_SCRIPT_FAILED')
      if (event.message === 2) return pass(event, 'E_NOT_FOUND', { field: '.x' })
      return drop()
    })
    expect(out).toEqual([2])
    expect(errors).toEqual(['E_SCRIPT_FAILED 1', 'E_NOT_FOUND 2'])
    expect(deadLetters).toEqual(['E_SCRIPT_FAILED 1'])
    expect(counters).toMatchObject({ eventsIn: 3, failed: 1, dropped: 1, eventsOut: 1 })
  })

  test('with a changed event have it in place of the previous one, counted with its own size', () => {
    const { out, counters } = runNode([1, 2], event =>
      event.message === 1 ? event.withMessage('long') : event,
    )
    expect(out).toEqual(['long', 2])
    expect(counters).toMatchObject({ bytesIn: 2, bytesOut: 5 })
  })

  test('are the run itself if all events pass unchanged', () => {
    const { run, input } = runNode([1, 2, 3], event => event)
    expect(run?.events).toBe(input)
  })

  test('are not passed on if no event is left', () => {
    const { out, counters } = runNode([1, 2], () => drop())
    expect(out).toBeUndefined()
    expect(counters).toMatchObject({ eventsIn: 2, dropped: 2, eventsOut: 0 })
  })
})

test('with several events for one count as work, so a stretch may end within an event', () => {
  const inbox: Inbox = { run: undefined }
  const stretch = new Stretch()
  const count = Math.ceil(stretch.left / EVENT_UNITS)
  let made = 0
  const parts = function* () {
    for (let index = 0; index < 2 * count; index++) {
      made++
      yield eventOf(index)
    }
  }
  const desk = new ErrorDesk('n')
  const process = () => splitInTurn({ count: 2 * count, events: parts(), bytes: 0, copyUnits: 0 })
  const node = new ProcessingNode({ id: 'n', inboxes: [inbox], process, state: undefined, desk })
  const port = new CompiledOutput(node.counters)
  const reader: Inbox = { run: undefined }
  port.readers.push(reader)
  node.outputs.set(DEFAULT_OUTPUT, port)
  const events = ['a', 'b'].map(eventOf)
  inbox.run = { events, rows: ascending(events.length), bytes: events.length }
  const madeAtRests: number[] = []
  for (const _ of node.step({ nowMs: 0, deliver: () => undefined, report: () => {}, stretch }))
    madeAtRests.push(made)
  expect(madeAtRests.length).toBeGreaterThanOrEqual(4)
  for (const [index, atRest] of madeAtRests.entries()) {
    expect(atRest).toBeGreaterThan(madeAtRests[index - 1] ?? 0)
    expect(atRest - (madeAtRests[index - 1] ?? 0)).toBeLessThanOrEqual(count)
  }
  const numbers = Array.from({ length: 2 * count }, (_, index) => index)
  expect(reader.run?.events.map(({ message }) => message)).toEqual([...numbers, ...numbers])
  expect(node.counters).toMatchObject({ eventsIn: 2, created: 4 * count - 2, eventsOut: 4 * count })
})

test('an event whose parts, or whose longer message, would be too much of one record fails as a whole', () => {
  let made = 0
  const parts = function* (count: number) {
    for (; count > 0; count--) {
      made++
      yield eventOf('part')
    }
  }
  const process = (event: Event) => {
    if (event.message === 2) return pass(event.withMessage('longer'), 'E_NOT_FOUND')
    if (event.message === 4) return event.withMessage(0)
    return splitInTurn({ count: 3, events: parts(3), bytes: 12, copyUnits: 0 })
  }
  const { out, errors, deadLetters, counters } = runNode([1, 2, 3, 4], process, new RecordYield(4, 16))
  expect(out).toEqual(['part', 'part', 'part', 0])
  expect(made).toBe(3)
  expect(errors).toEqual(['E_EXPRESSION_COST 2', 'E_EXPRESSION_COST 3'])
  expect(deadLetters).toEqual(errors)
  expect(counters).toMatchObject({ eventsIn: 4, created: 2, failed: 2, eventsOut: 4 })
})

test('a node pauses after each few events of very many bytes, and not after small ones', () => {
  const pausesOf = (events: readonly Event[]) => {
    const inbox: Inbox = { run: undefined }
    const parts = { id: 'n', inboxes: [inbox], state: undefined, desk: new ErrorDesk('n') }
    const node = new ProcessingNode({ ...parts, process: event => event })
    node.outputs.set(DEFAULT_OUTPUT, new CompiledOutput(node.counters))
    const bytes = events.reduce((sum, event) => sum + event.bytes, 0)
    inbox.run = { events, rows: ascending(events.length), bytes }
    const context = { nowMs: 0, deliver: () => undefined, report: () => {}, stretch: new Stretch() }
    return [...node.step(context)].length
  }
  const twenty = <Each>(each: Each) => Array<Each>(20).fill(each)
  expect(pausesOf(twenty(eventOf(1)))).toBe(0)
  expect(pausesOf(twenty(eventOf('x'.repeat(13_000))))).toBeGreaterThanOrEqual(18)
  const rest = { other: { member: 'x'.repeat(13_000) } }
  const batch = sentBatch(twenty({ line: 'x', rest }))
  expect(pausesOf(twenty(0).map((_, index) => Event.ofLine(batch, index)))).toBeGreaterThanOrEqual(18)
})
