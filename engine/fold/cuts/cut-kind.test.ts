import { expect, test } from 'vitest'
import type { Cut } from '../../../schemas/log/control.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { finish } from '../../steps.ts'
import { type AffectedFold, type CutAddress, type CutDefinition, defineCut } from './cut-kind.ts'

/** A kind whose payload is the number of days of an account, with the days that were applied. */
function daysKind(further: Partial<CutDefinition<number>> = {}) {
  const applied: number[] = []
  const kind = defineCut<number>({
    kind: 'account',
    behaviour: days => (days > 30 ? 3 : 1),
    address: 'home',
    parse: Number,
    accountOf: (_days, entity) => entity,
    isOver: (days, timeMs) => timeMs > days,
    apply: days => void applied.push(days),
    ...further,
  })
  return { kind, applied }
}

const cutOf = (entity: string, payload: string): Cut => ({ kind: 'account', entity, version: 1, payload })
const FOLD = {
  isPassedOver: (account: string) => account === 'left out',
} as Partial<AffectedFold> as AffectedFold

test('a cut takes effect by its payload, unless the fold leaves its account out', () => {
  const { kind, applied } = daysKind()
  for (const entity of ['a', 'left out']) finish(kind.apply(cutOf(entity, '7'), FOLD))
  expect(applied).toEqual([7])
  expect([kind.isPlace, daysKind({ apply: undefined } as never).kind.isPlace]).toEqual([false, true])
})

test('its payload decides which programs know it, and when it is over', () => {
  const { kind } = daysKind()
  expect(['7', '31'].map(days => kind.behaviourOf(CATALOGUE, cutOf('a', days)))).toEqual([1, 3])
  expect([7, 8].map(timeMs => kind.isOver(cutOf('a', '7'), timeMs))).toEqual([false, true])
})

test.each<[CutAddress, ...boolean[]]>([
  ['home', true, false, true],
  ['everywhere', true, true, true],
  ['none', false, false, false],
])('a cut with the address "%s" goes to its partitions', (address, home, other, spread) => {
  const { kind } = daysKind({ address })
  expect(kind.goesTo({ isHome: true, isSpread: false })).toBe(home)
  expect(kind.goesTo({ isHome: false, isSpread: false })).toBe(other)
  expect(kind.goesTo({ isHome: false, isSpread: true })).toBe(spread)
})

test('keyed partitions receive only cuts that belong to the state of an account', () => {
  const cut = cutOf('a', '7')
  expect(daysKind().kind.sharedAccountOf(cut)).toBeUndefined()
  expect(daysKind({ isPartOf: () => true }).kind.sharedAccountOf(cut)).toBe('a')
  expect(daysKind({ movesAccount: true }).kind.movedAccountOf(cut)).toBe('a')
})
