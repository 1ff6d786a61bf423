import { test } from 'vitest'

/** True in the project `campaigns`, which runs files in their long form: more kills, more lines, more variants. */
export const IS_LONG: boolean = process.env.WEIR_TEST_FORM === 'long'

/** A test of the long form alone. It varies a test that the short form has, too. */
export function longTest(name: string, run: () => Promise<void>, timeoutMs?: number): void {
  if (IS_LONG) test(name, run, timeoutMs)
}
