import { expect, test } from 'vitest'
import { FIFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { lossCut as cutOfLoss } from '../../../schemas/log/loss.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { lossCut } from './loss.ts'

const CUT = cutOfLoss({ topic: 'weir.ingest', partition: 0 }, { from: 5, to: 8 })

test('the cut of an accepted loss marks places of the log, and is never in effect', () => {
  const fold = new LooseFold()
  fold.do(fold.parts.cuts.apply(CUT))
  expect([fold.parts.cuts.count, fold.parts.cuts.version('loss', CUT.entity)]).toEqual([0, 0])
  expect(lossCut.isPlace).toBe(true)
})

test('workers do not send it, and a program must know the fifth behaviour to read it', () => {
  const everywhere = [true, false].map(isHome => lossCut.goesTo({ isHome, isSpread: true }))
  expect(everywhere).toEqual([false, false])
  expect(lossCut.behaviourOf(CATALOGUE, CUT)).toBe(FIFTH_BEHAVIOUR)
})
