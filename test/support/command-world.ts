import { PassThrough, Readable } from 'node:stream'
import { runProgram } from '../../deploy/cli/program.ts'
import type { World } from '../../deploy/cli/world.ts'
import type { Clock } from '../../engine/clock/clock.ts'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { Ended } from './program.ts'

export interface CommandWorld extends World {
  /** Output so far. */
  out(): string
  err(): string
  stopNow(): void
}

/** The world that a command sees in a test: memory instead of a terminal. */
export function commandWorld(
  options: {
    env?: Record<string, string>
    clock?: Clock
    stdin?: Readable
    seed?: number
    terminal?: boolean
  } = {},
): CommandWorld {
  const stop = new AbortController()
  const stdout = collected(options.terminal ?? false)
  const stderr = collected(false)
  return {
    env: options.env ?? {},
    stdin: Object.assign(options.stdin ?? Readable.from([]), { isTTY: options.terminal ?? false }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    clock: options.clock ?? impatientClock(),
    entropy: seededEntropy(options.seed ?? 1),
    stop: stop.signal,
    out: stdout.text,
    err: stderr.text,
    stopNow: () => stop.abort(),
  }
}

function collected(terminal: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY: terminal, columns: 100 })
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

/** Runs a command that leaves log and store to the server, or needs neither: no process of its own is needed. */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const world = commandWorld({ env })
  const code = await runProgram(args, world)
  return { code, out: world.out(), err: world.err() }
}

export interface ImpatientClock extends Clock {
  /** Requested duration of each sleep, in milliseconds. */
  readonly slept: number[]
}

/** A clock on which sleeping takes no time, though time has passed: for what waits and tries again. */
export function impatientClock(startMs?: number): ImpatientClock {
  const clock = manualClock(startMs)
  const slept: number[] = []
  return {
    slept,
    wallMs: () => clock.wallMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: async (ms, signal) => {
      if (signal?.aborted) return
      slept.push(ms)
      clock.advance(ms)
      // A turn of the event loop, so that two that wait by turns do not starve everything else.
      await new Promise(resolve => setImmediate(resolve))
    },
  }
}
