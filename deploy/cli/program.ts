import { resolve } from 'node:path'
import { Command, CommanderError } from 'commander'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { VERSION } from '../version.ts'
import { CommandError, EXIT, type ExitCode } from './command-error.ts'
import { type World, write } from './world.ts'

const HELP = `
On the server's machine, commands find its address and credentials by themselves. Elsewhere set
WEIR_URL and WEIR_ACCESS_TOKEN, for "weir ship" WEIR_URL (or WEIR_INGEST_URL) and WEIR_INGESTION_KEY.

Examples:
  weir all                            run the whole service here
  weir ship /var/log/syslog           send a file
  weir search error --from 1h         find errors of the last hour
  weir tail level:error               watch errors as they arrive
  weir usage apps                     volume by application
  weir backup /mnt/backups/today      copy everything while the server runs`

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

type Finish = (code: ExitCode) => void

/** Each command with its module, loaded on demand: all of them together would take most of a short command's time. */
const COMMANDS: readonly [name: string, load: (world: World, finish: Finish) => Promise<Command>][] = [
  ['ship', async (world, finish) => (await import('./ship.ts')).shipCommand(world, finish)],
  ['search', async (world, finish) => (await import('./search.ts')).searchCommand(world, finish)],
  ['tail', async world => (await import('./tail.ts')).tailCommand(world)],
  ['usage', async world => (await import('./usage.ts')).usageCommand(world)],
  ['retention', async world => (await import('./retention.ts')).retentionCommand(world)],
  [
    'pipeline',
    async (world, finish) => (await import('./pipeline/pipeline.ts')).pipelineCommand(world, finish),
  ],
  ['explain', async (world, finish) => (await import('./explain.ts')).explainCommand(world, finish)],
  ['spread', async world => (await import('./spread.ts')).spreadCommand(world)],
  ['token', async world => (await import('./token.ts')).tokenCommand(world)],
  ['audit', async world => (await import('./audit.ts')).auditCommand(world)],
  ['credentials', async world => (await import('./credentials.ts')).credentialsCommand(world)],
]
const OPERATOR_COMMANDS: typeof COMMANDS = [
  ['status', async (world, finish) => (await import('./status.ts')).statusCommand(world, finish)],
  ['verify', async (world, finish) => (await import('./operator/verify.ts')).verifyCommand(world, finish)],
  ['log', async world => (await import('./operator/log.ts')).logCommand(world)],
  ['backup', async world => (await import('./operator/backup.ts')).backupCommand(world)],
  ['restore', async world => (await import('./operator/restore.ts')).restoreCommand(world)],
]

/** Runs one command line, without the program's name, and returns its exit code. Never throws for bad input. */
export async function runProgram(args: readonly string[], world: World): Promise<number> {
  let code: number = EXIT.done
  const program = await buildProgram(args, world, finished => {
    code = finished
  })
  try {
    await program.parseAsync(args as string[], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    if (error instanceof CommandError) {
      await write(world.stderr, `weir: ${error.message}\n`)
      return error.exitCode
    }
    if (!isSystemError(error)) throw error
    await write(world.stderr, `weir: ${error.message}\n`)
    return EXIT.usage
  }
}

/** An error of the operating system, for instance about a file: its message says what failed and names the file. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
}

async function buildProgram(args: readonly string[], world: World, finish: Finish): Promise<Command> {
  const program = new Command('weir')
    .description('Weir: self-hosted log management and telemetry pipelines.')
    .version(VERSION)
    .addHelpText('after', HELP)
  const isNeeded = ([name]: readonly [string, ...unknown[]]) => name === args[0]
  // Help and suggestions name all commands.
  const isKnown = [...COMMANDS, ...OPERATOR_COMMANDS, ...ROLES].some(isNeeded)
  const add = async (group: string, commands: typeof COMMANDS) => {
    program.commandsGroup(group)
    for (const [, load] of isKnown ? commands.filter(isNeeded) : commands)
      program.addCommand(await load(world, finish))
  }
  await add('Commands:', COMMANDS)
  await add("For the server's operator:", OPERATOR_COMMANDS)
  program.commandsGroup('Server:')
  for (const [role, summary] of ROLES) {
    program
      .command(role)
      .description(summary)
      .addHelpText('after', ROLE_HELP)
      .action(async () => {
        // Loaded on demand: the server's modules would slow down every client command.
        const { runRole } = await import('../main.ts')
        await runRole(role)
      })
  }
  return prepared(program, world)
}

/** Prepares each command. Without these settings Commander itself ends the process and writes to the terminal. */
function prepared(command: Command, world: World): Command {
  command.exitOverride().configureOutput({
    writeOut: text => void world.stdout.write(text),
    writeErr: text => void world.stderr.write(text),
    getOutHelpWidth: () => world.stdout.columns ?? 100,
    getErrHelpWidth: () => world.stderr.columns ?? 100,
  })
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
  // A reader that ends early, as in `weir search | head`, is not an error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreBrokenPipe)
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

/**
 * Reads settings from a file in the working directory; the environment takes precedence. Server and tools read the same
 * file: the tools must look for the data folder where the server has it.
 *
 * @returns a sentence when the file exists and cannot be read
 */
function loadEnvironmentFile(): string | undefined {
  try {
    process.loadEnvFile('.env')
    return undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    return `${resolve('.env')} cannot be read (${message}): make it a file that this user can read, or remove it`
  }
}

function stopOnSignals(stop: AbortController): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
}

function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
