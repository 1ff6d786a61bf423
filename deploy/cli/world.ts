import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../../engine/clock/clock.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'

export type Screen = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

/** The parts of the machine that a command uses: tests pass other ones. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Screen
  readonly stderr: Screen
  readonly clock: Clock
  readonly entropy: Entropy
  /** True: only results are printed, without headings, notes and progress. */
  readonly quiet?: boolean
  /** Origins of values of `env` that are not variables of the environment, by name; for sentences. */
  readonly origins?: Readonly<Record<string, string>>
  /** Account that a context names for an enterprise token. */
  readonly account?: string
  /** Aborted when the user or the machine asks the program to end. */
  readonly stop: AbortSignal
}

/** Lines per write: a long table must not become a single string, whose length is limited. */
const LINES_AT_ONCE = 1_000

/** Writes lines with line ends, in parts, and waits like `write`. */
export async function writeLines(stream: Writable, lines: readonly string[]): Promise<void> {
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE)
    await write(stream, `${lines.slice(from, from + LINES_AT_ONCE).join('\n')}\n`)
}

/** Writes, and waits while the reader is slower. Also resolves when the reader has gone. */
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

/** Whether standard output has colours. */
export function hasColours({ stdout, env }: World): boolean {
  return stdout.isTTY === true && !env.NO_COLOR
}

/** Writes a sentence about the result to standard error, unless only the result is wanted. */
export async function note({ stderr, quiet }: World, sentence: string): Promise<void> {
  if (!quiet) await write(stderr, `${sentence}\n`)
}
