import { expect, test } from 'vitest'
import { SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { exclusion, retention } from '../../../test/support/world.ts'

const RULES = {
  accountId: SAMPLE_ACCOUNT,
  exclusions: [exclusion('e', { apps: ['noise'] })],
  retentionRules: [retention('r', 7, { apps: ['debug'] })],
}

/** Runs a line of each of three apps. @returns apps and retention, in days, of those that are stored */
function kept(fold: LooseFold) {
  fold.run(['noise', 'debug', 'web'])
  return fold.rows().map(({ app, retention }) => [app, retention])
}

test('lines behind the cut are excluded and kept by its rules alone', () => {
  const fold = new LooseFold()
  expect(kept(fold)).toEqual([
    ['noise', 30],
    ['debug', 30],
    ['web', 30],
  ])
  const cut = fold.apply('line-rules', SAMPLE_ACCOUNT, RULES)
  const byRules = [
    ['debug', 7],
    ['web', 30],
  ]
  expect(kept(fold)).toEqual(byRules)
  expect(kept(fold.restored())).toEqual(byRules)
  expect([...fold.parts.cuts.ofAccount(SAMPLE_ACCOUNT)]).toEqual([cut])
  fold.apply('line-rules', SAMPLE_ACCOUNT, { ...RULES, exclusions: [], retentionRules: [] })
  expect(kept(fold)).toHaveLength(3)
})
