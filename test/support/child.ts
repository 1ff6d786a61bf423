import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { compiledOnce } from './compiled-scripts.ts'

/** A program of the tests in a process of its own, so that a test can kill it. */
export interface Child {
  readonly process: ChildProcess
  /** The next line that it prints and that matches; null when it ends without one. */
  line(pattern: RegExp): Promise<string | null>
  /** Ends it at once, as a power cut does, and waits until it has gone. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Waits until it ends by itself. @returns its exit code, or the signal that ended it */
  ended(): Promise<number | NodeJS.Signals | null>
}

/** @param command program and arguments; without `program` this Node runs a script */
export function startChild(args: readonly string[], program = process.execPath): Child {
  const child = spawn(program, args, { env: compiledOnce(), stdio: ['pipe', 'pipe', 'pipe'] })
  const lines: string[] = []
  const stderr: string[] = []
  let wake = Promise.withResolvers<void>()
  let over = false
  createInterface({ input: child.stdout }).on('line', line => {
    lines.push(line)
    wake.resolve()
  })
  child.stderr.on('data', (text: Buffer) => {
    stderr.push(text.toString())
    for (const line of text.toString().split('\n')) if (line !== '') lines.push(line)
    wake.resolve()
  })
  const closed = once(child, 'close').then(() => {
    over = true
    wake.resolve()
  })
  return {
    process: child,
    async line(pattern) {
      for (;;) {
        while (lines.length > 0) {
          const line = lines.shift() as string
          if (pattern.test(line)) return line
        }
        if (over) return null
        wake = Promise.withResolvers<void>()
        if (lines.length === 0) await wake.promise
      }
    },
    async kill(signal = 'SIGKILL') {
      if (!over) child.kill(signal)
      await closed
    },
    async ended() {
      await closed
      return child.exitCode ?? child.signalCode
    },
  }
}
