import { describe, expect, test } from 'vitest'
import { GATHERING, LooseFold, linesOf } from '../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../test/support/world.ts'
import { Event } from '../event/event.ts'

const NODE = { account: 'a', pipeline: 'p', node: 'n' }
const STORING = [SOURCE, node('sink', 'store', 'log-analysis', ['source'])]

describe('the parts of a fold', () => {
  test('share the moment: a record in hand is that of rows, counts and windows', () => {
    const fold = new LooseFold()
    fold.deploy(GATHERING, { account: 'a' })
    fold.enter(5_000)
    fold.run(['x'], 'a')
    expect(fold.parts.windows.endMs).toBe(6_000)
    fold.enter(6_000)
    fold.do(fold.parts.windows.endDue())
    const [lines] = fold.parts.tables.take(9n, 6_000)
    expect(lines?.first).toEqual({ offset: fold.parts.moment.offset, row: 0 })
  })

  test('report errors at the log time of the record in hand', () => {
    const fold = new LooseFold()
    const event = Event.ofLine(linesOf(['x']), 0)
    const report = () =>
      fold.parts.output.report(NODE, {
        nodeId: 'n',
        kind: 'source',
        code: 'E_NOT_FOUND',
        field: null,
        message: 'no',
        event,
      })
    fold.enter(1_000)
    report()
    fold.enter(2_000)
    report()
    const { errors } = fold.parts.tables.minute.activity.take()
    expect(errors).toMatchObject([{ ...NODE, code: 'E_NOT_FOUND', count: 2, lastMs: 2_000 }])
  })

  test('bring a cut into effect that was applied before', () => {
    const fold = new LooseFold()
    fold.deploy(STORING, { account: 'a' })
    expect(fold.parts.accounts.of('a').has('p')).toBe(true)
    expect(fold.parts.cuts.version('pipeline', 'p')).toBe(1)
  })
})

describe('pending counts of an account', () => {
  test('are collected once, with its windows', () => {
    const fold = new LooseFold()
    fold.deploy(GATHERING, { account: 'a' })
    fold.run(['x', 'y'], 'a')
    expect(fold.counts()).toMatchObject({ 'p/gather': [2, 0] })
    fold.parts.notePending(fold.parts.accounts.of('a'))
    expect(fold.counts()).toMatchObject({ 'p/gather': [2, 0] })
    expect(fold.parts.windows.endMs).toBe(1_000)
  })
})

describe('a fold that is limited to an account', () => {
  const limited = () => {
    const fold = new LooseFold({ scope: { account: 'a' } })
    for (const account of ['a', 'b']) fold.deploy(STORING, { account, pipeline: account })
    return fold
  }

  test('passes the others over', () => {
    const { parts } = limited()
    expect([parts.isPassedOver('a'), parts.isPassedOver('b')]).toEqual([false, true])
    expect(parts.accounts.find('a')?.has('a')).toBe(true)
    expect(parts.accounts.find('b')).toBeUndefined()
  })

  test('counts its lines, and makes no rows of them', () => {
    const fold = limited()
    fold.run(['x'], 'a')
    expect(fold.counts()).toMatchObject({ 'a/store': [1, 0] })
    expect(fold.stored()).toEqual([])
  })

  test('differs from one that is not, which passes nobody over and makes rows', () => {
    const fold = new LooseFold()
    fold.deploy(STORING, { account: 'a' })
    fold.run(['x'], 'a')
    expect(fold.parts.isPassedOver('b')).toBe(false)
    expect(fold.stored()).toEqual(['x'])
  })
})
