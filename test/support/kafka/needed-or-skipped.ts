import { writeSync } from 'node:fs'

const STDERR = 2
const said = new Set<string>()

/** Writes one line directly to the standard error, once, because Vitest collects the other output of tests. */
export function sayAloud(line: string): void {
  if (!said.has(line)) writeSync(STDERR, `### ${line}\n`)
  said.add(line)
}

/**
 * Reports a missing prerequisite: its tests are skipped, and one line states the reason.
 *
 * @param variable setting that names an existing one
 * @throws instead when WEIR_REQUIRE_KAFKA is set: a skipped test is then a failure
 */
export function neededOrSkipped(what: string, variable: string, reason: string): undefined {
  const remedy = `set ${variable}, start Docker, or install Java 17 and Maven`
  if (process.env.WEIR_REQUIRE_KAFKA) throw new Error(`Tests need ${what}: ${reason}; ${remedy}.`)
  sayAloud(`TESTS SKIPPED, THEY NEED ${what.toUpperCase()}: ${reason}; ${remedy}.`)
}
