import { execFileSync, spawnSync } from 'node:child_process'
import { sayAloud } from './kafka/needed-or-skipped.ts'

/**
 * Lets every write of this process to a regular file fail, as on a disk without space, or ends that. It also applies to writes of
 * native code.
 */
export function failWrites(isFailing: boolean): void {
  // The soft limit alone, which can be raised again. Node ignores the signal that comes with the failure.
  const limit = `--fsize=${isFailing ? 0 : 'unlimited'}:`
  execFileSync('prlimit', ['--pid', String(process.pid), limit])
}

/**
 * Whether `failWrites` works here.
 *
 * @param what name of the tests that are skipped without it, for the printed line
 */
export function hasPrlimit(what: string): boolean {
  if (spawnSync('prlimit', ['--fsize']).status === 0) return true
  sayAloud(`TESTS SKIPPED, THEY NEED PRLIMIT: ${what}; it is a part of util-linux.`)
  return false
}
