import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'

type Environment = Readonly<Record<string, string | undefined>>

const FILE = '.env'

/** Environment of the process without the settings of the file. */
let given: Environment = process.env

/**
 * Reads settings from a file in the working directory; the environment takes precedence. Server and tools read the same
 * file: the tools must look for the data folder where the server has it.
 *
 * @returns a sentence when the file exists and cannot be read
 */
export function loadEnvironmentFile(): string | undefined {
  given = { ...process.env }
  try {
    process.loadEnvFile(FILE)
    return undefined
  } catch (error) {
    return unreadable(error as NodeJS.ErrnoException)
  }
}

/**
 * Environment with the present contents of the file.
 *
 * @throws Error with a sentence when the file exists and cannot be read
 */
export function presentEnvironment(): Environment {
  try {
    return { ...parseEnv(readFileSync(FILE, 'utf8')), ...given }
  } catch (error) {
    const sentence = unreadable(error as NodeJS.ErrnoException)
    if (sentence !== undefined) throw new Error(sentence, { cause: error })
    return given
  }
}

function unreadable({ code, message }: NodeJS.ErrnoException): string | undefined {
  if (code === 'ENOENT') return undefined
  return `${resolve(FILE)} cannot be read (${message}): make it a file that this user can read, or remove it`
}
