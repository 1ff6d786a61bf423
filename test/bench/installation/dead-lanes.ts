import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { prepareLoad } from '../load/load.ts'
import type { ObservedWeir } from './observed-weir.ts'

const LANES_PER_PIPELINE = 50
/** More than a batch for each. */
const LINES_OF_EACH = 1_500
const CONNECTIONS = 4
const LINES_PER_BODY = 500
const LOOK_MS = 200
const WITHIN_MS = 600_000

/** Destinations whose servers take nothing: half of them refuse connections, half accept requests and never answer. */
export interface DeadLanes {
  close(): void
}

/**
 * Publishes the destinations, and hands events over to each of them. Their pipelines are paused afterwards, so they cost nothing but their
 * deliveries.
 */
export async function openDeadLanes(weir: ObservedWeir, count: number): Promise<DeadLanes> {
  const mute = await muteServer()
  const closed = await muteServer()
  closed.close()
  const uris = [mute.uri, closed.uri]
  const pipelines: string[] = []
  for (let first = 0; first < count; first += LANES_PER_PIPELINE)
    pipelines.push(await publish(weir, uris, Math.min(LANES_PER_PIPELINE, count - first)))
  await sendLines(weir)
  const wanted = count * LINES_OF_EACH
  const untilMs = performance.now() + WITHIN_MS
  while (((await weir.metric('weir_delivery_waiting_events')) ?? 0) < wanted) {
    if (performance.now() > untilMs)
      throw new Error('the events of the dead destinations do not wait in time')
    await delay(LOOK_MS)
  }
  for (const pipeline of pipelines) await weir.program.send('POST', `/v3/pipeline/${pipeline}/pause`, {})
  return { close: () => mute.close() }
}

async function publish({ program }: ObservedWeir, uris: readonly string[], count: number): Promise<string> {
  const pipeline = await program.create('/v3/pipeline', { title: 'dead' })
  const source = await program.create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  for (let sink = 0; sink < count; sink++) {
    const user_config = { uri: uris[sink % uris.length], encoding: 'ndjson' }
    await program.create(`/v3/pipeline/${pipeline}/sink`, { type: 'http', inputs: [source], user_config })
  }
  await program.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  return pipeline
}

async function sendLines({ program }: ObservedWeir): Promise<void> {
  const { ingestUrl, ingestionKey } = program.credentials
  const load = await prepareLoad({
    ...{ url: `${ingestUrl}/logs/ingest`, ingestionKey, shape: 'json', seed: 7, startMs: Date.now() },
    ...{ lines: LINES_OF_EACH, linesPerBody: LINES_PER_BODY, connections: CONNECTIONS },
  })
  await load.send()
  load.close()
}

/** A server that accepts connections, and never answers. */
async function muteServer(): Promise<{ readonly uri: string; close(): void }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {}).resume()
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
