import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

/** Room for bodies on their way in, of one process; and the part of it for those that come without a key. */
const ROOM_BYTES = 128 * 1024 * 1024
const STRANGERS_ROOM_BYTES = ROOM_BYTES / 8
const BODY_BYTES = 2 * 1024 * 1024
/** A smaller chunk takes the room of one of this size. */
const SMALLEST_BYTES = 256
/** A stalled body ends that early. */
const MISSING_BYTES = 1

export interface StalledUploads {
  /** Takes what is left of the room, or is free again because a body did not fit. */
  fillUp(): Promise<void>
  release(): void
}

/**
 * Simulates overload as a real server meets it: many senders have begun a request and stopped. A further body does not
 * fit any more, with a key or without one. `release` ends it.
 */
export async function stalledUploads(origin: string, key: string): Promise<StalledUploads> {
  const sockets: Socket[] = []
  // An account can hold as much as stays free, so its bodies come before those of strangers.
  for (const header of [`apikey: ${key}\r\n`, '']) {
    const roomBytes = header === '' ? STRANGERS_ROOM_BYTES : ROOM_BYTES / 2
    for (let body = 0; body < roomBytes / BODY_BYTES; body++)
      sockets.push(await stalled(origin, BODY_BYTES, header))
  }
  return {
    async fillUp() {
      for (const header of [`apikey: ${key}\r\n`, ''])
        for (let bytes = BODY_BYTES; bytes >= SMALLEST_BYTES; bytes /= 2)
          sockets.push(await stalled(origin, bytes, header))
    },
    release() {
      for (const socket of sockets) socket.destroy()
    },
  }
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
