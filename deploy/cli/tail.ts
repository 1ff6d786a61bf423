import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { WebSocket } from 'ws'
import { parseExactJson } from '../../engine/json/exact-json.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { ApiRefusal, noAnswer, refusal } from './api-client.ts'
import { CommandError, UNREACHABLE } from './command-error.ts'
import { type Address, apiAddress } from './connection.ts'
import { lineListing, lineText } from './line-text.ts'
import { isChosen, type OutputOptions, rowWriter, STREAMED, textWriter, withOutput } from './output/output.ts'
import { readQuery } from './query.ts'
import { timesOf } from './times/times.ts'
import { type World, write } from './world.ts'

/** Pause before a reconnect, the same as in other clients of the tail. */
const RECONNECT_MS = 2_000
/** A connection without a message or ping for this time counts as lost; pings come every 30 seconds. */
const SILENT_MS = 75_000
const CONNECT_WITHIN_MS = 30_000

interface TailOptions extends OutputOptions {
  readonly app?: string
  readonly host?: string
  readonly level?: string
  readonly tags?: string
}

const HELP = `
"weir help query" explains the query; put -- before one that begins with -. Lines are shown when they
are accepted. If the connection ends, it is made again two seconds later; lines accepted meanwhile are not
shown ("weir search" finds them). If there are too many lines, the number left out goes to standard error.

Exit codes: 0 when interrupted, 2 wrong usage or query, 3 ${UNREACHABLE} at the start.

Examples:
  weir tail
  weir tail 'timeout -healthcheck' --app nginx
  weir tail level:error --json | jq ._line`

export function tailCommand(world: World): Command {
  return withOutput(new Command('tail'), 'print each record as a line of JSON', STREAMED)
    .summary('watch lines as they arrive')
    .description('Print lines as they are accepted, until interrupted.')
    .argument('[query]', 'search query', readQuery, '')
    .option('--app <list>', 'only lines of these applications (comma-separated)')
    .option('--host <list>', 'only lines of these hosts')
    .option('--level <list>', 'only lines of these levels')
    .option('--tags <list>', 'only lines with one of these tags')
    .addHelpText('after', HELP)
    .action((query: string, options: TailOptions) => tail(query, options, world))
}

async function tail(query: string, options: TailOptions, world: World): Promise<void> {
  const address = apiAddress(world)
  const url = tailUrl(address, {
    q: query,
    hosts: options.host,
    tags: options.tags,
    levels: options.level,
    apps: options.app,
  })
  const times = await timesOf(world)
  // Rows appear as they arrive: a table would have to wait for the last one.
  const writer = isChosen(options)
    ? rowWriter(lineListing(times), { output: 'ndjson', ...options }, world)
    : textWriter(lineText(world, options.json === true, times), world)
  const note = (sentence: string) => write(world.stderr, `weir: ${sentence}\n`)
  const print = async (message: string) => {
    const { e, p } = parseExactJson(message) as {
      readonly e: string
      readonly p: JsonObject[] & { dropped?: number }
    }
    if (e === 'meta') {
      if (p.dropped !== undefined)
        await note(`${p.dropped} lines were left out: more arrived than could be shown.`)
    } else await writer.write(p)
  }
  const isOver = () => world.stop.aborted || world.stdout.destroyed
  let wasConnected = false
  while (!isOver()) {
    try {
      const connection = await connect(url, address, world)
      wasConnected = true
      await printAll(connection, print, isOver, world)
    } catch (error) {
      if (isOver()) return
      if (!mayPass(error, wasConnected)) throw error
      await note((error as Error).message)
    }
    if (!isOver()) await world.clock.sleep(RECONNECT_MS, world.stop)
  }
}

function tailUrl({ url }: Address, parameters: Readonly<Record<string, string | undefined>>): URL {
  const tailed = new URL(`${url.replace(/^http/, 'ws')}/ws/tail`)
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) tailed.searchParams.set(name, value)
  return tailed
}

function mayPass(error: unknown, wasConnected: boolean): boolean {
  if (error instanceof ApiRefusal) return [408, 429].includes(error.status) || error.status >= 500
  return error instanceof CommandError && wasConnected
}

/** @throws ApiRefusal, CommandError like other requests */
async function connect(url: URL, address: Address, world: World): Promise<WebSocket> {
  const socket = new WebSocket(url, {
    headers: { authorization: `Token ${address.secret.value}` },
    handshakeTimeout: CONNECT_WITHIN_MS,
  })
  const stop = () => socket.terminate()
  world.stop.addEventListener('abort', stop)
  socket.once('close', () => world.stop.removeEventListener('abort', stop))
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.pause() // until a listener is attached
      resolve(socket)
    })
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      text(response).then(
        body => reject(refusal(response.statusCode ?? 0, body, address, response.headers['retry-after'])),
        error => reject(noAnswer(address, error)),
      )
    })
    socket.on('error', cause => reject(noAnswer(address, new Error('no WebSocket', { cause }))))
  })
}

/** Resolves when the connection ends. */
async function printAll(
  socket: WebSocket,
  print: (message: string) => Promise<void>,
  isOver: () => boolean,
  { clock }: World,
): Promise<void> {
  const closed = new AbortController()
  let isSilent = false
  socket.on('ping', () => {
    isSilent = false
  })
  const show = async (message: string) => {
    socket.pause() // The terminal may be slower: then the server leaves lines out, and reports it.
    await print(message)
    if (isOver()) socket.terminate()
    else socket.resume()
  }
  socket.on('message', data => {
    isSilent = false
    void show(String(data))
  })
  const ended = new Promise<void>(resolve => {
    socket.once('close', () => {
      closed.abort()
      resolve()
    })
  })
  const watch = async () => {
    while (!closed.signal.aborted) {
      isSilent = true
      await clock.sleep(SILENT_MS, closed.signal)
      if (isSilent) socket.terminate()
    }
  }
  void watch()
  socket.resume()
  await ended
}
