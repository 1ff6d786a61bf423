import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { IS_LONG } from '../support/long-form.ts'
import { PROGRAM_SETTINGS, type PromisedByProgram } from '../support/power-cut/promised.ts'
import { POWER_CUTS } from '../support/power-cut/recorded-disk.ts'
import {
  cutRuns,
  gathered,
  type Instant,
  isPromise,
  type RecordedRun,
  recordRun,
  scriptOf,
} from '../support/power-cut/recorded-run.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'
import { hasStrace } from '../support/strace.ts'

const HAS_STRACE = hasStrace('recorded power cuts')
/** The short form loses names, too, at the last instant alone. */
const CUTS = IS_LONG ? POWER_CUTS : (['names-lost'] as const)
/** Each starts some dozens of programs. */
const TIMEOUT_MS = 480_000

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-power-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!HAS_STRACE)(
  'an installation after a power cut of its machine',
  { timeout: TIMEOUT_MS },
  () => {
    let run: RecordedRun

    beforeAll(async () => {
      run = await recordRun(join(folder, 'program'), scriptOf('program-writer.ts'))
    }, TIMEOUT_MS)

    test.each(CUTS)('starts again, knows its tokens and has each line once (%s)', async cut => {
      const data = join(run.root, 'data')
      /** A file that starts trust has got its name. */
      const isTrusted: Instant = (calls, at) => {
        const call = calls[at]
        if (call?.type !== 'renamed' || basename(call.path) === 'owner.json') return false
        return dirname(call.path) === data || basename(call.path) === 'topic.json'
      }
      const isAt: Instant = (calls, at) =>
        isPromise(calls, at) || (cut === 'names-lost' && isTrusted(calls, at))
      const all = cutRuns<PromisedByProgram>(run, cut, isAt)
      const cuts = IS_LONG ? all : all.slice(-1)
      const losses = await gathered(cuts, async ({ path, promised, at }) => {
        const found = await lossesOfProgram(join(path, 'data'), promised)
        rmSync(path, { recursive: true, force: true })
        return found.map(loss => `${promised?.step}, call ${at}: ${loss}`)
      })
      expect(losses).toEqual([])
    })
  },
)

/** Starts the program on the state after a power failure. @returns broken promises */
async function lossesOfProgram(data: string, promised: PromisedByProgram | undefined): Promise<string[]> {
  const weir = RunningWeir.prepare(PROGRAM_SETTINGS, data)
  try {
    await weir.start()
    if (promised === undefined) return []
    const losses: string[] = []
    const { accessToken } = weir.credentials
    if (accessToken !== promised.accessToken) losses.push(`the access token is ${accessToken}`)
    const pipelines = (await weir.get<{ data: { id: string }[] }>('/v3/pipeline')).data.map(({ id }) => id)
    for (const id of promised.pipelines) if (!pipelines.includes(id)) losses.push(`pipeline ${id} is gone`)
    const found = await eventually(
      () => exportedLines(weir),
      ({ length }) => length >= promised.lines,
    )
    const lines = found.map(({ _line: line }) => line)
    if (lines.length < promised.lines) losses.push(`${lines.length} of ${promised.lines} lines are there`)
    if (new Set(lines).size !== lines.length) losses.push('lines are there twice')
    if (promised.shippedBytes > 0) {
      const positions = JSON.parse(readFileSync(join(data, 'ship-positions.json'), 'utf8')) as ShipPositions
      if (positions.files[0]?.offset !== promised.shippedBytes) losses.push('shipped lines are sent again')
    }
    await weir.end('SIGTERM')
    const verified = await runWeir(['verify'], weir.environment)
    return verified.code === 0 ? losses : [...losses, verified.out, verified.err]
  } catch (error) {
    return [(error as Error).message]
  } finally {
    await weir.end('SIGKILL')
  }
}

interface ShipPositions {
  readonly files: readonly { readonly offset: number }[]
}
