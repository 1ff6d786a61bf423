import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const BUILDS = ['console/prepare.mjs', 'deploy/bin/prepare.mjs']

/**
 * Set-up for files that start the real program: builds what has changed. Otherwise each start would load all modules, and
 * build the console beside the test. A build that fails says why, and the program starts without it.
 */
export default function buildProgram(): void {
  for (const path of BUILDS) {
    const script = fileURLToPath(new URL(`../../${path}`, import.meta.url))
    spawnSync(process.execPath, [script], { stdio: 'inherit' })
  }
}
