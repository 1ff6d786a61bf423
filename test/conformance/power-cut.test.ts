import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IS_LONG, longTest } from '../support/long-form.ts'
import type { Promised } from '../support/power-cut/promised.ts'
import { POWER_CUTS, type PowerCut } from '../support/power-cut/recorded-disk.ts'
import {
  cutRuns,
  endOf,
  gathered,
  type Instant,
  isPromise,
  isReplacement,
  outputOf,
  type RecordedRun,
  recordRun,
  scriptOf,
} from '../support/power-cut/recorded-run.ts'
import { hasStrace } from '../support/strace.ts'

const HAS_STRACE = hasStrace('recorded power cuts')
/** Each opens some dozens of stores. */
const TIMEOUT_MS = 240_000

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-power-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!HAS_STRACE)('a store after a power cut of its machine', { timeout: TIMEOUT_MS }, () => {
  let run: RecordedRun

  beforeAll(async () => {
    run = await recordRun(join(folder, 'store'), scriptOf('store-writer.ts'))
  }, TIMEOUT_MS)

  test.each(POWER_CUTS)('has everything that it accepted (%s)', async cut => {
    // In the short form each form of cuts meets every other promise: the merges meet `names-kept`, which can lose them.
    let promises = POWER_CUTS.indexOf(cut)
    const isAt: Instant = (calls, at) => {
      if (isPromise(calls, at)) return IS_LONG || promises++ % 2 === 1
      return IS_LONG && cut === 'names-kept' && isReplacement(calls, at)
    }
    expect(await lossesOfStore(run, cut, isAt)).toEqual([])
  })

  longTest(
    'would lose lines if merges were not flushed',
    async () => {
      const tables = ['lines', 'node_metrics', 'pipeline_errors', 'owners']
      const unflushed = await recordRun(join(folder, 'unflushed'), scriptOf('store-writer.ts'), tables)
      const losses = (await lossesOfStore(unflushed, 'names-kept', endOf('merged'))).join('\n')
      expect(losses).toContain('lines has 0 rows at 0 places of offset 2')
      for (const table of tables) expect(losses).toContain(`${table} has 0 `)
    },
    TIMEOUT_MS,
  )
})

/** Broken promises of stores, with the step and the call after which the power failed. */
async function lossesOfStore(run: RecordedRun, cut: PowerCut, isAt: Instant): Promise<string[]> {
  const cuts = cutRuns<Promised>(run, cut, isAt).filter(({ promised }) => promised !== undefined)
  expect(cuts.length).toBeGreaterThan(0)
  return gathered(cuts, async ({ path, promised, at }) => {
    const args = [scriptOf('store-reader.ts'), join(path, 'store'), JSON.stringify(promised)]
    const printed = await outputOf(process.execPath, args)
    rmSync(path, { recursive: true, force: true })
    const lines = printed.split('\n').filter(line => line !== '')
    return lines.map(line => `${promised?.step}, call ${at}: ${line}`)
  })
}
