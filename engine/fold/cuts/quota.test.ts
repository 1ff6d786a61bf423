import { expect, test } from 'vitest'
import { SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'

/** A quota of a day that ends at 5 s of log time. */
const USED_UP = {
  accountId: SAMPLE_ACCOUNT,
  periods: [{ period: 'daily' as const, untilMs: 5_000, discards: true, rules: [] }],
}

/** Runs a line at a log time. @returns the apps that are stored */
function storedAt(timeMs: number, fold: LooseFold) {
  fold.enter(timeMs)
  fold.run(['web'])
  return fold.stored()
}

test('nothing is stored while the quota is used up, and everything from its next period on', () => {
  const fold = new LooseFold()
  expect(storedAt(1_000, fold)).toEqual(['web'])
  const cut = fold.apply('quota', SAMPLE_ACCOUNT, USED_UP)
  for (const each of [fold, fold.restored()]) {
    expect(storedAt(4_999, each)).toEqual([])
    expect(storedAt(5_000, each)).toEqual(['web'])
  }
  expect([...fold.parts.cuts.ofAccount(SAMPLE_ACCOUNT)]).toEqual([cut])
})
