import { spawnSync } from 'node:child_process'
import { sayAloud } from './kafka/needed-or-skipped.ts'

/**
 * Whether strace is installed and may follow a process that it starts.
 *
 * @param what name of the tests that are skipped without it, for the printed line
 * @throws Error instead of false when WEIR_REQUIRE_STRACE is set: a skipped test is then a failure
 */
export function hasStrace(what: string): boolean {
  if (spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0) return true
  const reason = 'it is not here, or may not follow processes; install it (Debian: apt-get install strace)'
  if (process.env.WEIR_REQUIRE_STRACE) throw new Error(`${what} need strace: ${reason}.`)
  sayAloud(`TESTS SKIPPED, THEY NEED STRACE: ${what}; ${reason}.`)
  return false
}
