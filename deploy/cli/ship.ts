import { access, constants, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { timeSpanMs } from '../../engine/times/time-span.ts'
import { byteSize, grouped } from './byte-size.ts'
import { CommandError, EXIT, type ExitCode, UNREACHABLE } from './command-error.ts'
import { type Address, dataFolder, ingestAddress } from './connection.ts'
import type { LineOptions } from './ship/batch.ts'
import { appOfFile, fileBytes, inputBytes } from './ship/byte-source.ts'
import { Delivery, Stopped } from './ship/delivery.ts'
import { Follower } from './ship/follower.ts'
import { Positions } from './ship/positions.ts'
import { showProgress } from './ship/progress.ts'
import { ownFile } from './ship/single-owner.ts'
import { type Source, StreamShipper } from './ship/stream-shipper.ts'
import { Totals } from './ship/totals.ts'
import { type World, write } from './world.ts'

const FILES_AT_ONCE = 4
const POLL_MS = 250
const PATIENCE_MS = 300_000
const STANDARD_INPUT = '-'

interface ShipOptions {
  readonly follow?: true
  readonly app?: string
  readonly host?: string
  readonly tags?: string
  readonly level?: string
  readonly env?: string
  readonly keepEmpty?: true
  readonly retryFor?: number
  readonly positions?: string
  readonly json?: true
}

const HELP = `
Lines end at line feeds; a carriage return before one is removed. Empty lines are skipped unless
--keep-empty is given. Bytes that are not UTF-8 arrive as U+FFFD. A line gets the time at which the
service receives it. A last line without a line feed is sent; with --follow, only once its file was
rotated. Files compressed by gzip or zstd are decompressed.

With --follow the position in each file is kept across restarts. Rotation by renaming and by
truncation are followed, and files may appear later. Requests are retried without end
unless --retry-for is given.

Exit codes: 0 all lines stored, 1 some lines refused, 2 wrong usage or a request that the service
refuses, 3 ${UNREACHABLE}, 130 interrupted before the end. With --follow
an interruption is the normal end: 0, and the next start continues.

Examples:
  weir ship /var/log/nginx/*.log --tags prod,web
  journalctl -o cat | weir ship - --app journal
  weir ship --follow /var/log/app.log --app checkout --level info
  weir ship big.log --json | jq .linesPerSecond`

export function shipCommand(world: World, finish: (code: ExitCode) => void): Command {
  return new Command('ship')
    .summary('send the lines of files or of standard input')
    .description('Send the lines of files, or of standard input, to the service.')
    .argument('<file...>', 'files to read; - is standard input')
    .option('-f, --follow', 'continue with lines that are appended to the files')
    .option('--app <name>', "application of the lines (default: from the file's name, nginx of nginx.log.1)")
    .option('--host <name>', "host of the lines (default: this machine's name)", readHost)
    .option('--tags <list>', 'comma-separated tags')
    .option('--level <level>', 'level of lines without a level of their own')
    .option('--env <name>', 'environment of the lines')
    .option('--keep-empty', 'send empty lines, too')
    .option(
      '--retry-for <duration>',
      'time for retries while the service is unavailable (default: 5m; --follow: no limit)',
      readDuration,
    )
    .option(
      '--positions <file>',
      'position file of --follow (default: ship-positions.json in the data folder)',
    )
    .option('--json', 'print the summary as one JSON object')
    .addHelpText('after', HELP)
    .action(async (files: string[], options: ShipOptions) => finish(await ship(files, options, world)))
}

function readHost(text: string): string {
  if (text.trim() === '')
    throw new InvalidArgumentError("Give a host, or omit the option for this machine's name.")
  return text
}

function readDuration(text: string): number {
  const ms = timeSpanMs(text)
  if (ms === undefined) throw new InvalidArgumentError('Write it like 90s, 5m or 1h.')
  return ms
}

async function ship(files: readonly string[], options: ShipOptions, world: World): Promise<ExitCode> {
  const names = [...new Set(files)]
  await checkFiles(names, options)
  const address = ingestAddress(world)
  const totals = new Totals()
  const startMs = world.clock.monotonicMs()
  // A failure with one file also ends the work on the others.
  const failure = new AbortController()
  const inner = { ...world, stop: AbortSignal.any([world.stop, failure.signal]) }
  const progress = await showProgress(totals, await expectedBytes(names, options), world)
  let trouble: unknown
  try {
    const run = options.follow ? follow : shipOnce
    await run(names, options, address, totals, inner, failure)
  } catch (error) {
    trouble = error
  }
  progress.stop()
  await report(totals, world.clock.monotonicMs() - startMs, trouble, options, world)
  if (trouble && !(trouble instanceof Stopped)) throw trouble
  if (world.stop.aborted && !options.follow) return EXIT.interrupted
  return totals.refused > 0 ? EXIT.partly : EXIT.done
}

async function checkFiles(names: readonly string[], options: ShipOptions): Promise<void> {
  if (options.follow && names.includes(STANDARD_INPUT)) {
    throw new CommandError(EXIT.usage, 'Standard input is read to its end anyway: omit --follow.')
  }
  for (const name of names) {
    if (name === STANDARD_INPUT) continue
    const found = await stat(name).catch(() => undefined)
    if (!found && options.follow) continue
    if (!found) throw new CommandError(EXIT.usage, `${name} does not exist.`)
    if (found.isDirectory()) throw new CommandError(EXIT.usage, `${name} is a folder: give the files in it.`)
    if (options.follow && !found.isFile()) {
      throw new CommandError(EXIT.usage, `${name} is not a regular file: omit --follow.`)
    }
    await access(name, constants.R_OK).catch(() => {
      throw new CommandError(EXIT.usage, `This user cannot read ${name}.`)
    })
  }
}

/** Sum of the sizes if all are known: the end of the progress bar. */
async function expectedBytes(names: readonly string[], options: ShipOptions): Promise<number | undefined> {
  if (options.follow || names.includes(STANDARD_INPUT)) return undefined
  const found = await Promise.all(names.map(name => stat(name)))
  return found.every(one => one.isFile()) ? found.reduce((sum, one) => sum + one.size, 0) : undefined
}

type Run = (
  names: readonly string[],
  options: ShipOptions,
  address: Address,
  totals: Totals,
  world: World,
  failure: AbortController,
) => Promise<void>

const shipOnce: Run = async (names, options, address, totals, world, failure) => {
  const delivery = new Delivery({
    address,
    world,
    retryForMs: options.retryFor ?? PATIENCE_MS,
    onRetry: retryNotice(totals, world),
  })
  const waiting = [...names]
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined && !world.stop.aborted; name = waiting.shift()) {
      const chunks = name === STANDARD_INPUT ? inputBytes(totals, world) : fileBytes(name, totals, world)
      const source: Source = { ...lineSource(name, options), chunks }
      await new StreamShipper(source, { delivery, totals, world, onProblem: problemNotice(world) }).run()
    }
  }
  try {
    await allOrNone(Array.from({ length: Math.min(FILES_AT_ONCE, names.length) }, work), failure)
  } finally {
    delivery.close()
  }
}

const follow: Run = async (names, options, address, totals, world, failure) => {
  const file = resolve(options.positions ?? join(dataFolder(world), 'ship-positions.json'))
  const release = await ownFile(file)
  if (!release) {
    throw new CommandError(
      EXIT.usage,
      `Another "weir ship --follow" on this machine uses ${file}. Use another file with --positions FILE.`,
    )
  }
  const delivery = new Delivery({
    address,
    world,
    retryForMs: options.retryFor ?? Number.POSITIVE_INFINITY,
    onRetry: retryNotice(totals, world),
  })
  try {
    const positions = await Positions.open(file)
    const followers = names.map(name => {
      const { lines, host, tags } = lineSource(name, options)
      const onProblem = problemNotice(world)
      return new Follower({
        path: name,
        ingestUrl: address.url,
        lines,
        host,
        tags,
        delivery,
        positions,
        totals,
        world,
        onProblem,
      })
    })
    await allOrNone(
      followers.map(follower => followUntilStopped(follower, world)),
      failure,
    )
  } finally {
    delivery.close()
    await release()
  }
}

async function followUntilStopped(follower: Follower, world: World): Promise<void> {
  try {
    while (!world.stop.aborted) {
      if (!(await follower.step())) await world.clock.sleep(POLL_MS, world.stop)
    }
  } finally {
    await follower.close()
  }
}

/** Waits for all; the first failure stops the others and is thrown once they have ended. */
async function allOrNone(work: readonly Promise<void>[], failure: AbortController): Promise<void> {
  let first: unknown
  await Promise.all(
    work.map(one =>
      one.catch((error: unknown) => {
        if (first === undefined || first instanceof Stopped) first = error
        failure.abort()
      }),
    ),
  )
  if (first !== undefined) throw first
}

function lineSource(name: string, options: ShipOptions): Omit<Source, 'chunks'> {
  const isFile = name !== STANDARD_INPUT
  const lines: LineOptions = {
    app: options.app ?? (isFile ? appOfFile(name) : 'stdin'),
    level: options.level,
    env: options.env,
    file: isFile ? resolve(name) : undefined,
    keepEmpty: options.keepEmpty ?? false,
  }
  return { lines, host: options.host ?? hostname(), tags: options.tags }
}

function problemNotice(world: World): (sentence: string) => void {
  // On a terminal, the progress bar is on this line and is drawn again below the notice.
  const clear = world.stderr.isTTY ? '\r\u001b[2K' : ''
  return sentence => void write(world.stderr, `${clear}weir: ${sentence}\n`)
}

/** Reports once, not at every attempt, that the program waits for the service. */
function retryNotice(totals: Totals, world: World): (reason: string) => void {
  const notice = problemNotice(world)
  let saidAtRequests = -1
  return reason => {
    totals.retries++
    if (saidAtRequests === totals.requests) return
    saidAtRequests = totals.requests
    notice(`The service does not accept lines at the moment (${reason}); trying again.`)
  }
}

async function report(
  totals: Totals,
  elapsedMs: number,
  trouble: unknown,
  options: ShipOptions,
  world: World,
): Promise<void> {
  const seconds = elapsedMs / 1000
  const perSecond = totals.lines / Math.max(seconds, 0.001)
  if (options.json) {
    const summary = {
      lines: totals.lines,
      stored: totals.stored,
      refused: totals.refused,
      cut: totals.longLines,
      bytes: totals.bytes,
      requests: totals.requests,
      retries: totals.retries,
      seconds: Number(seconds.toFixed(3)),
      linesPerSecond: Math.round(perSecond),
      complete: trouble === undefined && !world.stop.aborted,
      error: trouble instanceof Error && !(trouble instanceof Stopped) ? trouble.message : null,
    }
    return write(world.stdout, `${JSON.stringify(summary)}\n`)
  }
  const rate = `${grouped(perSecond)} lines/s, ${byteSize(totals.bytes / Math.max(seconds, 0.001))}/s`
  const parts = [
    `${trouble === undefined && (options.follow || !world.stop.aborted) ? 'Shipped' : 'Not finished: shipped'} ` +
      `${grouped(totals.lines)} ${totals.lines === 1 ? 'line' : 'lines'} (${byteSize(totals.bytes)}) ` +
      `in ${seconds.toFixed(1)} s: ${rate}; ${grouped(totals.refused)} refused.`,
  ]
  if (totals.longLines > 0) {
    parts.push(
      `${grouped(totals.longLines)} were longer than 16,384 bytes: the service keeps only their beginning.`,
    )
  }
  await write(world.stdout, `${parts.join(' ')}\n`)
}
