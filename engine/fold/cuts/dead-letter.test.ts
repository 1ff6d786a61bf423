import { expect, test } from 'vitest'
import { deadLettersType } from '../../../schemas/log/dead-letters.ts'
import { SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../../test/support/world.ts'

/** Its sink fails events without an app. */
const FAILING = [
  SOURCE,
  node('sink', 'store', 'log-analysis', ['source'], { query: { hostname: '{{.app}}' } }),
]

test('events that fail behind the cut become dead letters, until a later cut ends it', () => {
  const fold = new LooseFold()
  fold.deploy(FAILING)
  /** Runs a line that fails. @returns the number of parts with failed events that are sent to the dead letters */
  const letters = () => {
    fold.run([''])
    const sent = fold.parts.exchange.mail.take().flat()
    return sent.flatMap(({ value }) => deadLettersType.decode(value).parts).length
  }
  expect(letters()).toBe(0)
  fold.apply('dead-letter', 'p', { accountId: SAMPLE_ACCOUNT, isEnabled: true })
  expect(letters()).toBe(1)
  const end = fold.apply('dead-letter', 'p', { accountId: SAMPLE_ACCOUNT, isEnabled: false })
  expect(letters()).toBe(0)
  expect([...fold.parts.cuts.ofAccount(SAMPLE_ACCOUNT)]).toContainEqual(end)
})
