import { beforeEach, expect, test } from 'vitest'
import type { Control } from '../../schemas/log/control.ts'
import { lineBatchValue } from '../../test/support/line-batches.ts'
import { GATHERING, LooseFold } from '../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../test/support/world.ts'
import type { LogRecord } from '../log/log.ts'
import { RecordEffect } from './record-effect.ts'

const STORING = [SOURCE, node('sink', 'store', 'log-analysis', ['source'])]
const TICK = { behaviour: 1, body: { 'weir.Tick': { deadlineMs: 0 } } } as Control

let fold: LooseFold
let effect: RecordEffect
beforeEach(() => {
  fold = new LooseFold()
  effect = new RecordEffect(fold.parts)
})

function lines(account: string, app: string, producer: LogRecord['producer'] = null): LogRecord {
  const value = lineBatchValue([{ lines: [{ line: app, app }] }], account)
  return { offset: 0n, appendTimeMs: 0, producer, value }
}

function apply(
  timeMs: number,
  record: LogRecord,
  control?: Control,
  witnessed: readonly object[] = [],
): void {
  fold.enter(timeMs)
  fold.do(effect.apply(record, control, witnessed as never))
}

const control = (timeMs: number, content: Control) => apply(timeMs, lines('a', 'not read'), content)

test('windows of the account end before its lines, those of other accounts are left', () => {
  for (const account of ['a', 'b']) {
    fold.deploy(GATHERING, { account, pipeline: account })
    fold.deploy(STORING, { account, pipeline: `${account}-at-once` })
    apply(0, lines(account, `gathered ${account}`))
  }
  fold.stored()
  apply(2_000, lines('a', 'next'))
  expect(fold.stored()).toEqual(['gathered a', 'next'])
  expect(fold.parts.windows.isDue).toBe(true)
})

test('a control record ends the due windows of all accounts', () => {
  for (const account of ['a', 'b']) {
    fold.deploy(GATHERING, { account, pipeline: account })
    apply(0, lines(account, account))
  }
  control(999, TICK)
  expect(fold.stored()).toEqual([])
  control(2_000, TICK)
  expect(fold.stored()).toEqual(['a', 'b'])
})

test('a record that a producer appended twice has its effect once', () => {
  for (const sequence of [1, 2, 2, 1]) apply(0, lines('a', `${sequence}`, { id: 'ingest-1', sequence }))
  expect(fold.stored()).toEqual(['1', '2'])
})

test('a cut takes effect, and a loss is none that is applied', () => {
  const { parts } = fold
  const rules = { kind: 'slice', entity: 'weir.ingest', version: 1, payload: '2000' } as const
  control(0, { behaviour: 1, body: { 'weir.Cut': rules } })
  expect(parts.cuts.sliceMs).toBe(2_000)
  const loss = { kind: 'loss', entity: 'weir.ingest/0', version: 1, payload: '{"from":0,"to":1}' } as const
  control(0, { behaviour: 5, body: { 'weir.Cut': loss } })
  expect(parts.cuts.version('loss', 'weir.ingest/0')).toBe(0)
})

test('facts of lost records hold before the record behind them has its effect', () => {
  const document = {
    id: 'p',
    accountId: 'a',
    title: 'p',
    revision: 1,
    nodes: [SOURCE, node('sink', 'hole', 'blackhole', ['source'])],
  }
  const cuts = [fold.cut('p', JSON.stringify(document))]
  apply(0, lines('a', 'kept out'), undefined, [{ cuts }])
  expect(fold.stored()).toEqual([])
  expect(fold.counts()).toMatchObject({ 'p/hole': [1, 0] })
})

test('a fold of one account leaves the lines of others out', () => {
  fold = new LooseFold({ scope: { account: 'a' } })
  effect = new RecordEffect(fold.parts)
  for (const account of ['a', 'b']) apply(0, lines(account, account))
  expect(fold.parts.accounts.find('a')).toBeDefined()
  expect(fold.parts.accounts.find('b')).toBeUndefined()
})
