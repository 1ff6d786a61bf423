import { expect, test } from 'vitest'
import { pushedEvents } from '../../../test/support/pushed-events.ts'
import { type EventText, jsonBytesOf } from './event-text.ts'
import { itemBytes, itemRequests, JSON_ARRAY, roomForItems } from './item-requests.ts'

const ITEMS = ['"ä"', '"€€"', '5']
const HEAD = { method: 'POST', url: 'https://a.example/', headers: { 'content-encoding': 'own' } }

function bodiesWithin(bytes: number, frame = JSON_ARRAY): string[] {
  const bounds = { bytes: roomForItems(bytes, frame) }
  return [...itemRequests(ITEMS, frame, bounds, () => HEAD)].map(({ request }) => request.body.toString())
}

test('items fill a body to its last byte, counted in UTF-8', () => {
  const whole = '["ä","€€",5]'
  const bytes = Buffer.byteLength(whole)
  expect(bodiesWithin(bytes)).toEqual([whole])
  expect(bodiesWithin(bytes - 1)).toEqual(['["ä","€€"]', '[5]'])
  expect(ITEMS.reduce((sum, item) => sum + itemBytes(item, JSON_ARRAY), 0)).toBe(
    roomForItems(bytes, JSON_ARRAY),
  )
})

test('the texts around the items count in UTF-8, too', () => {
  const frame = { begin: '{"ü":[', between: ', ', end: ']}' }
  const whole = '{"ü":["ä", "€€", 5]}'
  expect(bodiesWithin(Buffer.byteLength(whole), frame)).toEqual([whole])
  expect(bodiesWithin(Buffer.byteLength(whole) - 1, frame)).toHaveLength(2)
})

test('a compressed request says so, unless its headers say otherwise', () => {
  const headersOf = (headers: Record<string, string>) =>
    [...itemRequests(ITEMS, JSON_ARRAY, { bytes: 100 }, () => ({ ...HEAD, headers }), 'gzip')].map(
      ({ request }) => [request.headers, request.compression],
    )
  expect(headersOf({ 'x-a': 'b' })).toEqual([[{ 'x-a': 'b', 'content-encoding': 'gzip' }, 'gzip']])
  expect(headersOf({ 'content-encoding': 'own' })).toEqual([[{ 'content-encoding': 'own' }, 'gzip']])
})

test('lines that are copied fill a body as their texts do', () => {
  const texts = ['{"a":"ä€😀"}', '{}', '{"b":[1,null]}']
  const lines = pushedEvents(texts).map(jsonBytesOf)
  expect(lines.map(line => typeof line)).toEqual(['object', 'object', 'object'])
  const mixed = lines.with(1, '{}')
  const frame = { begin: '{"ü":[', between: ', ', end: ']}' }
  const bodiesOf = (items: readonly EventText[], bytes: number) =>
    [...itemRequests(items, frame, { bytes }, () => HEAD)].map(({ request }) => request.body.toString())
  for (let bytes = 1; bytes < 60; bytes++) {
    expect(bodiesOf(lines, bytes)).toEqual(bodiesOf(texts, bytes))
    expect(bodiesOf(mixed, bytes)).toEqual(bodiesOf(texts, bytes))
  }
})
