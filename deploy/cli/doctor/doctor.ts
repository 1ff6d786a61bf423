import { Command } from 'commander'
import { EXIT, type ExitCode } from '../command-error.ts'
import { type Listing, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import type { World } from '../world.ts'
import { type Check, type Finding, type Verdict, wrong } from './finding.ts'

const HELP = `
Checks settings, versions, clock, data folder, disk, fsync, limits of the machine, the server, its log and
store and, with KAFKA_BROKERS, the topics. Run it as the server's user, with the environment of the
server (or its file .env in the working directory). It changes nothing but a file of its own in the data
folder, which it removes. It takes at most five seconds.

Exit codes: 0 nothing is wrong (there may be warnings), 1 something is wrong.

Examples:
  weir doctor
  WEIR_DATA_DIR=/var/lib/weir weir doctor
  weir doctor -o json | jq '.[] | select(.verdict == "wrong")'`

/** Time for all checks, which run at the same time. */
const WITHIN_MS = 4_000

interface Row {
  readonly check: string
  readonly verdict: Verdict
  readonly finding: string
}

const FINDINGS: Listing<Row> = {
  columns: [
    { title: 'CHECK', text: ({ check }) => check },
    { title: 'RESULT', text: ({ verdict }) => (verdict === 'wrong' ? 'WRONG' : verdict) },
    { title: 'FINDING', text: ({ finding }) => finding },
  ],
  csvFields: ['check', 'verdict', 'finding'],
  rawFields: ['check', 'verdict', 'finding'],
  none: 'Nothing was checked.',
}

export function doctorCommand(world: World, finish: (code: ExitCode) => void): Command {
  return withOutput(new Command('doctor'))
    .summary('check an installation and say what is wrong')
    .description('Check an installation, and say what is wrong and how to mend it.')
    .addHelpText('after', HELP)
    .action(async (options: OutputOptions) => finish(await doctor(options, world)))
}

async function doctor(options: OutputOptions, world: World): Promise<ExitCode> {
  const stop = AbortSignal.any([AbortSignal.timeout(WITHIN_MS), world.stop])
  const rows = (await Promise.all((await allChecks()).map(check => rowsOf(check, world, stop)))).flat()
  const [errors, warnings] = (['wrong', 'warning'] as const).map(
    verdict => rows.filter(row => row.verdict === verdict).length,
  ) as [number, number]
  await writeListing(FINDINGS, rows, options, world, [summary(errors, warnings)])
  return errors > 0 ? EXIT.partly : EXIT.done
}

/** The checks, loaded on demand: other commands and the help start without the settings of the server. */
async function allChecks(): Promise<readonly Check[]> {
  const { MACHINE_CHECKS } = await import('./machine-checks.ts')
  const { FOLDER_CHECKS } = await import('./folder-checks.ts')
  const { SERVER_CHECKS } = await import('./server-checks.ts')
  const { CLUSTER_CHECKS } = await import('./cluster-checks.ts')
  return [...MACHINE_CHECKS, ...FOLDER_CHECKS, ...SERVER_CHECKS, ...CLUSTER_CHECKS]
}

async function rowsOf(check: Check, world: World, stop: AbortSignal): Promise<readonly Row[]> {
  const late = wrong(
    `The check did not end within ${WITHIN_MS / 1000} seconds: see whether disk and network answer.`,
  )
  const over = new Promise<readonly Finding[]>(resolve => {
    stop.addEventListener('abort', () => resolve([late]), { once: true })
  })
  const findings = await Promise.race([findingsOf(check, world, stop), over])
  return findings.map(({ verdict, finding }) => ({ check: check.name, verdict, finding }))
}

/** An error of a check is a finding, so that the others are still printed. */
async function findingsOf(check: Check, world: World, stop: AbortSignal): Promise<readonly Finding[]> {
  try {
    return await check.run(world, stop)
  } catch (error) {
    return [wrong(error instanceof Error ? error.message : String(error))]
  }
}

function summary(errors: number, warnings: number): string {
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`
  if (errors === 0 && warnings === 0) return 'Nothing is wrong.'
  if (errors === 0) return `Nothing is wrong, with ${count(warnings, 'warning')}.`
  return `${errors === 1 ? '1 thing is' : `${errors} things are`} wrong, with ${count(warnings, 'warning')}.`
}
