import { writeSync } from 'node:fs'

const STDERR = 2
const said = new Set<string>()

/** One line, once, past whatever collects the output of tests. */
export function sayAloud(line: string): void {
  if (!said.has(line)) writeSync(STDERR, `### ${line}\n`)
  said.add(line)
}

/**
 * What tests cannot have here: they are skipped, and one line says so.
 *
 * @param variable names one that is there already
 * @throws instead when WEIR_REQUIRE_KAFKA is set: where it must be there a skipped test is a failure
 */
export function neededOrSkipped(what: string, variable: string, reason: string): undefined {
  const remedy = `set ${variable}, start Docker, or install Java 17 and Maven`
  if (process.env.WEIR_REQUIRE_KAFKA) throw new Error(`Tests need ${what}: ${reason}; ${remedy}.`)
  sayAloud(`TESTS SKIPPED, THEY NEED ${what.toUpperCase()}: ${reason}; ${remedy}.`)
}
