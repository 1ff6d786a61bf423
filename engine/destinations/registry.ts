import { byWireId } from '../graph/node-declaration.ts'
import { blackhole } from './blackhole.ts'
import type { Destination } from './define-destination.ts'
import { logAnalysis } from './log-analysis.ts'

/** Every destination of the contract: adding one is a file and a line here. */
export const DESTINATIONS: readonly Destination[] = [logAnalysis, blackhole]

const BY_TYPE = byWireId(DESTINATIONS)

/** @param type wire id or alias */
export function destinationOf(type: string): Destination | undefined {
  return BY_TYPE.get(type)
}
