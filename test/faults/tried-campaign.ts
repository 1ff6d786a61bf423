import { runCampaign } from './campaign.ts'
import type { CampaignOptions } from './plan.ts'
import { Tally } from './tally.ts'

/** A campaign that has come to its end. */
export interface TriedCampaign {
  readonly tally: Tally
  /** Number of faults whose label matches. */
  times(label: RegExp): number
  /** Everything that the campaign printed, for the message of a failed test. */
  readonly printed: string
}

/** @throws Error when the program does not recover, with everything that was printed before */
export async function triedCampaign(options: CampaignOptions): Promise<TriedCampaign> {
  const printed: string[] = []
  const tally = new Tally()
  await runCampaign(options, tally, line => {
    printed.push(line)
    if (line.startsWith('SKIPPED')) console.warn(line)
  }).catch(error => {
    throw new Error(`${printed.join('\n')}\n${error}`, { cause: error })
  })
  return {
    tally,
    times: label => [...tally.times].reduce((sum, [name, count]) => sum + (label.test(name) ? count : 0), 0),
    printed: [...printed, ...tally.lines()].join('\n'),
  }
}
