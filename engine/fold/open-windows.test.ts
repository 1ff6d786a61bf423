import { beforeEach, describe, expect, test } from 'vitest'
import { GATHERING, LooseFold } from '../../test/support/loose-fold.ts'

let fold: LooseFold
beforeEach(() => {
  fold = new LooseFold()
  for (const account of ['b', 'a']) fold.deploy(GATHERING, { account, pipeline: account })
})

/** Opens a window of a second for an app of an account. */
function openAt(timeMs: number, account: string, app: string): void {
  fold.enter(timeMs)
  fold.run([app], account)
}

const windows = () => fold.parts.windows
const endDue = () => fold.do(windows().endDue())

describe('the end of the next window', () => {
  test('is never, as long as none is open', () => {
    expect(windows()).toMatchObject({ endMs: Number.POSITIVE_INFINITY, isDue: false })
  })

  test('is that of the first one, of whichever account, and is due from its millisecond on', () => {
    openAt(100, 'a', 'late')
    openAt(50, 'b', 'early')
    expect(windows().endMs).toBe(1_050)
    fold.enter(1_049)
    expect(windows().isDue).toBe(false)
    fold.enter(1_050)
    expect(windows().isDue).toBe(true)
  })

  test('is not known of an account that nobody has noted', () => {
    const { accounts } = fold.parts
    openAt(0, 'a', 'x')
    endDue() // Nothing is due yet.
    expect(windows().endMs).toBe(1_000)
    fold.enter(2_000)
    fold.do(accounts.of('a').endDueWindows(2_000, fold.parts.output))
    expect(windows().endMs).toBe(1_000)
    windows().noteAll()
    expect(windows().endMs).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('windows whose time has come', () => {
  beforeEach(() => {
    openAt(0, 'b', 'of b')
    openAt(1, 'a', 'of a')
    openAt(500, 'a', 'later')
    fold.stored()
  })

  test('end in the order of their accounts, and those that are not due stay open', () => {
    fold.enter(1_400)
    endDue()
    expect(fold.stored()).toEqual(['of a', 'of b'])
    expect(windows()).toMatchObject({ endMs: 1_500, isDue: false })
  })

  test('end for one account alone; the others stay due', () => {
    fold.enter(1_400)
    fold.do(windows().endDueOf(fold.parts.accounts.of('a')))
    expect(fold.stored()).toEqual(['of a'])
    expect(windows().isDue).toBe(true)
    endDue()
    expect(fold.stored()).toEqual(['of b'])
  })

  test('do not end a millisecond early', () => {
    fold.enter(999)
    fold.do(windows().endDueOf(fold.parts.accounts.of('b')))
    endDue()
    expect(fold.stored()).toEqual([])
  })

  test('leave counts that are collected at once', () => {
    fold.enter(1_400)
    fold.do(windows().endDueOf(fold.parts.accounts.of('a')))
    expect(fold.counts()).toMatchObject({ 'a/store': [1, 0] })
    endDue()
    expect(fold.counts()).toMatchObject({ 'b/store': [1, 0] })
  })
})
