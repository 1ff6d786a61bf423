import { spawnSync } from 'node:child_process'
import { type Child, startChild } from '../support/child.ts'

const RENAMES = 'rename,renameat,renameat2'

/**
 * Attaches strace to a process and applies the injection to its next renames.
 *
 * @returns undefined if strace is not allowed to attach
 */
export async function traceRenames(pid: number, injection: string): Promise<Child | undefined> {
  const filters = ['-e', `trace=${RENAMES}`, '-e', `inject=${RENAMES}:${injection}`]
  const tracer = startChild(['-f', '-p', String(pid), ...filters], 'strace')
  return (await tracer.line(/attached/)) === null ? undefined : tracer
}

/** Whether strace is here and may attach to a process that it has not started: some systems forbid that. */
export async function mayTrace(): Promise<boolean> {
  if (spawnSync('strace', ['-V']).status !== 0) return false
  const sleeper = startChild(['60'], 'sleep')
  const tracer = await traceRenames(sleeper.process.pid as number, 'error=EIO')
  await tracer?.kill('SIGINT')
  await sleeper.kill()
  return tracer !== undefined
}
