import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

/** Room for bodies on their way in, of one process; and the part of it for those that come without a key. */
const ROOM_BYTES = 128 * 1024 * 1024
const STRANGERS_ROOM_BYTES = ROOM_BYTES / 8
const BODY_BYTES = 2 * 1024 * 1024
/** A stalled body ends that early. */
const MISSING_BYTES = 1

export interface StalledUploads {
  release(): void
}

/**
 * Simulates overload as a real server meets it: many senders have begun a request and stopped. A further body does not
 * fit any more, with a key or without one. `release` ends it.
 */
export async function stalledUploads(origin: string, key: string): Promise<StalledUploads> {
  const sockets = await Promise.all([
    ...bodiesFilling(ROOM_BYTES).map(bytes => stalled(origin, bytes, `apikey: ${key}\r\n`)),
    ...bodiesFilling(STRANGERS_ROOM_BYTES).map(bytes => stalled(origin, bytes)),
  ])
  return {
    release() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Lengths of bodies that fill the room: a small one takes the rest that the large ones leave. */
function bodiesFilling(roomBytes: number): number[] {
  const large = Array.from({ length: roomBytes / BODY_BYTES }, () => BODY_BYTES)
  return [...large, (large.length + 1) * MISSING_BYTES]
}

async function stalled(origin: string, bytes: number, header = ''): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = createConnection(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    `POST /logs/ingest?hostname=slow HTTP/1.1\r\nhost: ${hostname}\r\n${header}content-length: ${bytes}\r\n\r\n`,
  )
  await new Promise<void>(resolve => socket.write(Buffer.alloc(bytes - MISSING_BYTES, ' '), () => resolve()))
  return socket
}
