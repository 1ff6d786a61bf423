import type { Dice } from '../support/dice.ts'
import { configurationFault } from './configuration-faults.ts'
import { FAULT_FAMILIES, type Fault, type FaultFamily } from './fault.ts'
import { killFault } from './kill-faults.ts'
import { pauseFault } from './pause-faults.ts'
import { renameFault } from './rename-faults.ts'
import { tailFault } from './tail-faults.ts'

export interface CampaignOptions {
  readonly seed: number
  /** Faults of family kill; of the other families there are fewer, in proportion. */
  readonly kills: number
  /** If set, all faults are of this family. */
  readonly only?: FaultFamily | undefined
  readonly longestPauseMs: number
  /** Faults that meet the default graph, before a pipeline is published. Default: three. */
  readonly faultsBeforePipeline?: number
}

/** Kills for one fault of each other family. */
export const KILLS_PER_FAULT: Readonly<Record<FaultFamily, number>> = {
  kill: 1,
  pause: 10,
  disk: 20,
  rename: 10,
  tail: 20,
  config: 20,
  budget: 10,
  processors: 1,
}

export function faultCounts({ kills, only }: CampaignOptions): Record<FaultFamily, number> {
  const count = (family: FaultFamily) => {
    if (only !== undefined) return family === only ? kills : 0
    return Math.ceil(kills / KILLS_PER_FAULT[family])
  }
  return Object.fromEntries(FAULT_FAMILIES.map(family => [family, count(family)])) as Record<
    FaultFamily,
    number
  >
}

/** Most faults in an order that the dice choose. Those of the disk, the budget and the processors need a folder of their own. */
export function plannedFaults(
  dice: Dice,
  { kill, pause, rename, tail, config }: Readonly<Record<FaultFamily, number>>,
  longestPauseMs: number,
): Fault[] {
  const faults = [
    ...Array.from({ length: kill }, () => killFault(dice)),
    ...Array.from({ length: pause }, () => pauseFault(dice, longestPauseMs)),
    ...Array.from({ length: rename }, (_, index) =>
      renameFault(100 + dice.below(1_500), index % 2 === 0 ? 'before' : 'after'),
    ),
    ...Array.from({ length: tail }, () => tailFault(dice)),
    ...Array.from({ length: config }, () => configurationFault(dice)),
  ]
  return faults
    .map(fault => ({ fault, place: dice.below(1_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ fault }) => fault)
}
