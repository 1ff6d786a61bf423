import { newDice } from '../support/dice.ts'
import { diskFault } from './disk-faults.ts'
import type { Fault } from './fault.ts'
import { budgetFault, processorsFault } from './kill-faults.ts'
import { Leg, type LegOptions } from './leg.ts'
import { type CampaignOptions, faultCounts, plannedFaults } from './plan.ts'
import { SmallDisk } from './small-disk.ts'
import type { Tally } from './tally.ts'
import { mayTrace } from './tracing.ts'

const FAULTS_BEFORE_PIPELINE = 3

/**
 * Injects faults into the real program while lines are shipped to it, and audits the kept data. The seed determines the
 * lines, the faults, their order and their instants; how they meet depends on the machine.
 *
 * @throws Error when the program does not come back, or ends without a sentence
 */
export async function runCampaign(
  options: CampaignOptions,
  tally: Tally,
  print: (line: string) => void,
): Promise<void> {
  const { seed, longestPauseMs, faultsBeforePipeline = FAULTS_BEFORE_PIPELINE } = options
  const counts = faultCounts(options)
  if (counts.rename > 0 && !(await mayTrace())) {
    print('SKIPPED: kills at the very rename that publishes a part need strace, and the right to attach it')
    counts.rename = 0
  }
  const dice = newDice(seed)
  const faults = plannedFaults(dice, counts, longestPauseMs)
  if (faults.length > 0)
    await runLeg({ name: 'main', seed, dice, tally, print, faultsBeforePipeline }, faults)
  if (counts.budget > 0) await runBudgetLeg(counts.budget, { seed, tally, print })
  if (counts.processors > 0) await runProcessorsLeg(counts.processors, { seed, tally, print })
  if (counts.disk > 0) await runDiskLeg(counts.disk, { seed, tally, print })
}

async function runBudgetLeg(
  count: number,
  { seed, tally, print }: Pick<LegOptions, 'seed' | 'tally' | 'print'>,
): Promise<void> {
  const dice = newDice(seed + 2)
  const faults = Array.from({ length: count }, () => budgetFault(dice))
  const options = { name: 'budget', seed, dice, tally, print, faultsBeforePipeline: 0, looks: true }
  await runLeg(options, faults)
}

async function runProcessorsLeg(
  count: number,
  { seed, tally, print }: Pick<LegOptions, 'seed' | 'tally' | 'print'>,
): Promise<void> {
  const dice = newDice(seed + 3)
  const faults = Array.from({ length: count }, () => processorsFault(dice))
  const options = { name: 'processors', seed, dice, tally, print, faultsBeforePipeline: 0, processors: true }
  await runLeg(options, faults)
}

async function runDiskLeg(
  count: number,
  { seed, tally, print }: Pick<LegOptions, 'seed' | 'tally' | 'print'>,
): Promise<void> {
  const disk = SmallDisk.mount()
  if (disk === undefined) {
    print('SKIPPED: a full disk needs the right to mount a small file system')
    return
  }
  try {
    const dice = newDice(seed + 1)
    const faults = Array.from({ length: count }, (_, index) => diskFault(dice, disk, index % 2 === 1))
    const directory = disk.dataFolder
    await runLeg({ name: 'disk', seed, dice, tally, print, faultsBeforePipeline: 0, directory }, faults)
  } finally {
    disk.unmount()
  }
}

async function runLeg(options: LegOptions, faults: readonly Fault[]): Promise<void> {
  const before = options.tally.findings.length
  const leg = await Leg.open(options)
  let hasEnded = false
  try {
    await leg.run(faults)
    await leg.finish()
    hasEnded = true
  } finally {
    const keepsFolder = !hasEnded || options.tally.findings.length > before
    if (keepsFolder) options.print(`the data folder is kept: ${leg.directory}`)
    await leg.close({ keepsFolder })
  }
}
