import { expect, test } from 'vitest'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { linesOf } from '../../test/support/loose-fold.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { LineStand } from './tailed-line.ts'

const PLACE = { partition: 0, offset: 7n, row: 2, timeMs: 1_000, retentionDays: 30, behaviour: BEHAVIOUR }

test('a line is shown as an export returns it once the default graph has stored it', () => {
  const line = new LineStand(CATALOGUE).line(linesOf(['web'], 'a'), 0, PLACE)
  expect([line.host, line.app]).toEqual(['web-1', 'web'])
  expect(line.record).toMatchObject({
    _account: 'a',
    _app: 'web',
    _host: 'web-1',
    _line: 'web',
    _retention: 30,
  })
  expect(JSON.parse(line.text)._id).toBe(line.record._id)
})

test('members that only the service sets are known without the record', () => {
  const line = new LineStand(CATALOGUE).line(linesOf(['web'], 'a'), 0, PLACE)
  expect(line.known).toMatchObject({ _account: 'a', _app: 'web', _host: 'web-1' })
  expect(line.record).toMatchObject(line.known)
})

test('a stand shows one line after another', () => {
  const stand = new LineStand(CATALOGUE)
  const batch = linesOf(['web', 'db'], 'a')
  const shown = [0, 1].map(index => stand.line(batch, index, { ...PLACE, row: index }).record._app)
  expect(shown).toEqual(['web', 'db'])
})
