import { expect, test } from 'vitest'
import { sentEvent } from '../test/support/sent-lines.ts'
import { fieldAt } from './field-path.ts'

test('members of a line that are named like what every object has are kept as they were sent', () => {
  const other = JSON.parse('{"__proto__":{"x":1},"constructor":"c","toString":5}')
  const event = sentEvent({ line: 'text', rest: { other } })
  expect(JSON.stringify(event.message)).toContain('"__proto__":{"x":1},"constructor":"c","toString":5')
  expect(fieldAt('.__proto__.x').read(event)).toBe(1)
  expect(fieldAt('.constructor').read(event)).toBe('c')
  expect(Object.getPrototypeOf(event.message)).toBe(Object.prototype)
})

test('a changed message is as many bytes as its text form, an untouched line as many as its text and meta', () => {
  const event = sentEvent({ line: 'größe', meta: '{"a":1}' })
  expect(event.bytes).toBe(7 + 7)
  expect(event.withMessage({ a: 'ö"' }).bytes).toBe(Buffer.byteLength('{"a":"ö\\""}'))
  expect(event.withMessage('ö').bytes).toBe(2)
})
