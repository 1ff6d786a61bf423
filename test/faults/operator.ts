import { setTimeout as delay } from 'node:timers/promises'
import { type Ended, runWeir } from '../support/program.ts'
import type { RunningWeir } from '../support/running-weir.ts'

const POLL_MS = 50

/** Runs a command of the program as an operator would, beside a running or a stopped server. */
export function command({ environment }: RunningWeir, args: readonly string[]): Promise<Ended> {
  return runWeir(args, environment)
}

/**
 * Runs the printed command that accepts a loss, after one with another number, which must be refused.
 *
 * @param printed its arguments
 * @returns sentences about what went wrong
 */
export async function acceptLoss(weir: RunningWeir, printed: readonly string[]): Promise<string[]> {
  const odd: string[] = []
  const last = Number(printed.at(-1))
  const wrong = await command(weir, [...printed.slice(0, -1), String(last + 1)])
  if (wrong.code !== 2) odd.push(`other numbers than ${printed.join(' ')} were answered ${wrong.code}`)
  const { code, out, err } = await command(weir, printed)
  if (code !== 0) odd.push(`weir ${printed.join(' ')} ended with ${code}: ${out}${err}`)
  return odd
}

/** Polls a text until it matches. @returns undefined when it does not within that time */
export async function printedWithin(
  text: () => Promise<string>,
  pattern: RegExp,
  withinMs: number,
): Promise<RegExpExecArray | undefined> {
  const untilMs = performance.now() + withinMs
  for (;;) {
    const found = pattern.exec(await text().catch(() => ''))
    if (found !== null) return found
    if (performance.now() > untilMs) return undefined
    await delay(POLL_MS)
  }
}
