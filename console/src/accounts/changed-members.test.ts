import { expect, test } from 'vitest'
import { changedMembers, type TypedAccount } from './changed-members.ts'
import type { AccountRecord } from './requests.ts'

const SHOP: AccountRecord = {
  ...{ account: '0123456789', account_id: '0123456789', enterprise_id: 'e', company: 'Shop' },
  ...{ owneremail: 'ann@shop.example', plan: { type: 'enterprise' }, status: 'active', retention: 7 },
  ...{ quota: { retention: 7 }, external_id: null, created: '2026-01-01T00:00:00.000Z' },
  meta: { suspendIngestion: false },
}
const TYPED: TypedAccount = { company: 'Shop', owneremail: 'ann@shop.example', retention: '7' }

test.each<[string, Partial<TypedAccount>, object]>([
  ['nothing', {}, {}],
  ['the company alone', { company: 'Till' }, { company: 'Till' }],
  ['the owner alone', { owneremail: 'bob@shop.example' }, { owneremail: 'bob@shop.example' }],
  ['the retention alone, also to 0 days', { retention: '0' }, { retention: 0 }],
  ['nothing where the days are left empty', { retention: '' }, {}],
  ['days that the server refuses', { retention: '1.5' }, { retention: 1.5 }],
])('a change has %s', (_, typed, changes) => {
  expect(changedMembers({ ...TYPED, ...typed }, SHOP)).toEqual(changes)
})

test('a new account without days gets those of the server', () => {
  expect(changedMembers({ ...TYPED, retention: '' }, undefined)).toEqual({
    company: 'Shop',
    owneremail: 'ann@shop.example',
  })
})
