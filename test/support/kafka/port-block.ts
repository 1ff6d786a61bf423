import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below the ports that the system hands out by itself, so that a broker that is down finds its own free again. */
const FIRST_PORT = 10_000
const BLOCKS = 1000
const BLOCK_SIZE = 10

export interface PortBlock {
  readonly ports: readonly number[]
  release(): void
}

/**
 * Nine free ports in a row that no other cluster of the tests takes until they are released. The port before them is the
 * lock: its owner has all of them, and loses it when its process ends.
 */
export async function takePortBlock(): Promise<PortBlock> {
  const start = Math.floor(Math.random() * BLOCKS)
  for (let tried = 0; tried < BLOCKS; tried++) {
    const first = FIRST_PORT + ((start + tried) % BLOCKS) * BLOCK_SIZE
    const claim = await listening(first)
    if (claim === undefined) continue
    const ports = Array.from({ length: BLOCK_SIZE - 1 }, (_, place) => first + 1 + place)
    if (await allFree(ports)) return { ports, release: () => void claim.close() }
    claim.close()
  }
  throw new Error(
    `no ${BLOCK_SIZE} ports in a row are free from ${FIRST_PORT} on: end the programs that hold them`,
  )
}

async function allFree(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) {
    const server = await listening(port)
    if (server === undefined) return false
    server.close()
    await once(server, 'close')
  }
  return true
}

/** @returns undefined when the port is in use */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().unref()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}
