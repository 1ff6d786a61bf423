import { beforeEach, expect, test } from 'vitest'
import { DeliveryMemory, type Standing } from './delivery-memory.ts'

const NEVER = new AbortController().signal

let memory: DeliveryMemory
/** Names of the requests that have begun, in order. */
let begun: string[]

beforeEach(() => {
  memory = new DeliveryMemory(100)
  begun = []
})

/** Begins a request when there is room. @returns what ends it */
function request(name: string, bytes: number, standing: Standing, signal = NEVER) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = memory.run(bytes, standing, signal, () => {
    begun.push(name)
    return promise
  })
  done.catch(() => {})
  return async () => {
    resolve()
    await done
    await settled()
  }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

test('requests hold what was given to them, and the next ones wait in order', async () => {
  const endFirst = request('a', 50, 'proven')
  request('b', 41, 'proven')
  request('c', 10, 'proven')
  request('d', 1, 'proven')
  await settled()
  expect([begun, memory.heldBytes]).toEqual([['a', 'b'], 91])
  await endFirst()
  expect([begun, memory.heldBytes]).toEqual([['a', 'b', 'c', 'd'], 52])
})

test('a request with more than a half counts as a half', async () => {
  request('a', 1_000, 'proven')
  request('b', 1_000, 'failing')
  request('c', 1_000, 'proven')
  await settled()
  expect([begun, memory.heldBytes]).toEqual([['a', 'b'], 100])
})

test('remotes that have not proven that they answer hold one half together', async () => {
  const endFirst = request('dead', 30, 'failing')
  request('dead too', 21, 'failing')
  request('new', 20, 'new')
  request('good', 50, 'proven')
  await settled()
  expect([begun, memory.heldBytes]).toEqual([['dead', 'new', 'good'], 100])
  await endFirst()
  expect(begun).toEqual(['dead', 'new', 'good', 'dead too'])
})

test('remotes that were never asked come before those that have failed', async () => {
  const endFirst = request('dead', 50, 'failing')
  request('dead too', 1, 'failing')
  request('new', 49, 'new')
  request('newer', 2, 'new')
  await endFirst()
  expect(begun).toEqual(['dead', 'new'])
})

test('remotes that answer use the other half as long as nobody waits for it', async () => {
  const ends = [request('a', 50, 'proven'), request('b', 50, 'proven')]
  request('new', 30, 'new')
  request('c', 20, 'proven')
  await settled()
  expect(begun).toEqual(['a', 'b'])
  await ends[0]?.()
  expect(begun).toEqual(['a', 'b', 'new', 'c'])
})

test('a request gives back what it does not need any more', async () => {
  let shrink = () => {}
  void memory.run(50, 'proven', NEVER, held => {
    shrink = () => held.shrinkTo(10)
    return new Promise(() => {})
  })
  request('a', 50, 'proven')
  request('b', 40, 'proven')
  await settled()
  shrink()
  shrink()
  await settled()
  expect([begun, memory.heldBytes]).toEqual([['a', 'b'], 100])
})

test('one that is aborted while it waits leaves, and its place is for the next', async () => {
  const ended = new AbortController()
  request('a', 50, 'failing')
  const waiting = memory.run(50, 'new', ended.signal, async () => begun.push('aborted'))
  request('b', 1, 'failing')
  ended.abort('the end')
  await expect(waiting).rejects.toBe('the end')
  await expect(memory.run(50, 'new', ended.signal, async () => 1)).rejects.toBe('the end')
  expect([begun, memory.heldBytes]).toEqual([['a'], 50])
})
