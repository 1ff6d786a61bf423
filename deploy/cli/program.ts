import { Command, CommanderError } from 'commander'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { loadEnvironmentFile } from '../environment.ts'
import { VERSION } from '../version.ts'
import { CommandError, EXIT, EXIT_CODES, type ExitCode } from './command-error.ts'
import { chosenContext, environmentOf, LOCAL, NO_SERVER } from './contexts/contexts.ts'
import { fitted, HELP_LAYOUT } from './output/help-layout.ts'
import { pauseOf, type RunEnd, runWatched, type WatchOptions } from './output/watch.ts'
import { type World, write } from './world.ts'

const HELP = `
On the server's machine, commands find its address and credentials by themselves. Elsewhere set
WEIR_URL and WEIR_ACCESS_TOKEN, for "weir ship" WEIR_URL (or WEIR_INGEST_URL) and WEIR_INGESTION_KEY,
or name the server once with "weir context add".

Examples:
  weir all                            run the whole service here
  weir ship /var/log/syslog           send a file
  weir search error --from 1h         find errors of the last hour
  weir tail level:error               watch errors as they arrive
  weir usage apps                     volume by application
  weir backup /mnt/backups/today      copy everything while the server runs
  weir doctor                         check the installation
  weir help query                     how to write a query

Exit codes: ${EXIT_CODES.map(({ code, summary }) => `${code} ${summary}`).join(', ')}.`

const ROLE_HELP = `
Settings are read from the environment and from the file .env in the working directory.
docs/operations.md, section "Settings", lists all of them.`

const ROLES: readonly [name: string, summary: string][] = [
  ['all', 'run the whole service in one process'],
  ['ingest', 'run only log ingestion'],
  ['api', 'run only the configuration, search and usage API'],
  ['engine', 'run only the pipeline engine'],
  ['store', 'serve the embedded store to the other processes of this machine'],
]

/** Hidden command that completion scripts call. */
const COMPLETE = 'complete'
/** Commands of the help alone. */
const TOPICS: readonly [name: string, load: Load][] = [
  ['query', async () => (await import('./man/query-topic.ts')).queryTopic()],
]

type Finish = (code: ExitCode) => void
/** @param loadAll the program with all of its commands */
type Load = (world: World, finish: Finish, loadAll: () => Promise<Command>) => Promise<Command>

/** Each command with its module, loaded on demand: all of them together would take most of a short command's time. */
const COMMANDS: readonly [name: string, load: Load][] = [
  ['ship', async (world, finish) => (await import('./ship.ts')).shipCommand(world, finish)],
  ['search', async (world, finish) => (await import('./search.ts')).searchCommand(world, finish)],
  ['export', async world => (await import('./export/export.ts')).exportCommand(world)],
  ['tail', async world => (await import('./tail.ts')).tailCommand(world)],
  ['top', async world => (await import('./counts/top.ts')).topCommand(world)],
  ['stats', async world => (await import('./counts/stats.ts')).statsCommand(world)],
  ['histogram', async world => (await import('./counts/histogram.ts')).histogramCommand(world)],
  ['fields', async world => (await import('./counts/fields.ts')).fieldsCommand(world)],
  ['usage', async world => (await import('./usage.ts')).usageCommand(world)],
  ['retention', async world => (await import('./retention.ts')).retentionCommand(world)],
  [
    'pipeline',
    async (world, finish) => (await import('./pipeline/pipeline.ts')).pipelineCommand(world, finish),
  ],
  ['explain', async (world, finish) => (await import('./explain.ts')).explainCommand(world, finish)],
  ['spread', async world => (await import('./spread.ts')).spreadCommand(world)],
  ['token', async (world, finish) => (await import('./token.ts')).tokenCommand(world, finish)],
  [
    'member',
    async (world, finish) => (await import('./resources/resources.ts')).memberCommand(world, finish),
  ],
  ['group', async (world, finish) => (await import('./resources/resources.ts')).groupCommand(world, finish)],
  ['key', async (world, finish) => (await import('./resources/resources.ts')).keyCommand(world, finish)],
  ['view', async (world, finish) => (await import('./resources/resources.ts')).viewCommand(world, finish)],
  ['rule', async (world, finish) => (await import('./resources/rule.ts')).ruleCommand(world, finish)],
  [
    'gateway',
    async (world, finish) => (await import('./resources/gateway.ts')).gatewayCommand(world, finish),
  ],
  ['quota', async world => (await import('./resources/quota.ts')).quotaCommand(world)],
  [
    'account',
    async (world, finish) => (await import('./resources/account.ts')).accountCommand(world, finish),
  ],
  ['audit', async world => (await import('./audit.ts')).auditCommand(world)],
  ['credentials', async world => (await import('./credentials.ts')).credentialsCommand(world)],
  ['demo', async world => (await import('./demo/demo.ts')).demoCommand(world)],
  ['console', async world => (await import('./console.ts')).consoleCommand(world)],
  ['context', async world => (await import('./contexts/context.ts')).contextCommand(world)],
  ['man', async (world, _, loadAll) => (await import('./man/man.ts')).manCommand(world, loadAll)],
  ['completion', async world => (await import('./completion/completion.ts')).completionCommand(world)],
]
const OPERATOR_COMMANDS: typeof COMMANDS = [
  ['status', async (world, finish) => (await import('./status.ts')).statusCommand(world, finish)],
  ['health', async (world, finish) => (await import('./doctor/health.ts')).healthCommand(world, finish)],
  ['doctor', async (world, finish) => (await import('./doctor/doctor.ts')).doctorCommand(world, finish)],
  ['verify', async (world, finish) => (await import('./operator/verify.ts')).verifyCommand(world, finish)],
  ['log', async world => (await import('./operator/log.ts')).logCommand(world)],
  ['quarantine', async world => (await import('./operator/quarantine.ts')).quarantineCommand(world)],
  ['backup', async world => (await import('./operator/backup.ts')).backupCommand(world)],
  ['restore', async world => (await import('./operator/restore.ts')).restoreCommand(world)],
]

/** Runs one command line, without the program's name, and returns its exit code. Never throws for bad input. */
export async function runProgram(args: readonly string[], world: World): Promise<number> {
  let pauseMs: number | undefined
  const { code } = await runOnce(args, world, options => {
    pauseMs = pauseOf(options)
    // The command would print its result: it is run below instead, on a screen that is drawn again.
    if (pauseMs !== undefined) throw new CommandError(EXIT.done, '')
  })
  if (pauseMs === undefined) return code
  return runWatched(pauseMs, each => runOnce(args, each), world)
}

/** @param onOptions called with the options of the command before it is run; an exception from it ends the run */
async function runOnce(
  args: readonly string[],
  world: World,
  onOptions: (options: WatchOptions) => void = () => {},
): Promise<RunEnd> {
  let code: number = EXIT.done
  const program = await buildProgram(args, world, finished => {
    code = finished
  })
  program.hook('preAction', (_, command) => onOptions(command.opts()))
  try {
    await program.parseAsync(args as string[], { from: 'user' })
    return { code, isFailed: false }
  } catch (error) {
    return { code: await failureCode(error, world), isFailed: true }
  }
}

/** Reports an error of a command. @returns its exit code */
async function failureCode(error: unknown, { stderr }: World): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (error instanceof CommandError) {
    if (error.message !== '') await write(stderr, `weir: ${error.message}\n`)
    return error.exitCode
  }
  if (!isSystemError(error)) throw error
  await write(stderr, `weir: ${systemSentence(error)}\n`)
  return EXIT.usage
}

const SYSTEM_SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist.',
  EACCES: 'cannot be used by this user: its permissions do not allow it.',
  EISDIR: 'is a folder, not a file.',
  ENOTDIR: 'has a part that is a file, not a folder.',
  EROFS: 'is on a file system that is read-only.',
  ENOSPC: 'has no space left on its disk.',
}

/** A frequent error names its file and the cause; others have the message of the system. */
function systemSentence({ code = '', path, message }: NodeJS.ErrnoException): string {
  const sentence = SYSTEM_SENTENCES[code]
  return path === undefined || sentence === undefined ? message : `${path} ${sentence}`
}

/** An error of the operating system, for instance about a file: its message says what failed and names the file. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
}

interface GlobalOptions {
  readonly use?: string
  readonly tz?: string
  readonly utc?: true
  /** False with `--no-color`. */
  readonly color: boolean
  readonly quiet?: true
}

/** Environment that options of all commands stand for; they take precedence over the variables. */
function environmentOfOptions({ tz, utc, color }: GlobalOptions): World['env'] {
  return {
    ...(tz !== undefined && { WEIR_TZ: tz }),
    ...(utc && { WEIR_TZ: 'UTC' }),
    ...(!color && { NO_COLOR: '1' }),
  }
}

type Changeable<T> = { -readonly [Member in keyof T]: T[Member] }

/** Applies options of all commands, and the context, to the world of the command that runs. */
function applyOptions(options: GlobalOptions, world: Changeable<World>): void {
  world.quiet = options.quiet === true
  const context = chosenContext(world.env, options.use)
  const ofContext = context === undefined ? {} : environmentOf(context, world.env)
  world.env = { ...world.env, ...ofContext, ...environmentOfOptions(options) }
  if (options.use === LOCAL) world.env = { ...world.env, ...NO_SERVER }
  if (context === undefined) return
  world.origins = Object.fromEntries(
    Object.keys(ofContext).map(name => [name, `the context "${context.name}"`]),
  )
  if (context.account !== undefined) world.account = context.account
}

async function buildProgram(args: readonly string[], outer: World, finish: Finish): Promise<Command> {
  const world: Changeable<World> = { ...outer, env: { ...outer.env } }
  const program = new Command('weir')
    .summary('self-hosted log management and telemetry pipelines')
    .description('Weir: self-hosted log management and telemetry pipelines.')
    .version(VERSION)
    .option('--use <context>', 'the server of this context; "local": that of this machine')
    .option('--tz <zone>', 'zone of times: Europe/Berlin, +02:00, local; default: UTC (or WEIR_TZ)')
    .option('--utc', 'times in UTC, whatever WEIR_TZ says')
    .option('--no-color', 'no colours (or NO_COLOR=1)')
    .option('--quiet', 'only results: no headings, notes and progress')
    .addHelpText('after', HELP)
    .hook('preAction', command => {
      applyOptions(command.opts(), world)
    })
  const isNeeded = ([name]: readonly [string, ...unknown[]]) => name === args[0]
  // Help and suggestions name all commands.
  const isKnown =
    args[0] === COMPLETE || [...COMMANDS, ...OPERATOR_COMMANDS, ...ROLES, ...TOPICS].some(isNeeded)
  const loadAll = () => buildProgram([], outer, finish)
  const add = async (group: string, commands: typeof COMMANDS) => {
    program.commandsGroup(group)
    for (const [, load] of isKnown ? commands.filter(isNeeded) : commands)
      program.addCommand(await load(world, finish, loadAll))
  }
  await add('Commands:', COMMANDS)
  await add("For the server's operator:", OPERATOR_COMMANDS)
  program.commandsGroup('Server:')
  for (const [role, summary] of ROLES) {
    program
      .command(role)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .addHelpText('after', ROLE_HELP)
      .action(async () => {
        // Loaded on demand: the server's modules would slow down every client command.
        const { runRole } = await import('../main.ts')
        await runRole(role)
      })
  }
  for (const [name, load] of TOPICS)
    if (args[0] === name || args.includes('help'))
      program.addCommand(await load(world, finish, loadAll), { hidden: true })
  if (args[0] === COMPLETE) {
    const { completeCommand } = await import('./completion/completion.ts')
    const load = (words: readonly string[]) => buildProgram(words, outer, finish)
    program.addCommand(completeCommand(world, load), { hidden: true })
  }
  return prepared(program, world)
}

/** Prepares each command. Without these settings Commander itself ends the process and writes to the terminal. */
function prepared(command: Command, world: World): Command {
  const width = () => world.stdout.columns ?? 100
  command.exitOverride().configureOutput({
    writeOut: text => void world.stdout.write(fitted(text, width())),
    writeErr: text => void world.stderr.write(text),
    getOutHelpWidth: width,
    getErrHelpWidth: () => world.stderr.columns ?? 100,
  })
  command.configureHelp(HELP_LAYOUT)
  command.showHelpAfterError('(see --help)')
  for (const child of command.commands) prepared(child, world)
  return command
}

/** The program on this machine, called by `deploy/bin/weir.mjs`. */
export async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const isServer = ROLES.some(([role]) => role === args[0])
  const trouble = loadEnvironmentFile()
  if (trouble !== undefined) {
    console.error(`weir: ${trouble}`)
    process.exitCode = EXIT.usage
    return
  }
  const stop = new AbortController()
  // A server role handles the signals itself.
  if (!isServer) stopOnSignals(stop)
  // A reader that ends early, as in `weir search | head`, or a terminal that is closed, is not an error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreGoneReader)
  const code = await runProgram(args, {
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock(),
    entropy: systemEntropy(),
    stop: stop.signal,
  })
  // A server role is running when this returns, and sets its exit code itself.
  if (code !== EXIT.done) process.exitCode = code
}

function stopOnSignals(stop: AbortController): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
}

function ignoreGoneReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
}
