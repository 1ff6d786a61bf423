import { describe, expect, test } from 'vitest'
import type { Caller } from './caller.ts'
import { accountOf, refusalOf } from './permission.ts'

const account = { shortId: '507f1f77bc', id: 'x', retentionDays: 30, ingestionSuspended: false }
const caller = (role: Caller['role'], more: Partial<Caller> = {}): Caller => ({
  subjectId: 's',
  credential: { id: 'k', scope: null, expiresAtMs: null },
  accessType: 'service',
  role,
  delegated: false,
  account,
  ...more,
})
const verdict = (...given: Parameters<typeof refusalOf>) => refusalOf(...given)?.status ?? 'may'

describe('roles', () => {
  test.each([
    ['ingest', [403, 403, 403, 403, 403]],
    ['readonly', ['may', 'may', 403, 403, 403]],
    ['member', ['may', 'may', 'may', 403, 403]],
    ['admin', ['may', 'may', 'may', 'may', 403]],
    ['owner', ['may', 'may', 'may', 'may', 'may']],
  ] as const)('%s', (role, expected) => {
    const levels = ['caller', 'read', 'write', 'admin', 'owner'] as const
    expect(levels.map(needs => verdict(needs, caller(role)))).toEqual(expected)
  })
})

test('acting for a child account has the rights of its owner, except for closing it', () => {
  const delegated = caller('owner', { accessType: 'enterprise', delegated: true })
  expect(verdict('admin', delegated)).toBe('may')
  expect(verdict('owner', delegated)).toBe(403)
})

test('every action that needs an account says so to a caller without one', () => {
  const { account: _, ...above } = caller('owner', { accessType: 'enterprise' })
  expect(verdict('caller', above)).toBe('may')
  expect(verdict('enterprise', above)).toBe('may')
  expect(refusalOf('read', above)?.message).toBe('"x-delegate-account-id" header is required')
  expect(() => accountOf(above)).toThrow('"x-delegate-account-id" header is required')
})
