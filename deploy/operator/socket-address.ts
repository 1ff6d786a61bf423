import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'

const SOCKET_NAME = 'operator.sock'
/** Of an address of a Unix socket, without its end: 108 bytes on Linux, 104 elsewhere. */
const MAX_ADDRESS_BYTES = process.platform === 'linux' ? 107 : 103
const OPEN_FOLDERS = '/proc/self/fd'

export interface SocketAddress {
  /** Where the socket is, for people. */
  readonly path: string
  /** What the system is given; valid until `release`. */
  readonly address: string
  release(): void
}

/**
 * The socket of a data folder. An address may be no longer than about a hundred bytes; where the folder's path is
 * longer, Linux reaches the folder through an open handle.
 *
 * @returns undefined where the path is too long and there is no such way
 */
export function socketAddress(dataFolder: string): SocketAddress | undefined {
  const path = join(dataFolder, SOCKET_NAME)
  if (Buffer.byteLength(path) <= MAX_ADDRESS_BYTES) return { path, address: path, release: () => {} }
  if (!existsSync(OPEN_FOLDERS)) return undefined
  const folder = openSync(dataFolder, 'r')
  return {
    path,
    address: join(OPEN_FOLDERS, String(folder), SOCKET_NAME),
    release: () => closeSync(folder),
  }
}
