import { expect, test } from 'vitest'
import { askerOfKey } from '../../turns/asker.ts'
import { Lane } from './lane.ts'

const signal = new AbortController().signal
const settled = () => new Promise(setImmediate)

/** Tasks of these accounts, in this order. @returns accounts whose tasks have begun, and how each ends */
function tasks(lane: Lane<number>, accounts: readonly string[]) {
  const began: string[] = []
  const ends: (() => void)[] = []
  const failures: string[] = []
  for (const account of accounts)
    lane.take(askerOfKey(account), signal).then(
      worker => {
        began.push(account)
        ends.push(() => lane.give(worker))
      },
      error => failures.push(String(error)),
    )
  return { began, ends, failures }
}

test('accounts take turns, and one of them leaves a worker for the others', async () => {
  const { began, ends } = tasks(new Lane([1, 2, 3], 2), ['a', 'a', 'a', 'a', 'b', 'b', 'c'])
  await settled()
  expect(began).toEqual(['a', 'a', 'b'])
  for (let ended = 0; ended < 7; ended++) {
    ends[ended]?.()
    await settled()
  }
  expect(began).toEqual(['a', 'a', 'b', 'a', 'b', 'c', 'a'])
})

test('each task has a worker of its own', async () => {
  const lane = new Lane([1, 2])
  const [first, second] = [await lane.take(askerOfKey('a'), signal), await lane.take(askerOfKey('a'), signal)]
  const third = lane.take(askerOfKey('a'), signal)
  lane.give(first)
  expect(new Set([second, await third])).toEqual(new Set([1, 2]))
})

test('an account with 200 waiting tasks is turned away, and others are not', async () => {
  const lane = new Lane([1])
  const many = tasks(lane, [...Array(202).fill('a'), 'b'])
  await settled()
  expect(many.failures).toEqual([expect.stringContaining('too many statements wait for their turn')])
  many.ends[0]?.()
  await settled()
  many.ends[1]?.()
  await settled()
  expect(many.began).toEqual(['a', 'a', 'b'])
})

test('a lane that closes refuses waiting tasks, also one whose turn has just come, and waits for the others', async () => {
  const lane = new Lane([1, 2])
  const { began, ends, failures } = tasks(lane, ['a', 'a', 'a', 'a'])
  await settled()
  ends[0]?.()
  let isClosed = false
  const closed = lane.close().finally(() => {
    isClosed = true
  })
  await settled()
  expect([began.length, failures.length, isClosed]).toEqual([2, 2, false])
  ends[1]?.()
  expect(await closed).toEqual([1, 2])
  await expect(lane.take(askerOfKey('a'), signal)).rejects.toThrow('the store is stopping')
})
