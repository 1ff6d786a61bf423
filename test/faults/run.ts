import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.ts'
import { FAULT_FAMILIES, type FaultFamily } from './fault.ts'
import type { Finding } from './finding.ts'
import type { CampaignOptions } from './plan.ts'
import { Tally } from './tally.ts'

/**
 * Kills, stops and starves the real program while lines are shipped to it, and audits what it kept: lines that were
 * acknowledged, lines that are stored, usage in bytes, what the throttle let through. Exit code 1 when anything is
 * found.
 *
 * usage: npm run faults [-- --kills N] [--seed N] [--only kill|pause|disk|rename] [--longest-pause SECONDS]
 */
const DEFAULT_KILLS = 100
const DEFAULT_LONGEST_PAUSE_S = 15
const SHOWN_FINDINGS = 40

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2))
  const command = commandOf(options)
  console.log(command)
  const startedMs = performance.now()
  const print = (line: string) => {
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    console.log(`${String(seconds).padStart(5)} s  ${line}`)
  }
  const tally = new Tally()
  const trouble = await runCampaign(options, tally, print).then(
    () => undefined,
    (error: Error) => error,
  )
  console.log(`\n${tally.lines().join('\n')}`)
  if (trouble === undefined && tally.findings.length === 0) return 0
  if (trouble !== undefined) console.log(`\nThe campaign ended early: ${trouble.message}`)
  for (const line of findingLines(tally.findings)) console.log(line)
  console.log(`\nAgain: ${command}`)
  return 1
}

function findingLines(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return []
  const shown = findings.slice(0, SHOWN_FINDINGS)
  return [
    `\n${findings.length} findings${findings.length > shown.length ? ', the first of them' : ''}:`,
    ...shown.map(({ kind, host, sentence }) => `  ${kind}${host === '' ? '' : ` (${host})`}: ${sentence}`),
  ]
}

/** @throws Error with a sentence */
function optionsOf(args: readonly string[]): CampaignOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: 'string', default: String(DEFAULT_KILLS) },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      only: { type: 'string' },
      'longest-pause': { type: 'string', default: String(DEFAULT_LONGEST_PAUSE_S) },
    },
  })
  const { only } = values
  if (only !== undefined && !(FAULT_FAMILIES as readonly string[]).includes(only))
    throw new Error(`--only must be one of ${FAULT_FAMILIES.join(', ')}`)
  return {
    kills: wholeNumber('--kills', values.kills, 1),
    seed: wholeNumber('--seed', values.seed, 0),
    only: only as FaultFamily | undefined,
    longestPauseMs: wholeNumber('--longest-pause', values['longest-pause'], 2) * 1_000,
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < least)
    throw new Error(`${name} must be a whole number, ${least} or more`)
  return number
}

function commandOf({ kills, seed, only, longestPauseMs }: CampaignOptions): string {
  const family = only === undefined ? '' : ` --only ${only}`
  return `npm run faults -- --kills ${kills} --seed ${seed}${family} --longest-pause ${longestPauseMs / 1_000}`
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
