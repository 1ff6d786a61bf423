import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from './program.ts'

/** One role of the real program in a process of its own. */
export interface RunningRole {
  readonly url: string
  /** Output so far. */
  readonly output: string
  signal(signal: NodeJS.Signals): void
  readonly pid: number
  /** @returns the exit code, when it ends by itself; null when a signal ended it */
  ended(): Promise<number | null>
  /** @returns the exit code; null when the signal ended it at once */
  end(signal: NodeJS.Signals): Promise<number | null>
}

const READY = /(?:is ready: |CLICKHOUSE_URL=)(https?:\/\/\S+)/

/**
 * Starts a role and waits until it is ready. A role without a data folder gets one: the first that serves the API of a
 * log leaves credentials there.
 *
 * @throws its output when it ends instead
 */
export async function startRole(
  role: string,
  environment: Readonly<Record<string, string>>,
): Promise<RunningRole> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-role-'))
  const { process: child, ended } = startProgram([role], { WEIR_DATA_DIR: folder, ...environment })
  void ended.then(() => rmSync(folder, { recursive: true, force: true }))
  let printed = ''
  const ready = new Promise<string>(resolve => {
    child.stdout?.on('data', (text: string) => {
      printed += text
      const [, url] = READY.exec(printed) ?? []
      if (url !== undefined) resolve(url)
    })
  })
  const early = ended.then(({ code, err }): never => {
    throw new Error(`weir ${role} ended with ${code}:\n${printed}\n${err}`)
  })
  early.catch(() => {})
  const url = await Promise.race([ready, early])
  return {
    url,
    get output() {
      return printed
    },
    signal: signal => child.kill(signal),
    pid: child.pid as number,
    ended: async () => (await ended).code,
    end: async signal => {
      child.kill(signal)
      return (await ended).code
    },
  }
}
