import { expect, test } from 'vitest'
import { rekeyedType } from '../../../schemas/log/rekeyed.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../../test/support/world.ts'

const LIMITING = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window_ms: 1_000 }),
]
const ACCOUNT = 'aaaaaaaaaa'

test('the cut sends the memory of an account to the keyed partitions, or asks for it back', () => {
  const fold = new LooseFold()
  fold.deploy(LIMITING, { account: ACCOUNT })
  fold.run(['web'], ACCOUNT)
  const sent = () => {
    const values = fold.parts.exchange.mail.take().flat()
    return values.flatMap(({ value }) => rekeyedType.decode(value).parts.flatMap(part => Object.keys(part)))
  }
  const shares = () => fold.parts.accounts.of(ACCOUNT).spread?.placement.shares
  expect([sent(), shares()]).toEqual([[], undefined])
  fold.apply('spread', ACCOUNT, { isSpread: true })
  expect([sent(), shares()]).toEqual([['weir.ForwardedCut', 'weir.MovedState', 'weir.ShareMoved'], []])
  const { version } = fold.apply('spread', ACCOUNT, { isSpread: false })
  expect([sent(), shares()]).toEqual([['weir.ShareRecalled'], []])
  expect([...fold.parts.cuts.spreads]).toEqual([[ACCOUNT, version]])
})
