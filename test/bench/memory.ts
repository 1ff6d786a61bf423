import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../support/child.ts'
import { countedLines, eventually } from '../support/exported-lines.ts'
import { RunningWeir } from '../support/running-weir.ts'
import type { Report } from './figure.ts'
import { type ResidentMemory, residentMemory, watchMemory } from './installation/process-usage.ts'
import { sendLoad } from './load/load.ts'

const ROUNDS = 2
const REST_MS = 5_000
const LINES = 3_000_000
const LINES_PER_BODY = 1_000
const CONNECTIONS = 8
const COUNTED_WITHIN_MS = 180_000
const OPEN_ENGINE = new URL('./open-engine.ts', import.meta.url).pathname

export const summary =
  'The benchmark measures the resident memory of the running program. It is read five seconds after the first start, and five seconds after 3,000,000 lines are stored. Between them, its maximum is taken while these lines arrive as fast as they are accepted. The floor is a Node process that has opened the embedded engine on an empty folder and sent one query. Anonymous pages do not belong to a file. The other pages are those of programs, which processes share.'

export async function run(report: Report): Promise<void> {
  const engine: ResidentMemory[] = []
  const programs: ProgramMemory[] = []
  for (let round = 0; round < ROUNDS; round++) {
    engine.push(await engineMemory())
    programs.push(await programMemory())
  }
  for (const [what, member] of [
    ['resident', 'megabytes'],
    ['of it anonymous', 'anonymousMegabytes'],
  ] as const) {
    const floor = { name: 'Node and the embedded engine', values: engine.map(memory => memory[member]) }
    for (const [when, name] of [
      ['atRest', 'at rest'],
      ['underLoad', 'under load, at most'],
      ['afterLoad', 'after the load'],
    ] as const) {
      const values = programs.map(program => program[when][member])
      report({ name: `${name}, ${what}`, unit: 'MB', values, floor })
    }
  }
}

interface ProgramMemory {
  readonly atRest: ResidentMemory
  readonly underLoad: ResidentMemory
  readonly afterLoad: ResidentMemory
}

async function programMemory(): Promise<ProgramMemory> {
  const weir = await RunningWeir.start()
  const pid = weir.pid as number
  try {
    await rest()
    const atRest = residentMemory(pid)
    const { ingestUrl, ingestionKey } = weir.credentials
    const load = {
      url: `${ingestUrl}/logs/ingest`,
      ingestionKey,
      lines: LINES,
      linesPerBody: LINES_PER_BODY,
      connections: CONNECTIONS,
    }
    const watch = watchMemory(pid)
    const counting = sendLoad(load).then(() =>
      eventually(
        () => countedLines(weir),
        lines => lines === LINES,
        COUNTED_WITHIN_MS,
      ),
    )
    const counted = await counting.catch((error: unknown) => {
      watch.stop()
      throw error
    })
    const underLoad = watch.stop()
    if (counted !== LINES) throw new Error(`sent ${LINES} lines, counted ${counted}`)
    await rest()
    return { atRest, underLoad, afterLoad: residentMemory(pid) }
  } finally {
    await weir.dispose()
  }
}

async function engineMemory(): Promise<ResidentMemory> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-memory-'))
  const child = startChild([OPEN_ENGINE, folder])
  try {
    if ((await child.line(/^open$/)) === null) throw new Error('the embedded engine was not opened')
    await rest()
    return residentMemory(child.process.pid as number)
  } finally {
    await child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

function rest(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, REST_MS))
}
