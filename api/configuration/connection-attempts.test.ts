import { describe, expect, test } from 'vitest'
import type { ApiError } from '../http/errors.ts'
import { ConnectionAttempts } from './connection-attempts.ts'

const MINUTE_MS = 60_000
const LIST = 'a.example:1'

const of = (account: number | string, enterprise = 'enterprise') => ({ account: String(account), enterprise })

/** Sentence and seconds of the refusal of an attempt; undefined: it may begin. */
function refusal(attempts: ConnectionAttempts, account: number | string, nowMs: number) {
  try {
    attempts.begin(of(account), LIST, nowMs)
    return undefined
  } catch (error) {
    const { status, message, headers } = error as ApiError
    expect(status).toBe(429)
    return { message, retryAfterS: Number(headers['retry-after']) }
  }
}

describe('an account', () => {
  test('kept its sibling from an attempt of its own', () => {
    const attempts = new ConnectionAttempts()
    expect(refusal(attempts, 1, 0)).toBeUndefined()
    expect(refusal(attempts, 2, 0)).toBeUndefined()
  })

  test('has one attempt per minute', () => {
    const attempts = new ConnectionAttempts()
    expect(refusal(attempts, 1, 5)).toBeUndefined()
    expect(refusal(attempts, 1, MINUTE_MS + 4)).toEqual({
      message: 'Connections to other hosts and ports are tried once a minute for an account',
      retryAfterS: 1,
    })
    expect(refusal(attempts, 1, MINUTE_MS + 5)).toBeUndefined()
  })

  test('continues an open attempt with its list, but with no other list, and no other account does', () => {
    const attempts = new ConnectionAttempts()
    const first = attempts.begin(of(1), LIST, 0)
    expect(() => attempts.begin(of(1), LIST, 1)).toThrow('once a minute')
    first.isOpen = true
    expect(attempts.begin(of(1), LIST, 1)).toBe(first)
    expect(() => attempts.begin(of(1), `${LIST} b.example:2`, 1)).toThrow('once a minute')
    expect(attempts.begin(of(2), LIST, 1).isOpen).toBe(false)
  })
})

describe('an enterprise', () => {
  test('has ten attempts per minute, however many accounts it has', () => {
    const attempts = new ConnectionAttempts()
    for (let account = 0; account < 10; account++)
      expect(refusal(attempts, account, account * 1_000)).toBeUndefined()
    expect(refusal(attempts, 10, 20_000)).toEqual({
      message:
        'Connections to other hosts and ports are tried 10 times a minute for all accounts of an enterprise together',
      retryAfterS: 40,
    })
    expect(() => attempts.begin(of(11, 'another enterprise'), LIST, 20_000)).not.toThrow()
    expect(refusal(attempts, 10, MINUTE_MS)).toBeUndefined()
    expect(refusal(attempts, 11, MINUTE_MS)).toBeDefined()
  })

  test('keeps half of its attempts for accounts that have not tried within ten minutes', () => {
    const attempts = new ConnectionAttempts()
    for (let account = 0; account < 10; account++) refusal(attempts, account, 0)
    for (let account = 0; account < 5; account++)
      expect(refusal(attempts, account, MINUTE_MS)).toBeUndefined()
    expect(refusal(attempts, 5, MINUTE_MS)).toEqual({
      message:
        'Connections to other hosts and ports are tried 10 times a minute for all accounts of an enterprise together, half of them for accounts that have not tried within the last ten minutes',
      retryAfterS: 60,
    })
    expect(refusal(attempts, 10, MINUTE_MS)).toBeUndefined()
    // Its attempt is ten minutes old.
    for (let account = 11; account < 16; account++) refusal(attempts, account, 10 * MINUTE_MS - 1)
    expect(refusal(attempts, 5, 10 * MINUTE_MS - 1)).toBeDefined()
    expect(refusal(attempts, 5, 10 * MINUTE_MS)).toBeUndefined()
  })

  test('with attempts in all accounts once a minute never delays a new account', () => {
    const attempts = new ConnectionAttempts()
    for (let minute = 0; minute < 60; minute++)
      for (let account = 0; account < 100; account++) refusal(attempts, account % 10, minute * MINUTE_MS)
    expect(refusal(attempts, 'new', 59 * MINUTE_MS + 1)).toBeUndefined()
  })
})

test('at most a hundred attempts of an enterprise are kept, and none for longer than ten minutes', () => {
  const attempts = new ConnectionAttempts()
  let most = 0
  for (let atMs = 0; atMs < 30 * MINUTE_MS; atMs += 1_000) {
    if (atMs === 9 * MINUTE_MS) attempts.begin(of('quiet', 'quiet'), LIST, atMs)
    refusal(attempts, atMs, atMs)
    most = Math.max(most, attempts.size)
  }
  expect(most).toBe(101)
  attempts.begin(of('late', 'late'), LIST, 45 * MINUTE_MS)
  expect(attempts.size).toBe(1)
})
