import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compiledOnce } from '../compiled-scripts.ts'
import { type FileCall, recordedCalls, recording } from './recorded-calls.ts'
import { type PowerCut, RecordedDisk } from './recorded-disk.ts'

/** A program's run on a folder of its own, with everything that it did there. */
export interface RecordedRun {
  readonly root: string
  readonly calls: readonly FileCall[]
}

/** State of a run after a power failure. */
export interface CutRun<Promised> {
  /** Number of earlier calls. */
  readonly at: number
  /** The last promises that the program had printed, if any. */
  readonly promised: Promised | undefined
  readonly path: string
}

/** Whether the power is cut behind a call of the run. */
export type Instant = (calls: readonly FileCall[], at: number) => boolean

/**
 * Runs a script to its end, with everything that it starts.
 *
 * @param root a folder that does not exist yet; the script gets it as its first argument
 * @throws Error when the recording does not lead to the folder as it is afterwards: a call is missing in it
 */
export async function recordRun(
  root: string,
  script: string,
  args: readonly string[] = [],
): Promise<RecordedRun> {
  mkdirSync(root)
  const file = `${root}.recording`
  await outputOf('strace', recording(file, [process.execPath, script, root, ...args]))
  const calls = await Array.fromAsync(recordedCalls(file))
  const disk = new RecordedDisk(root, 'names-kept')
  for (const call of calls) disk.apply(call)
  const different = disk.differencesFrom(root)
  if (different.length > 0) throw new Error(`the recording does not explain ${different.join(', ')}`)
  return { root, calls }
}

/** Writes the states after power failures into folders beside the run's folder. */
export function cutRuns<Promised>(
  { root, calls }: RecordedRun,
  cut: PowerCut,
  isAt: Instant,
): CutRun<Promised>[] {
  const disk = new RecordedDisk(root, cut)
  const cuts: CutRun<Promised>[] = []
  let promised: Promised | undefined
  for (const [at, call] of calls.entries()) {
    disk.apply(call)
    if (isPromise(calls, at)) promised = JSON.parse((call as { text: string }).text) as Promised
    if (!isAt(calls, at)) continue
    const path = `${root}.${cut}.${at + 1}`
    disk.writeAfterCut(path)
    cuts.push({ at: at + 1, promised, path })
  }
  return cuts
}

/** The script prints the data that must exist from then on: a line of JSON that begins with the step. */
export const isPromise: Instant = (calls, at) => {
  const call = calls[at] as FileCall
  return call.type === 'printed' && call.text.startsWith('{"step":"')
}

/** The script says so at the end of this step. */
export function endOf(step: string): Instant {
  return (calls, at) => {
    const call = calls[at] as FileCall
    return call.type === 'printed' && call.text.startsWith(`{"step":"${step}"`)
  }
}

/** A part that replaces others gets the name by which it counts, or the last of some files has been removed. */
export const isReplacement: Instant = (calls, at) => {
  const call = calls[at] as FileCall
  if (call.type === 'renamed') return /^tmp_(?:merge|mut|replace)/.test(basename(call.from))
  return call.type === 'removed' && calls[at + 1]?.type !== 'removed'
}

/** Everything that a command prints. @throws Error when it fails */
export async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { env: compiledOnce(), stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0)
    throw new Error(`${command} ${args.at(-1)} ended with ${code ?? child.signalCode}:\n${printed}`)
  return printed
}

/** Runs a task for every item, a few at a time, and collects the results. */
export async function gathered<Item, Found>(
  items: readonly Item[],
  task: (item: Item) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const found: Found[] = []
  const left = [...items]
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) found.push(...(await task(item)))
  }
  await Promise.all(Array.from({ length: TASKS_AT_ONCE }, work))
  return found
}

/** Each starts a process with an engine. */
const TASKS_AT_ONCE = 2

export function scriptOf(name: string): string {
  return join(import.meta.dirname, name)
}
