import { expect, test } from 'vitest'
import { SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../../test/support/world.ts'

/** Passes one line of each app in a minute, and stores it. */
const LIMITING = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], {
    ...{ threshold: 1, window_ms: 60_000 },
    key_field: '.app',
  }),
  node('sink', 'store', 'log-analysis', ['limit']),
]
const EXEMPTION = { accountId: SAMPLE_ACCOUNT, pipeline: 'p', node: 'limit', key: 'web' }

test('a throttle passes all lines of an exempt key, until the log time at which the exemption ends', () => {
  const fold = new LooseFold()
  fold.deploy(LIMITING)
  fold.run(['web', 'web', 'db', 'db'])
  expect(fold.stored()).toEqual(['web', 'db'])
  fold.apply('exemption', 'e', { ...EXEMPTION, untilMs: 5_000, forgetMs: 5_000 })
  fold.enter(4_999)
  fold.run(['web', 'web', 'db'])
  expect(fold.stored()).toEqual(['web', 'web'])
  fold.enter(5_000)
  fold.run(['web'])
  expect(fold.stored()).toEqual([])
})

test('an exemption is in effect in a restored fold, and is forgotten once it is over', () => {
  const fold = new LooseFold()
  fold.deploy(LIMITING)
  const cut = fold.apply('exemption', 'e', { ...EXEMPTION, untilMs: 5_000, forgetMs: 5_000 })
  const { cuts, accounts } = fold.restored().parts
  expect([...cuts.ofAccount(SAMPLE_ACCOUNT)]).toContainEqual(cut)
  expect(accounts.of(SAMPLE_ACCOUNT).exemptions.has('e')).toBe(true)
  cuts.forgetEnded(4_999)
  expect(cuts.version('exemption', 'e')).toBe(cut.version)
  cuts.forgetEnded(5_000)
  expect(cuts.version('exemption', 'e')).toBe(0)
  expect(accounts.of(SAMPLE_ACCOUNT).exemptions.has('e')).toBe(false)
})
