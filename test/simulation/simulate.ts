import { spawn } from 'node:child_process'
import { once } from 'node:events'
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

/** Worlds are short-lived, so most of their objects need never be copied. */
const ROOM_FOR_THE_YOUNG = ['--min-semi-space-size=32', '--max-semi-space-size=64']
/** Interval of progress lines when the output is a file, in which lines cannot be overwritten. */
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
if (values.help) {
  console.log(USAGE)
  process.exit()
}
const seed = wholeNumber('seed', values.seed, 0)
const seeds = wholeNumber('seeds', values.seeds, 1)
if (!Number.isSafeInteger(seed + seeds)) fail('--seed is too large: the last seed must be below 2^53')
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
if (minutes !== undefined && !(minutes > 0)) fail(`--minutes must be a number above 0, not ${values.minutes}`)
const cores = Math.min(wholeNumber('cores', values.cores, 1), seeds)
const twiceEvery = wholeNumber('twice-every', values['twice-every'], 1)
if (values.without !== undefined && !Object.hasOwn(GUARDS, values.without))
  fail(`no such guard: ${values.without}; --guards lists them`)

if (values.guards) console.log(Object.keys(GUARDS).join('\n'))
else if (values.only !== undefined) await replay(seed, values.only)
else await simulate()

interface Failure {
  readonly seed: number
  readonly why: string
  readonly only: readonly number[]
}

/** Seeds that one process tries, in their order, up to the first that fails. */
interface Share {
  readonly first: number
  readonly count: number
  tried: number
  failure: Failure | undefined
  /** Why the process ended before it had done its work. */
  trouble: string | undefined
}

async function simulate(): Promise<void> {
  const startedMs = performance.now()
  const shares = Array.from({ length: cores }, (_, core) => shareOf(core))
  const sum = () => shares.reduce((total, { tried }) => total + tried, 0)
  const perSecond = () => {
    const rate = Math.round(sum() / ((performance.now() - startedMs) / 1000))
    return `${sum()} seeds, ${rate} seeds/s on ${cores} cores`
  }
  const isTerminal = process.stdout.isTTY
  const saying = setInterval(() => isTerminal || console.log(perSecond()), SAID_EVERY_MS).unref()
  await Promise.all(
    shares.map(async share => {
      share.trouble = await eachValue(runArguments(share), value => {
        const { tried, failed } = value as { tried: number; failed?: Failure }
        share.tried = tried
        share.failure = failed
        if (isTerminal) process.stdout.write(`\r${perSecond()} `)
      })
    }),
  )
  clearInterval(saying)
  console.log(`${isTerminal ? '\r' : ''}${perSecond()}`)
  for (const { failure } of shares) if (failure !== undefined) await report(failure)
  for (const share of shares) sayUntried(share)
  if (shares.some(({ failure, trouble }) => failure !== undefined || trouble !== undefined))
    process.exitCode = 1
  else if (sum() === 0) fail('no seed was tried: give it more minutes')
  else if (sum() < seeds) console.log(`every promise held; ${seeds - sum()} seeds were not tried in the time`)
  else console.log('every promise held')
}

function shareOf(core: number): Share {
  const least = Math.floor(seeds / cores)
  const larger = seeds % cores
  const first = seed + core * least + Math.min(core, larger)
  const count = least + (core < larger ? 1 : 0)
  return { first, count, tried: 0, failure: undefined, trouble: undefined }
}

/** After a failure, or when the process could not continue, the remaining seeds are untried. */
function sayUntried({ first, count, tried, failure, trouble }: Share): void {
  if (failure === undefined && trouble === undefined) return
  const done = failure === undefined ? tried : tried + 1
  const left = count - done
  const why = trouble === undefined ? `seed ${failure?.seed} has failed` : `their process ${trouble}`
  const again = `npm run simulate -- --seed ${first + done} --seeds ${left}${without('"')}`
  if (left > 0) console.log(`\n${left} of ${seeds} seeds were not tried: ${why}. To try them: ${again}`)
  else if (trouble !== undefined) console.log(`\nA process ${trouble} after all of its seeds`)
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
    if (wholeNumber('only', index, 0) >= length) fail(`seed ${failed} has the actions 0 to ${length - 1}`)
  const trouble = await eachValue(['--seed', String(failed), '--only', kept, ...guardArguments()], value => {
    const { at, what } = value as { at?: string; what: string }
    console.log(at === undefined ? what : `${at}  ${what}`)
    if (at === undefined && what !== HELD) process.exitCode = 1
  })
  if (trouble === undefined) return
  process.exitCode = 1
  console.log(`the story has no end: its process ${trouble}`)
}

function runArguments({ first, count }: Share): string[] {
  return [
    ...['--seed', String(first), '--seeds', String(count), '--twice-every', String(twiceEvery)],
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

/**
 * Runs `run.ts` and passes on every value that it prints.
 *
 * @returns the reason if it failed
 */
async function eachValue(
  args: readonly string[],
  take: (value: unknown) => void,
): Promise<string | undefined> {
  const script = fileURLToPath(new URL('./run.ts', import.meta.url))
  const child = spawn(process.execPath, [...ROOM_FOR_THE_YOUNG, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  for await (const line of createInterface({ input: child.stdout })) {
    const value = parsedJson(line)
    if (value === undefined) console.error(line)
    else take(value)
  }
  const [code, signal] = await ended
  if (signal !== null) return `was ended by ${signal}`
  return code === 0 ? undefined : `ended with exit code ${code}`
}

/** Undefined for invalid JSON: the last line of a killed process may be incomplete. */
function parsedJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** @throws never: invalid arguments end the program with the usage */
function parsed<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    return fail((error as Error).message)
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isSafeInteger(number) || number < least)
    fail(`--${name} must be a whole number from ${least} on and below 2^53, not "${text}"`)
  return number
}

function fail(sentence: string): never {
  console.error(`simulate: ${sentence}\n\n${USAGE}`)
  process.exit(2)
}
