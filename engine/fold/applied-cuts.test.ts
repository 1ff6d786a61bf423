import { beforeEach, expect, test } from 'vitest'
import type { Cut } from '../../schemas/log/control.ts'
import { LooseFold } from '../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../test/support/world.ts'
import { finish } from '../steps.ts'

const HOLE = [SOURCE, node('sink', 'hole', 'blackhole', ['source'])]

let fold: LooseFold
beforeEach(() => {
  fold = new LooseFold()
})

const cuts = () => fold.parts.cuts
const apply = (cut: Cut) => fold.do(cuts().apply(cut))

function retention(version: number, retentionDays: number): Cut {
  const payload = JSON.stringify({ accountId: 'a', retentionDays })
  return { kind: 'account', entity: 'a', version, payload }
}

function pipeline(version: number): Cut {
  const document = { id: 'p', accountId: 'a', title: 'p', revision: version, nodes: HOLE }
  return { kind: 'pipeline', entity: 'p', version, payload: JSON.stringify(document) }
}

test('the newest version of an entity is in effect, even when an older one arrives late', () => {
  expect(cuts().version('account', 'a')).toBe(0)
  for (const version of [1, 3, 2, 3]) apply(retention(version, version))
  expect(fold.parts.accounts.of('a').retentionDays).toBe(3)
  expect([cuts().version('account', 'a'), cuts().count]).toEqual([3, 2])
})

test('a cut that is over has no effect', () => {
  const exemption = { accountId: 'a', pipeline: 'p', node: 'n', key: null, untilMs: 5, forgetMs: 5 }
  const cut = { kind: 'exemption', entity: 'e', version: 1, payload: JSON.stringify(exemption) } as const
  fold.enter(5)
  apply(cut)
  expect(cuts().version('exemption', 'e')).toBe(0)
  fold.enter(4)
  apply(cut)
  expect(cuts().version('exemption', 'e')).toBe(1)
})

test('an older revision from another partition is deployed beside the newer one, an older rule is not', () => {
  const forward = (cut: Cut) => fold.do(cuts().applyForwarded(cut))
  expect([forward(pipeline(2)), forward(pipeline(1)), forward(pipeline(1))]).toEqual([true, true, false])
  expect(fold.parts.accounts.of('a').knows('p', 1)).toBe(true)
  expect(cuts().version('pipeline', 'p')).toBe(2)
  expect([forward(retention(2, 2)), forward(retention(1, 1))]).toEqual([true, false])
})

test('restored cuts are in effect in the order of their records', () => {
  for (const cut of [pipeline(1), retention(1, 7), pipeline(2)]) apply(cut)
  const restored = new LooseFold()
  finish(restored.parts.cuts.restore([...cuts().all], 2_000, () => ({ states: new Map(), retiring: [] })))
  expect([...restored.parts.cuts.all]).toEqual([pipeline(2), retention(1, 7)])
  expect(restored.parts.accounts.of('a')).toMatchObject({ retentionDays: 7 })
  expect(restored.parts.accounts.of('a').has('p')).toBe(true)
  expect([restored.parts.cuts.sliceMs, restored.parts.cuts.count]).toEqual([2_000, 0])
})
