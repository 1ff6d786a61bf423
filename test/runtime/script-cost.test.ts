import { expect, test } from 'vitest'
import { FREE_STEPS, MAX_SAVED_UNITS } from '../../engine/expressions/expression-budget.ts'
import { MAX_STEPS } from '../../engine/scripts/script-run.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { CostlyPartition } from '../support/costly-partition.ts'
import { node, SOURCE } from '../support/world.ts'

const scriptNode = (id: string, input: string, script: string): NodeDocument =>
  node('transform', id, 'js-script', [input], { script })

/** It takes nearly all steps that an event may take, and some hundred for a short line. */
const LONG_RUN = `function f(msg) {
  let l = [1]
  if (msg.line == 'costly') { for (const x of l) { if (l.length < 6200) { l.push(x) } } }
  return msg
}`

function partitionWith(...nodes: readonly NodeDocument[]): CostlyPartition {
  const partition = new CostlyPartition(BEHAVIOUR)
  partition.publish(SOURCE, ...nodes)
  return partition
}

/** Number of costly lines, sent one after the other, that pass before the first fails. */
function passedUntilFailure(partition: CostlyPartition, most = 200): number {
  for (let sent = 0; sent < most; sent++) {
    const before = partition.failedSinceRestart
    partition.send('costly')
    if (partition.failedSinceRestart > before) return sent
  }
  return most
}

test('costly scripts use up what the account has saved, then fail, and go on with the next second', () => {
  const store = node('sink', 'store', 'mezmo', ['script'])
  const partition = partitionWith(scriptNode('script', 'source', LONG_RUN), store)
  const atFirst = passedUntilFailure(partition)
  // All of them together take the saved units, and each takes nearly as much as it may.
  expect(atFirst).toBeGreaterThanOrEqual(MAX_SAVED_UNITS / MAX_STEPS)
  expect(atFirst).toBeLessThan((1.5 * MAX_SAVED_UNITS) / MAX_STEPS)
  partition.pass(1_000)
  const afterSecond = passedUntilFailure(partition)
  expect(afterSecond).toBeGreaterThanOrEqual(Math.floor(atFirst / 2) - 1)
  expect(afterSecond).toBeLessThanOrEqual(Math.ceil(atFirst / 2))
  expect(partition.rows('pipeline_errors')).toEqual([
    expect.objectContaining({
      node: 'script',
      code: 'E_SCRIPT_FAILED',
      message: "The account's scripts have used up this second.",
    }),
  ])
})

test('events within the free steps pass, whatever the account has used up', () => {
  const store = node('sink', 'store', 'mezmo', ['script'])
  const partition = partitionWith(scriptNode('script', 'source', LONG_RUN), store)
  passedUntilFailure(partition)
  const before = partition.failedSinceRestart
  partition.send(...Array.from({ length: 1_000 }, () => 'short'))
  expect(partition.failedSinceRestart).toBe(before)
})

test('the free steps of an event are granted once, however many nodes and pipelines it meets', () => {
  // Some 60 steps each, so that the fourth or fifth exceeds the free ones.
  const script = `function f(msg) { let n = 0; for (const x of [1, 2, 3, 4, 5]) { n = n + x * x } msg.n = n; return msg }`
  const chain = Array.from({ length: 10 }, (_, index) =>
    scriptNode(`script-${index}`, index === 0 ? 'source' : `script-${index - 1}`, script),
  )
  const costly = scriptNode('costly', 'source', LONG_RUN)
  const partition = partitionWith(...chain, node('sink', 'store', 'mezmo', ['script-9']))
  partition.publishAs('another', SOURCE, costly, node('sink', 'nowhere', 'blackhole', ['costly']))
  partition.send('short')
  expect(partition.failedSinceRestart).toBe(0)
  passedUntilFailure(partition)
  const before = partition.failedSinceRestart
  partition.send('short')
  expect(partition.failedSinceRestart).toBe(before + 1)
  expect(FREE_STEPS).toBe(200)
})

test('what scripts have used up is the same after a restart from a checkpoint', () => {
  const passed = (isRestarted: boolean) => {
    const store = node('sink', 'store', 'mezmo', ['script'])
    const partition = partitionWith(scriptNode('script', 'source', LONG_RUN), store)
    return [1_000, 1_000, 1_500, 5_000].map(ms => {
      partition.pass(ms)
      if (isRestarted) partition.restart()
      return passedUntilFailure(partition)
    })
  }
  expect(passed(true)).toEqual(passed(false))
})

test('scripts and expressions of an account share what it has saved', () => {
  const dear = node('transform', 'filter', 'filter', ['source'], {
    action: 'drop',
    conditional: {
      expressions: [
        { field: '.line', str_operator: 'regex_match', value: '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]' },
      ],
    },
  })
  const partition = partitionWith(
    dear,
    scriptNode('script', 'source', LONG_RUN),
    node('sink', 'store', 'mezmo', ['filter', 'script']),
  )
  partition.send('abcd0123'.repeat(165))
  expect(passedUntilFailure(partition)).toBeLessThan(MAX_SAVED_UNITS / MAX_STEPS)
})
