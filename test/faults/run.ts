import { parseArgs } from 'node:util'
import { kafkaForTests } from '../support/kafka/kafka-support.ts'
import type { AuditedCampaign } from './audited-campaign.ts'
import { runCampaign } from './campaign.ts'
import { runClusterCampaign } from './cluster/cluster-campaign.ts'
import { clusterFaultKinds } from './cluster/cluster-faults.ts'
import { runDeliveryCampaign } from './deliveries/delivery-campaign.ts'
import { DeliveryTally } from './deliveries/delivery-tally.ts'
import { FAULT_FAMILIES, type FaultFamily } from './fault.ts'
import { type CampaignOptions, KILLS_PER_FAULT } from './plan.ts'
import { Tally } from './tally.ts'

const DEFAULT_KILLS = 100
const DEFAULT_LONGEST_PAUSE_S = 15
const DEFAULT_CLUSTER_FAULTS = 60
const SHOWN_FINDINGS = 40

const USAGE = `Kills, stops and starves the real program while lines are shipped to it, and audits what it kept: lines that were
acknowledged, lines that are stored, usage in bytes, what the throttle let through.

usage: npm run faults -- [options]
       npm run faults -- --cluster [--faults N] [--only TEXT] [--seed S]
       npm run faults -- --deliveries [--kills N] [--seed S]
  --kills N          faults of kind kill (${DEFAULT_KILLS}): kill -9 at an instant that the seed chooses, while lines are
                     shipped, then again while the program starts, or after SIGTERM while it stops; each counts as
                     one. To ${KILLS_PER_FAULT.pause} of them there is one pause (SIGSTOP, SIGCONT), to ${KILLS_PER_FAULT.rename} one kill at the very rename that
                     publishes a part, which does not count, to ${KILLS_PER_FAULT.disk} one full disk, to ${KILLS_PER_FAULT.tail} one log that
                     lost its end, and one configuration that did, to ${KILLS_PER_FAULT.budget} one kill while expressions cost more than the
                     account has; of each at least one. To each of them there is one kill while lines go through ten
                     processors, which does not count
  --only KIND        ${FAULT_FAMILIES.join(', ')}: N faults of this kind, and no others
  --seed S           the same lines, faults and instants for the same number (one from the clock)
  --longest-pause S  how many seconds a pause lasts at most (${DEFAULT_LONGEST_PAUSE_S})
  --cluster          three brokers, a store, two ingests, three engines and an api: each is killed, stopped, cut off from others
                     or given another time. Needs a Kafka that can be killed: Docker, or Java 17 and Maven
  --faults N         how many faults the cluster meets (${DEFAULT_CLUSTER_FAULTS})
  --only TEXT        with --cluster: faults alone whose row in the table holds this text, such as broker
  --deliveries       kills of the program while it delivers lines to receivers that are away, hang, do not answer or are killed

Exit codes: 0 nothing found, 1 something found or ended early, 2 the options are wrong.`

/** Task from the command line. */
interface Task {
  /** Command that repeats the task. */
  readonly command: string
  readonly tally: AuditedCampaign
  run(print: (line: string) => void): Promise<void>
}

async function main(args: readonly string[]): Promise<number> {
  const task = taskOf(args)
  if (task === undefined) {
    console.log(USAGE)
    return 0
  }
  if (typeof task === 'string') {
    console.error(`faults: ${task}\n\n${USAGE}`)
    return 2
  }
  return carryOut(task)
}

async function carryOut({ command, tally, run }: Task): Promise<number> {
  console.log(command)
  const startedMs = performance.now()
  const print = (line: string) => {
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    console.log(`${String(seconds).padStart(5)} s  ${line}`)
  }
  const trouble = await run(print).then(
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

function findingLines(findings: AuditedCampaign['findings']): string[] {
  if (findings.length === 0) return []
  const shown = findings.slice(0, SHOWN_FINDINGS)
  return [
    `\n${findings.length} findings${findings.length > shown.length ? ', the first of them' : ''}:`,
    ...shown.map(({ kind, host, sentence }) => `  ${kind}${host === '' ? '' : ` (${host})`}: ${sentence}`),
  ]
}

/** @returns a sentence when the options cannot be used, undefined when help is asked for */
function taskOf(args: readonly string[]): Task | string | undefined {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS })
    if (values.help) return undefined
    if (values.deliveries) return deliveriesTask(values)
    return values.cluster ? clusterTask(values) : singleTask(values)
  } catch (error) {
    return (error as Error).message
  }
}

const OPTIONS = {
  kills: { type: 'string' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  only: { type: 'string' },
  'longest-pause': { type: 'string' },
  cluster: { type: 'boolean', default: false },
  deliveries: { type: 'boolean', default: false },
  faults: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** @throws Error with a sentence */
function singleTask({ kills, seed, only, faults, 'longest-pause': longestPause }: Values): Task {
  if (faults !== undefined) throw new Error('--faults means nothing without --cluster')
  if (only !== undefined && !(FAULT_FAMILIES as readonly string[]).includes(only))
    throw new Error(`--only must be one of ${FAULT_FAMILIES.join(', ')}`)
  const options: CampaignOptions = {
    kills: wholeNumber('--kills', kills ?? `${DEFAULT_KILLS}`, 1),
    seed: wholeNumber('--seed', seed, 0),
    only: only as FaultFamily | undefined,
    longestPauseMs: wholeNumber('--longest-pause', longestPause ?? `${DEFAULT_LONGEST_PAUSE_S}`, 2) * 1_000,
  }
  const tally = new Tally()
  return { command: commandOf(options), tally, run: print => runCampaign(options, tally, print) }
}

/** @throws Error with a sentence */
function deliveriesTask({ kills, seed, ...others }: Values): Task {
  if (others.cluster) throw new Error('--deliveries means nothing with --cluster')
  for (const name of ['only', 'faults', 'longest-pause'] as const)
    if (others[name] !== undefined) throw new Error(`--${name} means nothing with --deliveries`)
  const options = {
    kills: wholeNumber('--kills', kills ?? `${DEFAULT_KILLS}`, 1),
    seed: wholeNumber('--seed', seed, 0),
  }
  const tally = new DeliveryTally()
  return {
    command: `npm run faults -- --deliveries --kills ${options.kills} --seed ${options.seed}`,
    tally,
    run: print => runDeliveryCampaign(options, tally, print),
  }
}

/** @throws Error with a sentence */
function clusterTask({ seed, faults, only, ...others }: Values): Task {
  for (const name of ['kills', 'longest-pause'] as const)
    if (others[name] !== undefined) throw new Error(`--${name} means nothing with --cluster`)
  const options = {
    seed: wholeNumber('--seed', seed, 0),
    faults: wholeNumber('--faults', faults ?? `${DEFAULT_CLUSTER_FAULTS}`, 1),
    only,
  }
  clusterFaultKinds(only)
  const tally = new Tally()
  const kinds = only === undefined ? '' : ` --only "${only}"`
  return {
    command: `npm run faults -- --cluster --faults ${options.faults} --seed ${options.seed}${kinds}`,
    tally,
    async run(print) {
      const kafka = await kafkaForTests({ brokers: 3, faults: true })
      if (kafka === undefined) throw new Error('there is no Kafka that may be killed')
      try {
        await runClusterCampaign(kafka, options, tally, print)
      } finally {
        await kafka.stop()
      }
    },
  }
}

/** @throws Error with a sentence */
function wholeNumber(name: string, text: string, least: number): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isSafeInteger(number) || number < least)
    throw new Error(`${name} must be a whole number, ${least} or more, not "${text}"`)
  return number
}

function commandOf({ kills, seed, only, longestPauseMs }: CampaignOptions): string {
  const family = only === undefined ? '' : ` --only ${only}`
  return `npm run faults -- --kills ${kills} --seed ${seed}${family} --longest-pause ${longestPauseMs / 1_000}`
}

process.exitCode = await main(process.argv.slice(2))
