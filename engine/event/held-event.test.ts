import { expect, test } from 'vitest'
import { BEHAVIOUR, ELEVENTH_BEHAVIOUR, FOURTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { pushedEvents } from '../../test/support/pushed-events.ts'
import type { Event } from './event.ts'
import { heldEvent, heldEventJson, heldEventOf, releasedEvent, releasedEvents } from './held-event.ts'

const WHOLE_SECOND_MS = Date.UTC(2031, 2, 9, 8, 15, 30)

test.each([
  [FOURTH_BEHAVIOUR, '2031-03-09T08:15:30.000Z'],
  [ELEVENTH_BEHAVIOUR, '2031-03-09T08:15:30.000Z'],
  [BEHAVIOUR, '2031-03-09T08:15:30Z'],
])('an event that is held under behaviour %i keeps its forms, also in a snapshot', (behaviour, time) => {
  const [event] = pushedEvents(['{"b":1}'], behaviour, WHOLE_SECOND_MS) as [Event]
  const held = heldEvent(event)
  const restored = heldEventOf(JSON.parse(JSON.stringify(heldEventJson(held))))
  for (const released of [event, releasedEvent(held), releasedEvent(restored), ...releasedEvents([restored])])
    expect([released.timestamp, released.forms]).toEqual([time, event.forms])
})

test('events of different forms that are released together keep their own', () => {
  const held = [ELEVENTH_BEHAVIOUR, BEHAVIOUR].map(behaviour =>
    heldEvent(pushedEvents(['{"b":1}'], behaviour, WHOLE_SECOND_MS)[0] as Event),
  )
  const times = releasedEvents(held).map(({ timestamp }) => timestamp)
  expect(times).toEqual(['2031-03-09T08:15:30.000Z', '2031-03-09T08:15:30Z'])
})
