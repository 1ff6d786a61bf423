import { resolve } from 'node:path'
import { Command, CommanderError } from 'commander'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { VERSION } from '../version.ts'
import { auditCommand } from './audit.ts'
import { CommandError, EXIT, type ExitCode } from './command-error.ts'
import { credentialsCommand } from './credentials.ts'
import { explainCommand } from './explain.ts'
import { backupCommand } from './operator/backup.ts'
import { logCommand } from './operator/log.ts'
import { restoreCommand } from './operator/restore.ts'
import { verifyCommand } from './operator/verify.ts'
import { pipelineCommand } from './pipeline/pipeline.ts'
import { retentionCommand } from './retention.ts'
import { searchCommand } from './search.ts'
import { shipCommand } from './ship.ts'
import { spreadCommand } from './spread.ts'
import { statusCommand } from './status.ts'
import { tailCommand } from './tail.ts'
import { tokenCommand } from './token.ts'
import { usageCommand } from './usage.ts'
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

const ROLES: readonly [name: string, summary: string][] = [
  ['all', 'run the whole service in one process'],
  ['ingest', 'run only log ingestion'],
  ['api', 'run only the configuration, search and usage API'],
  ['engine', 'run only the pipeline engine'],
  ['store', 'serve the embedded store to the other processes of this machine'],
]

/** Runs one command line, without the program's name, and returns its exit code. Never throws for bad input. */
export async function runProgram(args: readonly string[], world: World): Promise<number> {
  let code: number = EXIT.done
  const program = buildProgram(world, finished => {
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

function buildProgram(world: World, finish: (code: ExitCode) => void): Command {
  const program = new Command('weir')
    .description('Weir: self-hosted log management and telemetry pipelines.')
    .version(VERSION)
    .addHelpText('after', HELP)
  program.commandsGroup('Commands:')
  for (const command of [
    shipCommand(world, finish),
    searchCommand(world, finish),
    tailCommand(world),
    usageCommand(world),
    retentionCommand(world),
    pipelineCommand(world, finish),
    explainCommand(world, finish),
    spreadCommand(world),
    tokenCommand(world),
    auditCommand(world),
    credentialsCommand(world),
  ]) {
    program.addCommand(command)
  }
  program.commandsGroup("For the server's operator:")
  for (const command of [
    statusCommand(world, finish),
    verifyCommand(world, finish),
    logCommand(world),
    backupCommand(world),
    restoreCommand(world),
  ])
    program.addCommand(command)
  program.commandsGroup('Server:')
  for (const [role, summary] of ROLES) {
    program
      .command(role)
      .description(summary)
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
