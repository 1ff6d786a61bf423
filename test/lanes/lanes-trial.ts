import { audit } from './audit.ts'
import { LanesWorld } from './lanes-world.ts'
import { lanesPlanOf } from './plan.ts'

/** Carries out the plan of a seed, and checks every promise. @throws the first failure */
export async function tryLanes(seed: number, isTwice = false): Promise<void> {
  const world = new LanesWorld(lanesPlanOf(seed))
  await world.run()
  audit(world)
  if (!isTwice) return
  const again = new LanesWorld(lanesPlanOf(seed))
  await again.run()
  if (again.scheduler.digest !== world.scheduler.digest) throw new Error('two runs of one seed differ')
}
