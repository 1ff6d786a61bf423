import { expect, test } from 'vitest'
import { LooseFold } from '../../../test/support/loose-fold.ts'

const ACCOUNT = 'aaaaaaaaaa'

/** Apps and retention, in days, of the rows that wait for the store. */
const kept = (fold: LooseFold) => fold.rows().map(({ app, retention }) => [app, retention])

test('lines behind the cut are kept for its number of days, earlier lines for 30', () => {
  const fold = new LooseFold()
  fold.run(['earlier'], ACCOUNT)
  const cut = fold.apply('account', ACCOUNT, { accountId: ACCOUNT, retentionDays: 7 })
  fold.run(['later'], ACCOUNT)
  expect(kept(fold)).toEqual([
    ['earlier', 30],
    ['later', 7],
  ])
  expect([...fold.parts.cuts.ofAccount(ACCOUNT)]).toEqual([cut])
  expect([...fold.parts.cuts.ofAccount('another')]).toEqual([])
})

test('a restored fold keeps lines for the same number of days', () => {
  const fold = new LooseFold()
  fold.apply('account', ACCOUNT, { accountId: ACCOUNT, retentionDays: 7 })
  const restored = fold.restored()
  restored.run(['later'], ACCOUNT)
  expect(kept(restored)).toEqual([['later', 7]])
})
