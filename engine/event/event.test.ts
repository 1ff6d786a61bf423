import { expect, test } from 'vitest'
import { pushedEvents } from '../../test/support/line-batches.ts'
import { sentEvent } from '../../test/support/sent-lines.ts'
import { fieldAt } from './field-path.ts'

test('members of a line with the names of properties of every object are kept as sent', () => {
  const other = JSON.parse('{"__proto__":{"x":1},"constructor":"c","toString":5}')
  const event = sentEvent({ line: 'text', rest: { other } })
  expect(JSON.stringify(event.message)).toContain('"__proto__":{"x":1},"constructor":"c","toString":5')
  expect(fieldAt('.__proto__.x').read(event)).toBe(1)
  expect(fieldAt('.constructor').read(event)).toBe('c')
  expect(Object.getPrototypeOf(event.message)).toBe(Object.prototype)
})

test('a changed message counts the bytes of its text form, and an unchanged line those of its text and meta', () => {
  const event = sentEvent({ line: 'größe', meta: '{"a":1}' })
  expect(event.bytes).toBe(7 + 7)
  expect(event.withMessage({ a: 'ö"' }).bytes).toBe(Buffer.byteLength('{"a":"ö\\""}'))
  expect(event.withMessage('ö').bytes).toBe(2)
})

test('annotations stay with the event that they belong to, whatever else changes', () => {
  const event = sentEvent({ line: 'text' })
  const annotated = event.withAnnotations({ app: 'a' })
  const changed = annotated.withMessage({ b: 1 }).withMetadata({}).withTimestamp('2031-03-09T08:15:30Z')
  expect(changed.annotations).toEqual({ app: 'a' })
  expect([event.annotations, annotated.untouched, annotated.bytes]).toEqual([undefined, true, event.bytes])
})

test('an event from a gateway route is its message, with the metadata of its request', () => {
  const metadata = { headers: { 'user-agent': 'gate' } }
  const messages = [{ line: 'text', app: 'a', n: 12345678901234567890n }, 'höst', null, [1]]
  const events = pushedEvents(messages, metadata)
  expect(events.map(event => event.message)).toEqual(messages)
  for (const event of events) {
    expect(event.metadata).toEqual(metadata)
    expect(event.timestamp).toBe('2023-11-14T22:13:20Z')
    expect([event.isLogLine, event.untouched]).toEqual([false, true])
  }
  expect(events.map(event => event.member('line'))).toEqual(['text', undefined, undefined, undefined])
  expect(events.map(event => event.member('host'))).toEqual([undefined, undefined, undefined, undefined])
  expect(events.map(event => event.bytes)).toEqual([50, 5, 4, 3])
  expect(pushedEvents([1]).map(event => event.metadata)).toEqual([{}])
})
