import type { NodeProfile } from '../nodes/contract/profile-view.ts'
import type { MemoryPlace, PresentMemory } from './present-memory.ts'

/** The profile of a node at a time. */
export interface PresentProfile {
  /** UNIX ms. */
  readonly atMs: number
  readonly profile: NodeProfile
}

/**
 * Reads the profile of a deployed node, for people. One partition has all of it, except while it moves: then the larger part counts.
 *
 * @param isSpread whether the account is, or was, on many partitions
 * @param nowMs log time may be ahead of it
 * @returns undefined while no partition has applied a revision with the node
 * @throws MemoryUnavailableError
 */
export async function presentProfile(
  memory: PresentMemory,
  place: MemoryPlace,
  isSpread: boolean,
  nowMs: number,
): Promise<PresentProfile | undefined> {
  let found: PresentProfile | undefined
  await memory.look(place, isSpread, ({ memory: { kind, value }, timeMs }) => {
    const atMs = Math.max(nowMs, timeMs)
    const profile = kind.profile?.show(value, atMs)
    if (profile !== undefined && profile.events >= (found?.profile.events ?? 0)) found = { atMs, profile }
  })
  return found
}
