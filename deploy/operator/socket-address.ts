import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'

const SOCKET_NAME = 'operator.sock'
/** Maximum length of a Unix socket's address without its end: 108 bytes on Linux, 104 elsewhere. */
const MAX_ADDRESS_BYTES = process.platform === 'linux' ? 107 : 103
const OPEN_FOLDERS = '/proc/self/fd'

export interface SocketAddress {
  /** Path of the socket, for people. */
  readonly path: string
  /** Address for the system; valid until `release`. */
  readonly address: string
  release(): void
}

/**
 * The socket of a data folder. An address has at most about a hundred bytes; if the folder's path is longer, Linux
 * reaches the folder through an open handle.
 *
 * @returns undefined where the path is too long and this is not possible
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
