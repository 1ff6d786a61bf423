import { expect, test } from 'vitest'
import { askerOfKey } from '../../turns/asker.ts'
import { WorkerPool } from './worker-pool.ts'

const signal = new AbortController().signal
const settled = () => new Promise(setImmediate)

/** Tasks of these accounts, in this order. @returns accounts whose tasks have begun, and how each ends */
function tasks(pool: WorkerPool<number>, accounts: readonly string[]) {
  const began: string[] = []
  const ends: (() => void)[] = []
  const failures: string[] = []
  for (const account of accounts)
    pool.take(askerOfKey(account), signal).then(
      worker => {
        began.push(account)
        ends.push(() => pool.give(worker))
      },
      error => failures.push(String(error)),
    )
  return { began, ends, failures }
}

test('accounts take turns, and one of them leaves a worker for the others', async () => {
  const { began, ends } = tasks(new WorkerPool([1, 2, 3], 2), ['a', 'a', 'a', 'a', 'b', 'b', 'c'])
  await settled()
  expect(began).toEqual(['a', 'a', 'b'])
  for (let ended = 0; ended < 7; ended++) {
    ends[ended]?.()
    await settled()
  }
  expect(began).toEqual(['a', 'a', 'b', 'a', 'b', 'c', 'a'])
})

test('each task has a worker of its own', async () => {
  const pool = new WorkerPool([1, 2])
  const [first, second] = [await pool.take(askerOfKey('a'), signal), await pool.take(askerOfKey('a'), signal)]
  const third = pool.take(askerOfKey('a'), signal)
  pool.give(first)
  expect(new Set([second, await third])).toEqual(new Set([1, 2]))
})

test('an account with 200 waiting tasks is turned away, and others are not', async () => {
  const pool = new WorkerPool([1])
  const many = tasks(pool, [...Array(202).fill('a'), 'b'])
  await settled()
  expect(many.failures).toEqual([expect.stringContaining('too many statements wait for their turn')])
  many.ends[0]?.()
  await settled()
  many.ends[1]?.()
  await settled()
  expect(many.began).toEqual(['a', 'a', 'b'])
})

test('a pool that closes refuses waiting tasks, also one whose turn has just come, and waits for the others', async () => {
  const pool = new WorkerPool([1, 2])
  const { began, ends, failures } = tasks(pool, ['a', 'a', 'a', 'a'])
  await settled()
  ends[0]?.()
  let isClosed = false
  const closed = pool.close().finally(() => {
    isClosed = true
  })
  await settled()
  expect([began.length, failures.length, isClosed]).toEqual([2, 2, false])
  ends[1]?.()
  expect(await closed).toEqual([1, 2])
  await expect(pool.take(askerOfKey('a'), signal)).rejects.toThrow('the store is stopping')
})
