import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AccountQueue } from './account-queue.ts'

/** Begins works that end when a test says so. */
class Works {
  readonly queue = new AccountQueue('simulations')
  /** Enterprises of accounts that belong to one. */
  readonly enterprises: Record<string, string> = {}
  readonly begun: string[] = []
  readonly #ends = new Map<string, (error?: Error) => void>()

  begin(account: string, name: string, gone = new AbortController().signal): Promise<void> {
    return this.queue.run({ account, enterprise: this.enterprises[account] ?? account }, gone, () => {
      this.begun.push(name)
      return new Promise((resolve, reject) => {
        this.#ends.set(name, error => (error === undefined ? resolve() : reject(error)))
      })
    })
  }

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)?.(error)
    await setImmediate()
  }
}

test('one simulation of an account runs at once, two of a process, and the oldest that may run is next', async () => {
  const works = new Works()
  for (const [account, name] of [
    ['a', 'a1'],
    ['a', 'a2'],
    ['b', 'b1'],
    ['c', 'c1'],
  ] as const)
    works.begin(account, name).catch(() => {})
  await setImmediate()
  expect(works.begun).toEqual(['a1', 'b1'])
  await works.end('b1')
  expect(works.begun).toEqual(['a1', 'b1', 'c1'])
  await works.end('a1', new Error('it failed'))
  expect(works.begun).toEqual(['a1', 'b1', 'c1', 'a2'])
})

test('enterprises take turns, however many accounts wait', async () => {
  const works = new Works()
  for (const account of ['a', 'b', 'c', 'd']) works.enterprises[account] = 'e'
  for (const account of ['a', 'b', 'c', 'd', 'lone']) works.begin(account, account).catch(() => {})
  await setImmediate()
  expect(works.begun).toEqual(['a', 'b'])
  for (const ended of ['a', 'b', 'lone', 'c']) await works.end(ended)
  expect(works.begun).toEqual(['a', 'b', 'lone', 'c', 'd'])
})

test('twenty simulations of an account wait, and a further one is refused, without an effect on other accounts', async () => {
  const works = new Works()
  for (let index = 0; index < 21; index++) works.begin('a', `a${index}`).catch(() => {})
  await expect(works.begin('a', 'more')).rejects.toMatchObject({ status: 429 })
  works.begin('b', 'b1').catch(() => {})
  await setImmediate()
  expect(works.begun).toEqual(['a0', 'b1'])
  await works.end('a0')
  works.begin('a', 'again').catch(() => {})
  expect(works.begun).toEqual(['a0', 'b1', 'a1'])
})

test('a client that left before its turn made others of its account get 429 until then: its place is free at once', async () => {
  const works = new Works()
  const clients = Array.from({ length: 21 }, () => new AbortController())
  const answers = clients.map(({ signal }, index) => works.begin('a', `a${index}`, signal))
  for (const answer of answers) answer.catch(() => {})
  await expect(works.begin('a', 'more')).rejects.toMatchObject({ status: 429 })
  clients[5]?.abort()
  await expect(answers[5]).rejects.toBe(clients[5]?.signal.reason)
  works.begin('a', 'more').catch(() => {})
  for (let index = 0; index < 21; index++) await works.end(`a${index}`)
  expect(works.begun).toEqual([
    ...clients
      .keys()
      .map(index => `a${index}`)
      .filter(name => name !== 'a5'),
    'more',
  ])
})

test('a client that leaves while its simulation runs does not give the place of another one back', async () => {
  const works = new Works()
  const client = new AbortController()
  works.begin('a', 'a0', client.signal).catch(() => {})
  works.begin('a', 'a1').catch(() => {})
  await setImmediate()
  client.abort()
  await setImmediate()
  expect(works.begun).toEqual(['a0'])
  await works.end('a0')
  expect(works.begun).toEqual(['a0', 'a1'])
  await expect(works.begin('a', 'a2', client.signal)).rejects.toBe(client.signal.reason)
})
