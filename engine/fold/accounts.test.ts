import { expect, test } from 'vitest'
import type { ExemptionCut } from '../../schemas/log/cuts.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { GATHERING, LooseFold } from '../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../test/support/world.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { Accounts } from './accounts.ts'

const OWN = { topic: INGEST_TOPIC, partition: 0, partitions: 1 }
const LIMITING = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window_ms: 60_000 }),
]

test('an account is known from its first mention on', () => {
  const accounts = new Accounts(CATALOGUE, OWN)
  expect(accounts.find('a')).toBeUndefined()
  expect(accounts.of('a')).toBe(accounts.of('a'))
  expect([...accounts]).toEqual([accounts.find('a')])
})

test('accounts whose windows are due are in the order of their ids', () => {
  const fold = new LooseFold()
  for (const [account, timeMs] of [
    ['b', 0],
    ['a', 0],
    ['c', 1],
  ] as const) {
    fold.enter(timeMs)
    fold.deploy(GATHERING, { account, pipeline: account })
    fold.run(['x'], account)
  }
  const due = (timeMs: number) => fold.parts.accounts.withWindowsDue(timeMs).map(({ account }) => account)
  expect(fold.parts.accounts.windowsEndMs).toBe(1_000)
  expect([due(999), due(1_000), due(1_001)]).toEqual([[], ['a', 'b'], ['a', 'b', 'c']])
})

test('exemptions of all accounts are forgotten at their time', () => {
  const accounts = new Accounts(CATALOGUE, OWN)
  const exempt = (accountId: string, forgetMs: number) => {
    const place = { pipeline: 'p', node: 'n', key: null }
    const exemption: ExemptionCut = { accountId, ...place, untilMs: forgetMs, forgetMs }
    accounts.exempt(`of ${accountId}`, exemption)
  }
  exempt('a', 2_000)
  exempt('b', 1_000)
  expect(accounts.forgetExemptions(999)).toEqual([])
  expect(accounts.forgetExemptions(1_000)).toEqual(['of b'])
  expect(accounts.forgetExemptions(2_000)).toEqual(['of a'])
})

test('the states of a checkpoint are named, by account, and restored: those of pipelines wait for their cuts', () => {
  const fold = new LooseFold()
  fold.deploy(LIMITING, { account: 'b' })
  fold.run(['x'], 'b')
  fold.parts.accounts.of('a').keys.advance({ key: 'k', digest: Buffer.of(1) }, 0)
  const states = fold.do(fold.parts.accounts.states(0, () => 1))
  expect(states.map(({ holder }) => holder)).toMatchObject([
    { 'weir.AccountPart': { account: 'a', part: 'names' } },
    { 'weir.AccountPart': { account: 'a', part: 'keys' } },
    { 'weir.AccountPart': { account: 'b', part: 'names' } },
    { 'weir.AccountPart': { account: 'b', part: 'keys' } },
    { 'weir.NodeMemory': { account: 'b', pipeline: 'p', node: 'limit', version: null } },
  ])
  const restored = new Accounts(CATALOGUE, OWN)
  const keptOf = restored.restore(states)
  expect(restored.of('a').keys.judge({ key: 'k', digest: Buffer.of(1) }, 0)).toBe('repeat')
  expect([...keptOf('p').states.keys()]).toEqual(['limit'])
  expect(keptOf('another').states.size).toBe(0)
  const limited = new Accounts(CATALOGUE, OWN, 'a')
  expect(limited.restore(states)('p').states.size).toBe(0)
  expect([...limited].map(({ account }) => account)).toEqual(['a'])
})
