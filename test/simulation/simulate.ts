import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { GUARDS } from './guards.ts'
import { HELD, planOf } from './plan.ts'

const USAGE = `Tries the whole service in simulated worlds, one for each seed, and audits what they leave.

usage: npm run simulate -- [options]
  --seeds N        how many seeds to try (10,000)
  --seed S         the first of them (1)
  --minutes M      stop after that long
  --cores C        how many processes try them (all cores)
  --twice-every K  every Kth seed is run twice, which must give the same bytes (16)
  --without GUARD  with a guard switched off, to see that it is missed; --guards lists them
  --only A,B,…     replay the one seed with these of its actions alone, and tell its story; "all" for all of them`

/** Where the output is a file, which no line can be written over in. */
const SAID_EVERY_MS = 30_000

const { values } = parsed({
  options: {
    seeds: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    cores: { type: 'string', default: String(availableParallelism()) },
    'twice-every': { type: 'string', default: '16' },
    without: { type: 'string' },
    only: { type: 'string' },
    guards: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const seed = wholeNumber('seed', values.seed)
const seeds = wholeNumber('seeds', values.seeds)
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
if (minutes !== undefined && !(minutes > 0)) fail(`--minutes must be a number above 0, not ${values.minutes}`)
const cores = Math.max(1, Math.min(wholeNumber('cores', values.cores), seeds))
if (values.without !== undefined && !(values.without in GUARDS)) fail(`no such guard: ${values.without}`)

if (values.help) console.log(USAGE)
else if (values.guards) console.log(Object.keys(GUARDS).join('\n'))
else if (values.only !== undefined) await replay(seed, values.only)
else await simulate()

interface Failure {
  readonly seed: number
  readonly why: string
  readonly only: readonly number[]
}

async function simulate(): Promise<void> {
  const startedMs = performance.now()
  const tried = new Array<number>(cores).fill(0)
  const failures: Failure[] = []
  const share = Math.ceil(seeds / cores)
  const perSecond = () => {
    const sum = tried.reduce((total, each) => total + each, 0)
    return `${sum} seeds, ${Math.round(sum / ((performance.now() - startedMs) / 1000))} seeds/s on ${cores} cores`
  }
  const isTerminal = process.stdout.isTTY
  const saying = setInterval(() => isTerminal || console.log(perSecond()), SAID_EVERY_MS).unref()
  await Promise.all(
    tried.map((_, core) => {
      const first = seed + core * share
      const count = Math.min(share, seed + seeds - first)
      return eachLine(runArguments(first, count), value => {
        const { tried: so, failed } = value as { tried: number; failed?: Failure }
        tried[core] = so
        if (failed !== undefined) failures.push(failed)
        if (isTerminal) process.stdout.write(`\r${perSecond()} `)
      })
    }),
  )
  clearInterval(saying)
  console.log(`${isTerminal ? '\r' : ''}${perSecond()}`)
  for (const failure of failures) await report(failure)
  if (failures.length > 0) process.exitCode = 1
  else if (tried.every(each => each === 0)) fail('no seed was tried: give it more seeds or minutes')
  else console.log('every promise held')
}

async function report({ seed: failed, why, only }: Failure): Promise<void> {
  console.log(`\nSEED ${failed}: ${why}\n\nWhat it takes:`)
  await replay(failed, only.join(','))
  console.log(`\nnpm run simulate -- --seed ${failed} --only ${only.join(',') || '""'}${without('"')}`)
}

async function replay(failed: number, only: string): Promise<void> {
  const { length } = planOf(failed).actions
  const kept = only === 'all' ? Array.from({ length }, (_, index) => index).join(',') : only
  for (const index of kept === '' ? [] : kept.split(','))
    if (wholeNumber('only', index) >= length) fail(`seed ${failed} has the actions 0 to ${length - 1}`)
  await eachLine(['--seed', String(failed), '--only', kept, ...guardArguments()], value => {
    const { at, what } = value as { at?: string; what: string }
    console.log(at === undefined ? what : `${at}  ${what}`)
    if (at === undefined && what !== HELD) process.exitCode = 1
  })
}

function runArguments(first: number, count: number): string[] {
  return [
    ...['--seed', String(first), '--seeds', String(count), '--twice-every', values['twice-every']],
    ...(values.minutes === undefined ? [] : ['--minutes', values.minutes]),
    ...guardArguments(),
  ]
}

function guardArguments(): string[] {
  return values.without === undefined ? [] : ['--without', values.without]
}

function without(quote: string): string {
  return values.without === undefined ? '' : ` --without ${quote}${values.without}${quote}`
}

/** Runs `run.ts` and hands over every value that it prints. */
async function eachLine(args: readonly string[], take: (value: unknown) => void): Promise<void> {
  const script = fileURLToPath(new URL('./run.ts', import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  for await (const line of createInterface({ input: child.stdout })) take(JSON.parse(line))
  if ((await ended) !== 0) process.exitCode = 1
}

/** @throws nothing: what is wrong ends the program with the usage */
function parsed<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    return fail((error as Error).message)
  }
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0) fail(`--${name} must be a whole number, not ${text}`)
  return number
}

function fail(sentence: string): never {
  console.error(`simulate: ${sentence}\n\n${USAGE}`)
  process.exit(2)
}
