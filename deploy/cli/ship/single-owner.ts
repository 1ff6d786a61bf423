import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Makes this process the only owner of a file on this machine during its lifetime. A socket is more reliable than a lock
 * file: it ends with its process in every case.
 *
 * @returns a function that releases the file, or undefined when another process has it
 */
export async function ownFile(path: string): Promise<(() => Promise<void>) | undefined> {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 24)
  const socket = join(tmpdir(), `weir-ship-${digest}.sock`)
  for (let attempt = 0; attempt < 2; attempt++) {
    const server = await listening(socket)
    if (server) return () => new Promise(resolve => server.close(() => resolve()))
    if (await answers(socket)) return undefined
    // A process that was killed has left the socket.
    await unlink(socket).catch(() => {})
  }
  return undefined
}

function listening(socket: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer(connection => connection.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen(socket, () => resolve(server.unref()))
  })
}

function answers(socket: string): Promise<boolean> {
  return new Promise(resolve => {
    const connection = connect(socket)
    connection.once('connect', () => {
      connection.destroy()
      resolve(true)
    })
    connection.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EACCES'))
  })
}
