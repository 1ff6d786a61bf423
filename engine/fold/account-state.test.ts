import { beforeEach, expect, test } from 'vitest'
import { SAMPLE_ACCOUNT } from '../../test/support/line-batches.ts'
import { GATHERING, LooseFold } from '../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../test/support/world.ts'
import { finish } from '../steps.ts'

/** Passes the first line in a minute, and stores it. */
const LIMITING = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window_ms: 60_000 }),
  node('sink', 'store', 'log-analysis', ['limit']),
]

let fold: LooseFold
beforeEach(() => {
  fold = new LooseFold()
})

const account = () => fold.parts.accounts.of(SAMPLE_ACCOUNT)
const document = (nodes: typeof LIMITING) => ({
  ...{ id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision: 1 },
  nodes,
})

test('the next revision of a pipeline goes on with the memory of the nodes that stay', () => {
  fold.deploy(LIMITING)
  fold.run(['x'])
  fold.deploy(LIMITING)
  fold.run(['y'])
  fold.deploy([SOURCE, { ...LIMITING[1], id: 'another' }, { ...LIMITING[2], inputs: ['another'] }] as never)
  fold.run(['z'])
  expect(fold.stored()).toEqual(['x', 'z'])
})

test('a new revision goes on with the windows; a pipeline that is withdrawn runs their content', () => {
  fold.deploy(GATHERING)
  fold.run(['x'])
  fold.deploy(GATHERING)
  expect(fold.stored()).toEqual([])
  fold.do(account().withdraw('p', { output: fold.parts.output }))
  expect(fold.stored()).toEqual(['x'])
  expect([account().has('p'), [...account().inEffect()]]).toEqual([false, []])
})

test('a revision beside the deployed one handles its own events, and is known until it retires', () => {
  fold.do(account().deploy(document(LIMITING), { version: 2 }))
  finish(account().deployBeside(document(LIMITING), { version: 1, replacedMs: 0 }))
  expect([0, 1, 2].map(version => account().knows('p', version))).toEqual([false, true, true])
  expect([...account().inEffect()]).toMatchObject([{ pipeline: 'p', version: 2, isPaused: false }])
  expect([...account().keptRevisions()]).toMatchObject([{ version: 1, replacedMs: 0 }])
  expect([account().versionWith('p', 'limit'), account().versionWith('p', 'gone')]).toEqual([2, undefined])
})

test('a window ends at its time, unless its pipeline is paused', () => {
  fold.deploy(GATHERING)
  fold.run(['x'])
  const end = (timeMs: number) => {
    fold.enter(timeMs)
    fold.do(account().endDueWindows(timeMs, fold.parts.output))
  }
  expect([account().windowsEndMs, [...account().holdings()]]).toMatchObject([1_000, [{ held: 1 }]])
  end(999)
  expect(fold.stored()).toEqual([])
  fold.deploy(GATHERING, { paused: true })
  expect(account().windowsEndMs).toBe(Number.POSITIVE_INFINITY)
  end(1_000)
  expect(fold.stored()).toEqual([])
  fold.deploy(GATHERING)
  end(1_000)
  expect(fold.stored()).toEqual(['x'])
})
