import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../../engine/clock/clock.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** All that a command sees of the machine: tests hand in another one. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Screen
  readonly stderr: Screen
  readonly clock: Clock
  readonly entropy: Entropy
  /** Aborted when the user or the machine asks the program to end. */
  readonly stop: AbortSignal
}

/** Lines that are written at once: a table of any length must not become one text, which has a greatest length. */
const LINES_AT_ONCE = 1_000

/** Writes lines with their ends, some at a time, and waits as `write` does. */
export async function writeLines(stream: Writable, lines: readonly string[]): Promise<void> {
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE)
    await write(stream, `${lines.slice(from, from + LINES_AT_ONCE).join('\n')}\n`)
}

/** Writes and waits while the reader is slower than we are. Resolves also when the reader has gone. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise(resolve => {
    if (stream.destroyed || stream.write(text)) return resolve()
    const done = () => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.on('drain', done)
    stream.on('close', done)
  })
}
