import { type ChildProcess, spawn } from 'node:child_process'

const PROGRAM = new URL('../../deploy/bin/weir.mjs', import.meta.url).pathname

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts a command line of the real program in a process of its own. */
export function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): { readonly process: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.err += text
  })
  const ended = new Promise<Ended>(resolve => child.once('close', code => resolve({ code, ...printed })))
  return { process: child, ended }
}

/** Runs a command line of the real program to its end. */
export function runWeir(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return startProgram(args, env).ended
}
