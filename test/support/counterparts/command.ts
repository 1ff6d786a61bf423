import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { reapProcess } from '../kafka/reaper.ts'

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const SHOWN_LINES = 10

export interface CommandOptions {
  readonly folder: string
  /** Variables that replace those of this process. */
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Runs a command to its end. It ends with this process at the latest.
 *
 * @throws Error with a sentence, and the last lines of its output when it fails
 */
export async function runCommand(
  program: string,
  args: readonly string[],
  { folder, environment = {} }: CommandOptions,
): Promise<void> {
  const env = { ...process.env, ...environment }
  const running = promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: MAX_OUTPUT_BYTES })
  reapProcess(running.child)
  try {
    await running
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as NodeJS.ErrnoException & Partial<Output>
    if (code === 'ENOENT') throw new Error(`there is no program "${program}" on the PATH`, { cause: error })
    const said = `${stdout}${stderr}`.trim().split('\n').slice(-SHOWN_LINES).join('\n')
    throw new Error(`${program} ${args[0]} failed:\n${said}`, { cause: error })
  }
}

interface Output {
  readonly stdout: string
  readonly stderr: string
}
