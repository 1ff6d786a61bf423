import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'
const QUIET = ['--batch-mode', '--no-transfer-progress', '--quiet']

/** Runs a goal of Maven's dependency plugin. @throws a sentence with the output of Maven */
export async function mavenDependency(goal: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)('mvn', [...QUIET, `${DEPENDENCY_PLUGIN}:${goal}`, ...args])
  } catch (error) {
    const {
      code,
      stdout = '',
      stderr = '',
    } = error as NodeJS.ErrnoException & { stdout?: string; stderr?: string }
    if (code === 'ENOENT')
      throw new Error('there is no Maven (no program "mvn" on the PATH)', { cause: error })
    const said = `${stdout}${stderr}`.split('\n').find(line => line.includes('ERROR')) ?? `${error}`
    throw new Error(`Maven could not get it: ${said.trim()}`, { cause: error })
  }
}
