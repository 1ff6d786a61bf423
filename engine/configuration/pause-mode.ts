import type { PauseMode } from '../../schemas/pipeline.ts'
import type { Deployment } from './entities.ts'

/**
 * Members of a deployment that say how it is paused. A held pipeline has no `paused`: partitions run it on, so that events
 * which were accepted before the pause are still handled, and older programs do the same.
 */
type PauseMembers = Pick<Deployment, 'paused' | 'drops' | 'held'>

const MEMBERS: Readonly<Record<PauseMode, PauseMembers>> = {
  store: { paused: true },
  hold: { held: true },
  drop: { paused: true, drops: true },
}

/** Way in which a deployment is paused; undefined: it is not. */
export function pauseModeOf({ paused, drops, held }: PauseMembers): PauseMode | undefined {
  if (held === true) return 'hold'
  if (paused !== true) return undefined
  return drops === true ? 'drop' : 'store'
}

/** @param mode undefined: the deployment is not paused */
export function pauseMembers(mode: PauseMode | undefined): PauseMembers {
  return mode === undefined ? {} : MEMBERS[mode]
}

/**
 * Whether partitions take the events of a deployment's sources: to handle them, or to drop them. Otherwise they belong to
 * nobody, and the default graph stores lines of log ingestion.
 */
export function takesEvents(deployment: PauseMembers): boolean {
  return pauseModeOf(deployment) !== 'store'
}
