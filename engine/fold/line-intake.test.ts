import { expect, test } from 'vitest'
import { lineBatchValue } from '../../test/support/line-batches.ts'
import { exclusion } from '../../test/support/world.ts'
import { LineBatchView } from '../lines/columns/line-batch-view.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { finish } from '../steps.ts'
import { AccountState } from './account-state.ts'
import { FoldMoment } from './fold-moment.ts'
import { LineIntake } from './line-intake.ts'

const idempotency = { key: 'batch', digest: Buffer.from('0123456789abcdef') }
const batch = LineBatchView.decode(
  lineBatchValue([
    { lines: [{ line: 'a', app: 'noise' }] },
    { lines: [{ line: 'b' }, { line: 'c', app: 'noise' }], idempotency },
  ]),
)

test('lines of a request with a known key are repeats', () => {
  const intake = new LineIntake(CATALOGUE, 0, new FoldMoment())
  const account = new AccountState(CATALOGUE, 'a')
  expect(intake.newLines(account, batch)).toEqual([0, 1, 2])
  expect(intake.newLines(account, batch)).toEqual([0])
})

test.each([
  [true, [1]],
  [false, [0, 1, 2]],
])('a rule that drops lines entirely (%s) leaves only the others', (entirely, kept) => {
  const intake = new LineIntake(CATALOGUE, 0, new FoldMoment())
  const account = new AccountState(CATALOGUE, 'a')
  const exclusions = [exclusion('r', { apps: ['noise'], entirely })]
  account.rules.set({ accountId: 'a', exclusions, retentionRules: [] })
  expect(finish(intake.keptLines(account, batch, [0, 1, 2]))).toEqual(kept)
})
