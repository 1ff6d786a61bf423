import { parseArgs } from 'node:util'
import { GUARDS } from './guards.ts'
import { switchOff } from './switched-off.ts'

/**
 * One core's share of a simulation, or the replay of one seed; `npm run simulate` starts it. Each line of output is a
 * JSON value. It contains the number of tried seeds. After a failure it contains the reason and the necessary actions
 * (not with
 * --whole), or the story.
 *
 * usage: node run.ts --seed S [--seeds N] [--minutes M] [--twice-every K] [--without GUARD] [--only ACTIONS] [--whole]
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
    'twice-every': { type: 'string', default: '1' },
    without: { type: 'string' },
    only: { type: 'string' },
    whole: { type: 'boolean', default: false },
  },
})
const guard = values.without === undefined ? {} : GUARDS[values.without]
if (guard === undefined) throw new Error(`no such guard: ${values.without}`)
const assertSwitchedOff = switchOff(guard.patches ?? [])
// Loaded now, so that the guard is off in them.
const { Trial } = await import('./trial.ts')
const { HELD, planOf } = await import('./plan.ts')
const { shrink, withOnly } = await import('./shrink.ts')
const { SpreadTrial } = await import('./spread-trial.ts')
assertSwitchedOff()

const { storeDefect } = guard
const say = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`)
const trial = guard.isOfSpread ? new SpreadTrial() : await Trial.open()
const first = Number(values.seed)
const last = first + Number(values.seeds) - 1
const untilMs = performance.now() + Number(values.minutes) * 60_000

if (values.only === undefined) await trySeeds()
else await tell(first, values.only === '' ? [] : values.only.split(',').map(Number))
process.exit()

async function trySeeds(): Promise<void> {
  let saidAtMs = performance.now()
  let seed = first
  for (; seed <= last && performance.now() < untilMs; seed++) {
    const why = await troubleOf(seed)
    if (why !== undefined) {
      const only = values.whole
        ? undefined
        : await shrink(planOf(seed), async plan => kindOf(await troubleWith(plan)) === kindOf(why))
      return void say({ tried: seed - first, failed: { seed, why, only } })
    }
    if (performance.now() - saidAtMs < 1_000) continue
    saidAtMs = performance.now()
    say({ tried: seed - first + 1 })
  }
  say({ tried: seed - first })
}

/** Kind of broken promise: the plan after shrinking must break the same one. */
function kindOf(why: string | undefined): string | undefined {
  return why?.split(':').slice(0, 2).join(':')
}

function troubleOf(seed: number): Promise<string | undefined> {
  return troubleWith(planOf(seed), seed % Number(values['twice-every']) === 0)
}

async function troubleWith(plan: ReturnType<typeof planOf>, isTwice = true): Promise<string | undefined> {
  try {
    await trial.run(plan, { isTwice, storeDefect })
    return undefined
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
}

/** Prints the story of one seed, with only the given actions. */
async function tell(seed: number, only: readonly number[]): Promise<void> {
  const plan = withOnly(planOf(seed), only)
  const story = (atMs: number, what: string) => say({ at: new Date(atMs).toISOString().slice(0, 23), what })
  try {
    await trial.run(plan, { storeDefect, tell: story })
    say({ what: HELD })
  } catch (error) {
    say({ what: String(error) })
  }
}
