import { expect, test } from 'vitest'
import { ELEVENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { pushedEvents } from '../../test/support/pushed-events.ts'
import { sentBatch } from '../../test/support/sent-lines.ts'
import { Event } from './event.ts'
import { keptBytes, keptEvent, keptEventsJson, keptEventsOf, returnedEvents } from './kept-event.ts'

const WHOLE_SECOND_MS = Date.UTC(2031, 2, 9, 8, 15, 30)

/** Lines of two requests, events of gateway routes under two behaviours, and events without a line; some of them changed. */
function drawnEvents(): Event[] {
  const full = { app: 'shop', level: 'warn', env: 'test', file: 'a.log', host: 'web-2', meta: '{"é":1}' }
  const lines = sentBatch([
    { line: 'ünïcode €', ...full, timestamp: 7, rest: { tags: ['a'], label: { b: 1 } } },
    { line: '', timestamp: '2031' },
    { line: 'changed' },
  ])
  const others = sentBatch([{ line: '{"b":1,  "a":2}', app: 'shop' }], { hostname: 'web-9', tags: ['z'] })
  const [first, second, third] = [0, 1, 2].map(index => Event.ofLine(lines, index)) as [Event, Event, Event]
  const pushed = pushedEvents(['{"n":1}', '{"n":12345678901234567890}'])
  const earlier = pushedEvents(['{"n":2}'], ELEVENTH_BEHAVIOUR, WHOLE_SECOND_MS)
  const bare = Event.of({ n: 3 }, { m: 1 }, '2031-03-09T08:15:30Z')
  return [
    first,
    second.withAnnotations({ app: 'gate' }),
    Event.ofLine(others, 0),
    third.withMessage({ line: 'other' }).withMetadata({ m: '€' }).withTimestamp('2031-03-09T08:15:31Z'),
    bare,
    ...pushed.map((event, index) => (index === 0 ? event.withMessage({ n: '1' }) : event)),
    ...earlier,
    bare.withAnnotations({ a: 1 }),
  ]
}

const factsOf = (event: Event) => ({
  message: event.message,
  metadata: event.metadata,
  timestamp: event.timestamp,
  annotations: event.annotations,
  untouched: event.untouched,
  isLogLine: event.isLogLine,
  bytes: event.bytes,
  rareBytes: event.rareBytes,
  forms: event.forms,
})

test('kept events are returned as they were, all together, one by one, and from a snapshot', () => {
  const events = drawnEvents()
  const kept = events.map(keptEvent)
  const expected = events.map(factsOf)
  const json = JSON.parse(JSON.stringify(keptEventsJson(kept)))
  expect(json.length).toBeLessThan(events.length)
  for (const returned of [
    returnedEvents(kept),
    kept.flatMap(each => returnedEvents([each])),
    returnedEvents(json.flatMap(keptEventsOf)),
  ])
    expect(returned.map(factsOf)).toEqual(expected)
})

test('an event has one size, also after a snapshot', () => {
  const kept = drawnEvents().map(keptEvent)
  const restored = keptEventsJson(kept).flatMap(each => keptEventsOf(JSON.parse(JSON.stringify(each))))
  expect(restored.map(keptBytes)).toEqual(kept.map(keptBytes))
})

test('a changed event of a gateway route does not carry the text that was sent', () => {
  const [event] = pushedEvents([`{"text":"${'x'.repeat(1_000)}"}`]) as [Event]
  expect(keptBytes(keptEvent(event.withMessage({})))).toBeLessThan(200)
})
