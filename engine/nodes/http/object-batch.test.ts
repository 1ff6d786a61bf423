import { expect, test } from 'vitest'
import type { JsonValue } from '../../../schemas/json.ts'
import { Event } from '../../event/event.ts'
import { type ObjectOptions, objectBatches } from './object-batch.ts'

interface Options extends ObjectOptions {
  readonly prefix?: string
}

const objects = objectBatches<Options>(({ prefix }) => prefix)
const eventOf = (message: JsonValue) => Event.of(message, {}, '2031-03-09T23:15:30.250Z')

test.each<[string | undefined, JsonValue, string]>([
  [undefined, {}, ''],
  ['/', {}, ''],
  ['//logs/', {}, '/logs/'],
  ['{{ .app }}/%Y-%m-%d/%H', { app: '%d/ä' }, '%d/ä/2031-03-09/23'],
  ['/{{ .app }}/', { app: 7 }, '7/'],
  ['/{{ .app }}/', { other: 7 }, ''],
])('the prefix %s of %j is %j', (prefix, message, rendered) => {
  const config = { ...(prefix !== undefined && { prefix }) }
  expect(objects.batching.splitOf?.(eventOf(message), config)).toBe(rendered)
})

test.each<[string, boolean]>([
  ['a/b', true],
  ['a/../b', false],
  ['..', false],
  ['./b', false],
  ['..a/...', true],
  ['ä'.repeat(479), true],
  ['ä'.repeat(480), false],
])('an app %j in a prefix can be sent: %s', (app, canBe) => {
  const failure = objects.nameFailure(eventOf({ app }), { prefix: '/{{ .app }}/' })
  expect(failure === undefined).toBe(canBe)
})

test('a larger batch makes objects with names of their own, the same at each repeat', () => {
  const names = (): string[] => {
    const seen: string[] = []
    const events = Array.from({ length: 3 }, () => eventOf('x'.repeat(4_000_000)))
    const batch = { id: 'id', events, eventIds: ['1', '2', '3'], closedMs: 1_999 }
    const head = (name: string) => {
      seen.push(name)
      return { method: 'PUT', url: `https://a.example/${name}`, headers: {} }
    }
    expect([...objects.requests(batch, { prefix: 'a/' }, head)].map(({ events: count }) => count)).toEqual([
      2, 1,
    ])
    return seen
  }
  expect(names()).toEqual(['a/1-id.log', 'a/1-id.2.log'])
  expect(names()).toEqual(names())
})

test('a batch without events needs no object', () => {
  const batch = { id: 'id', events: [], eventIds: [], closedMs: 0 }
  expect([...objects.requests(batch, {}, () => ({ method: 'PUT', url: '', headers: {} }))]).toEqual([])
})
