import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Command } from 'commander'
import { reachable } from '../../reachable-address.ts'
import { readSettings, type Settings, SettingsError } from '../../settings/settings.ts'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import { localCredentials } from '../connection.ts'
import { type World, write } from '../world.ts'

/** A process that does not answer within this time counts as hung. */
const PATIENCE_MS = 3_000
const SUCCESS = 200
/** A setting with this value lets the system choose the port. */
const CHOSEN_BY_SYSTEM = 0

const HELP = `
For health checks of containers and scripts. Reads the settings of the server from the environment, so
it finds the port, and uses HTTPS where the server does. The certificate is not checked, and nothing
secret is sent. Without options it asks whether the process answers. With --ready it asks whether the
server does all that it is for, or with --for ingest whether it takes lines. The exit code is 0 for yes,
1 for no, and 3 if nothing answers.

Examples:
  weir health
  weir health --ready
  weir health --ready --for ingest
  weir health --store`

interface HealthOptions {
  readonly ready?: true
  readonly for?: string
  readonly store?: true
}

export function healthCommand(world: World, finish: (code: ExitCode) => void): Command {
  return new Command('health')
    .option('--ready', 'ask whether the server is ready')
    .option('--for <purpose>', 'with --ready, ask for this purpose alone: ingest')
    .option('--store', 'ask the process of "weir store"')
    .summary('ask whether the server on this machine is alive')
    .description('Ask whether the server on this machine is alive, or ready.')
    .addHelpText('after', HELP)
    .action((options: HealthOptions) => health(options, world, finish))
}

async function health(options: HealthOptions, world: World, finish: (code: ExitCode) => void): Promise<void> {
  const url = new URL(pathOf(options), serverUrl(options, world))
  const { status, text } = await answerOf(url, world.stop)
  if (status === SUCCESS) return write(world.stdout, `${url} answers ${status}.\n`)
  await write(world.stdout, `${url} answers ${status}: ${text.trim()}\n`)
  finish(EXIT.partly)
}

/** @throws CommandError for options that do not go together */
function pathOf({ ready, for: purpose, store }: HealthOptions): string {
  if (store && ready)
    throw new CommandError(EXIT.usage, '--store asks whether the process is alive: leave out --ready.')
  if (purpose !== undefined && !ready) throw new CommandError(EXIT.usage, '--for needs --ready.')
  if (purpose !== undefined && purpose !== 'ingest')
    throw new CommandError(EXIT.usage, `--for must be ingest, not "${purpose}".`)
  if (store) return '/ping'
  if (!ready) return '/healthz'
  return purpose === undefined ? '/readyz' : `/readyz?for=${purpose}`
}

/** @throws CommandError when the settings cannot be used, or do not tell the port */
function serverUrl({ store }: HealthOptions, world: World): string {
  const settings = settingsOf(world)
  const host = store ? settings.storeHost : settings.host
  const port = store ? settings.storePort : (settings.metricsPort ?? settings.port)
  // The port that the system chose is known for the API alone.
  if (port === CHOSEN_BY_SYSTEM && !store) return localCredentials(world).apiUrl
  if (port === CHOSEN_BY_SYSTEM)
    throw new CommandError(
      EXIT.usage,
      'With WEIR_STORE_PORT=0 the port of the store is not known: give it a number.',
    )
  const scheme = settings.tlsCertificate === undefined ? 'http' : 'https'
  return `${scheme}://${reachable(host)}:${port}`
}

function settingsOf(world: World): Settings {
  try {
    return readSettings(world.env)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    throw new CommandError(EXIT.usage, error.problems.map(problem => `${problem}.`).join(' '), {
      cause: error,
    })
  }
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** @throws CommandError when nothing answers */
async function answerOf(url: URL, stop: AbortSignal): Promise<Answer> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const signal = AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)])
  try {
    return await new Promise<Answer>((answered, failed) => {
      // The name in a certificate is seldom that of this machine for itself.
      const options = { signal, rejectUnauthorized: false }
      const sent = request(url, options, response => {
        let text = ''
        response.setEncoding('utf8').on('data', piece => {
          text += piece
        })
        response.on('end', () => answered({ status: response.statusCode ?? 0, text })).on('error', failed)
      })
      sent.on('error', failed).end()
    })
  } catch (cause) {
    const why =
      signal.aborted && !stop.aborted ? `no answer within ${PATIENCE_MS / 1_000} s` : (cause as Error).message
    throw new CommandError(EXIT.unreachable, `${url} does not answer: ${why}.`, { cause })
  }
}
