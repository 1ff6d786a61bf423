import { expect, test } from 'vitest'
import { Event } from '../../../engine/event/event.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import { tapText } from './tap-messages.ts'

const LIMIT = 65_536
const TIMESTAMP = '2031-03-09T08:15:30.250Z'
const METADATA = { from: 'test' }

function shown(message: JsonValue, output = ''): string {
  return tapText('node', { type: 'event', output, event: Event.of(message, METADATA, TIMESTAMP) })
}

/** The text of an event with that message. */
function eventText(message: string): string {
  return JSON.stringify({ message, metadata: METADATA, timestamp: TIMESTAMP })
}

const ROOM = LIMIT - eventText('').length

test('an event is shown with its metadata and timestamp, numbers with all their digits', () => {
  expect(shown({ big: 9_007_199_254_740_993n })).toBe(
    `{"type":"event","output":"node","event":{"message":{"big":9007199254740993},"metadata":{"from":"test"},"timestamp":"${TIMESTAMP}"}}`,
  )
})

test('the output has its id as name', () => {
  expect(JSON.parse(shown('a', 'errors')).output).toBe('node.errors')
})

test('an event of 64 KiB is shown whole, and of one with one more byte the beginning and the length', () => {
  const whole = 'x'.repeat(ROOM)
  expect(JSON.parse(shown(whole)).event.message).toBe(whole)
  expect(JSON.parse(shown(`${whole}y`))).toEqual({
    type: 'event',
    output: 'node',
    cut: eventText(`${whole}y`).slice(0, LIMIT),
    bytes: LIMIT + 1,
  })
})

test.each(['', 'x'])('a character is never divided (%j before those of two bytes)', before => {
  const message = before + 'é'.repeat(LIMIT)
  const { cut, bytes } = JSON.parse(shown(message))
  expect(bytes).toBe(Buffer.byteLength(eventText(message)))
  expect(eventText(message).startsWith(cut)).toBe(true)
  // The message begins at byte 12, so characters of two bytes begin at even or at odd places.
  expect(Buffer.byteLength(cut)).toBe(before === '' ? LIMIT : LIMIT - 1)
})

test('messages about a revision, skipped events and the end contain their numbers', () => {
  const atMs = Date.parse(TIMESTAMP)
  const mark = {
    type: 'revision',
    revision: null,
    deployment: 7,
    isPaused: false,
    isPresent: false,
    atMs,
  } as const
  expect(JSON.parse(tapText('node', mark))).toEqual({
    type: 'revision',
    revision: null,
    deployment: 7,
    paused: false,
    present: false,
    at: TIMESTAMP,
  })
  expect(JSON.parse(tapText('node', { type: 'skipped', count: 5, notFiltered: 2 }))).toEqual({
    type: 'skipped',
    count: 5,
    not_filtered: 2,
  })
  expect(JSON.parse(tapText('node', { type: 'end', reason: 'time', shown: 3, skipped: 5 }))).toEqual({
    type: 'end',
    reason: 'time',
    message: 'The time is over',
    events: 3,
    skipped: 5,
  })
})
