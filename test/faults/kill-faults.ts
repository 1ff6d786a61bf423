import { setTimeout as delay } from 'node:timers/promises'
import type { Dice } from '../support/dice.ts'
import type { Fault, Injected } from './fault.ts'
import { restarted } from './restart.ts'
import type { Site } from './site.ts'

const MAX_WAIT_MS = 800
/** A batch is stored within about that time after the end of its second. */
const STORING_MS = 70
/** A start takes about that long on a small machine. */
const STARTING_MS = 1_000
const STOPPING_MS = 150

/** kill -9 while lines cost more than the account has. */
export function budgetFault(dice: Dice): Fault {
  const { label, ...fault } = killFault(dice)
  return { ...fault, family: 'budget', label: `expressions at full budget, ${label}` }
}

/** kill -9 while lines go through ten processors. */
export function processorsFault(dice: Dice): Fault {
  const { label, ...fault } = killFault(dice)
  return { ...fault, family: 'processors', label: `ten processors, ${label}` }
}

/** kill -9 at an instant that the dice choose. */
export function killFault(dice: Dice): Fault {
  const kind = dice.below(10)
  const waitMs = 50 + dice.below(MAX_WAIT_MS)
  if (kind < 5) return plainKill(waitMs, dice.chance(0.5) ? dice.below(STORING_MS) : undefined)
  if (kind < 8) return killWhileStarting(waitMs, dice.below(STARTING_MS))
  return killWhileStopping(waitMs, dice.below(STOPPING_MS))
}

function plainKill(waitMs: number, intoSecondMs: number | undefined): Fault {
  const inject = async (site: Site): Promise<Injected> => {
    await site.weir.end('SIGKILL')
    return restarted(site, intoSecondMs === undefined ? 'killed' : `killed ${intoSecondMs} ms into a second`)
  }
  return { family: 'kill', label: 'kill -9', waitMs, intoSecondMs, inject }
}

function killWhileStarting(waitMs: number, startingMs: number): Fault {
  const inject = async (site: Site): Promise<Injected> => {
    await site.weir.end('SIGKILL')
    const starting = site.weir.start().catch(() => undefined) // The second kill ends it.
    await delay(startingMs)
    await site.weir.end('SIGKILL')
    await starting
    return restarted(site, `killed, and again ${startingMs} ms into the start`)
  }
  return { family: 'kill', label: 'kill -9, again while starting', waitMs, inject }
}

function killWhileStopping(waitMs: number, stoppingMs: number): Fault {
  const inject = async (site: Site): Promise<Injected> => {
    site.weir.signal('SIGTERM')
    await delay(stoppingMs)
    await site.weir.end('SIGKILL')
    return restarted(site, `killed ${stoppingMs} ms after SIGTERM`)
  }
  return { family: 'kill', label: 'kill -9 while stopping', waitMs, inject }
}
