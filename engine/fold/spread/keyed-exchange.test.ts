import { beforeEach, expect, test } from 'vitest'
import { rekeyedType } from '../../../schemas/log/rekeyed.ts'
import { KEYED_TOPIC } from '../../../schemas/log/topics.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../../test/support/world.ts'

/** Passes the first line of an app, and stores it. */
const LIMITING = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], {
    threshold: 1,
    window_ms: 60_000,
    key_field: '.app',
  }),
  node('sink', 'store', 'log-analysis', ['limit']),
]

let home: LooseFold
let keyed: LooseFold
beforeEach(() => {
  home = new LooseFold()
  keyed = new LooseFold({ topic: KEYED_TOPIC })
  home.deploy(LIMITING, { account: 'a' })
})

function spread(isSpread: boolean, version: number): void {
  const cut = { kind: 'spread', entity: 'a', version, payload: JSON.stringify({ isSpread }) } as const
  home.enter(0)
  home.do(home.parts.cuts.apply(cut))
}

function run(...apps: string[]): void {
  home.enter(0)
  home.run(apps, 'a')
}

/** Carries the mail of one fold to the other. @returns the names of the parts */
function carry(from: LooseFold, to: LooseFold, times = 1): string[] {
  const values = from.parts.exchange.mail.take().flatMap(round => round.map(({ value }) => value))
  for (let time = 0; time < times; time++) {
    for (const value of values) {
      to.enter(0)
      const account = to.parts.accounts.of('a')
      to.do(to.parts.exchange.receive(account, rekeyedType.decode(value)))
      to.parts.notePending(account)
    }
  }
  return values.flatMap(value => rekeyedType.decode(value).parts.flatMap(part => Object.keys(part)))
}

test('an account that is spread gives its cuts, its memory and then its shares to the keyed partitions', () => {
  run('x')
  spread(true, 1)
  expect(carry(home, keyed)).toEqual(['weir.ForwardedCut', 'weir.MovedState', 'weir.ShareMoved'])
  expect(keyed.parts.accounts.of('a').has('p')).toBe(true)
  expect(keyed.parts.accounts.of('a').spread?.placement.shares).toEqual([0])
})

test('events go on at their node, where the memory of their key is', () => {
  run('x')
  spread(true, 1)
  run('x', 'y')
  expect(home.stored()).toEqual(['x'])
  expect(carry(home, keyed)).toContain('weir.RekeyedEvents')
  expect(keyed.stored()).toEqual(['y'])
})

test('a part that arrives twice has its effect once', () => {
  spread(true, 1)
  run('x', 'y')
  carry(home, keyed, 2)
  expect(keyed.stored()).toEqual(['x', 'y'])
  expect(keyed.counts()).toMatchObject({ 'p/limit': [2, 0] })
})

test('an account that is gathered again has its memory at home', () => {
  spread(true, 1)
  run('x')
  carry(home, keyed)
  spread(false, 2)
  expect(carry(home, keyed)).toEqual(['weir.ShareRecalled'])
  // The keyed partition has announced at home the cut that home sent: home may have to know it before the memory.
  expect(carry(keyed, home)).toEqual(['weir.ForwardedCut', 'weir.MovedState', 'weir.ShareMoved'])
  expect(home.parts.accounts.of('a').spread?.placement.shares).toEqual([0])
  run('x', 'y')
  expect(home.stored()).toEqual(['y'])
})

test('a cut of a spread account is passed on, so that no event overtakes it', () => {
  spread(true, 1)
  carry(home, keyed)
  home.enter(0)
  home.deploy(LIMITING, { account: 'a', pipeline: 'q' })
  run('x')
  expect(carry(home, keyed)[0]).toBe('weir.ForwardedCut')
  expect(keyed.parts.accounts.of('a').has('q')).toBe(true)
})
