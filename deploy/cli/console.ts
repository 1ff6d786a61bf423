import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { Command } from 'commander'
import { socketAddress } from '../operator/socket-address.ts'
import { CommandError, EXIT } from './command-error.ts'
import { dataFolder } from './connection.ts'
import { type World, write } from './world.ts'

const HELP = `
The link works once, for ten minutes, and in a browser on this machine. It signs in with the access token
that "weir credentials" prints. Only the user that runs the server can make one.

Example:
  weir console`

export function consoleCommand(world: World): Command {
  return new Command('console')
    .summary('print a link that signs you in to the web console')
    .description("Print a link that signs you in to the web console of this machine's service.")
    .addHelpText('after', HELP)
    .action(async () => {
      await write(world.stdout, `${await newSignInLink(world)}\n`)
    })
}

/**
 * Asks the running server of this machine for a link.
 *
 * @param token access token that the session holds; default: that of the first start
 * @throws CommandError when no server runs on this machine, or it makes no links
 */
export async function newSignInLink(world: World, token?: string): Promise<string> {
  const folder = dataFolder(world)
  const address = socketAddress(folder)
  try {
    if (address === undefined) throw noServer(folder)
    const { status, body } = await ask(address.address, token, world)
    if (body.link !== undefined) return body.link
    throw new CommandError(
      EXIT.unreachable,
      status === 404
        ? 'The server is older than this command: start it again.'
        : `No link: ${body.message ?? status}.`,
    )
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw noServer(folder, error)
  } finally {
    address?.release()
  }
}

interface Answer {
  readonly link?: string
  readonly message?: string
}

async function ask(
  socketPath: string,
  token: string | undefined,
  world: World,
): Promise<{ status: number; body: Answer }> {
  const outgoing = request({ socketPath, path: '/console', method: 'POST', signal: world.stop })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject)
    outgoing.end(JSON.stringify({ token }))
  })
  return { status: response.statusCode ?? 0, body: (await json(response)) as Answer }
}

function noServer(folder: string, cause?: unknown): CommandError {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  const isForeign = code === 'EACCES' || code === 'EPERM'
  return new CommandError(
    EXIT.unreachable,
    isForeign
      ? `${folder} can only be used by the user that runs the server: run the command as that user.`
      : `No server runs on ${folder}. Start it with "npm start", or set WEIR_DATA_DIR to its data folder.`,
    { cause },
  )
}
