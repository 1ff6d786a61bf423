import { parseArgs } from 'node:util'
import { switchOff } from '../simulation/switched-off.ts'
import { LANE_GUARDS } from './guards.ts'

/**
 * Worlds of lanes, one after another. The only line of output is a JSON value: the number of tried seeds, and the first failure.
 *
 * usage: node run.ts --seed S [--seeds N] [--twice] [--without GUARD]
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    twice: { type: 'boolean', default: false },
    without: { type: 'string' },
  },
})
const patches = values.without === undefined ? [] : LANE_GUARDS[values.without]
if (patches === undefined) throw new Error(`no such guard: ${values.without}`)
const assertSwitchedOff = switchOff(patches)
// Loaded now, so that the guard is off in it.
const { tryLanes } = await import('./lanes-trial.ts')
assertSwitchedOff()

const first = Number(values.seed)
let tried = 0
let failed: { readonly seed: number; readonly why: string } | undefined
for (; tried < Number(values.seeds) && failed === undefined; tried++) {
  try {
    await tryLanes(first + tried, values.twice)
  } catch (error) {
    failed = { seed: first + tried, why: `${(error as Error).name}: ${(error as Error).stack}` }
  }
}
process.stdout.write(`${JSON.stringify({ tried, failed })}\n`)
process.exit()
