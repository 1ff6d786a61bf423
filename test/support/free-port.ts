import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/** Below those that the system hands out by itself. */
const FIRST_LASTING_PORT = 20_000
const LASTING_PORTS = 10_000

/** A port that was free a moment ago, for a program that must come back on the same one. */
export async function freePort(): Promise<number> {
  return (await listened(0)) as number
}

/** A free port for a server that is stopped repeatedly: the system does not give it to others in between. */
export async function lastingPort(): Promise<number> {
  // Processes that look at the same time begin at different places.
  for (let place = process.pid * 7; ; place++) {
    const port = await listened(FIRST_LASTING_PORT + (place % LASTING_PORTS))
    if (port !== undefined) return port
  }
}

/** @param port 0 for any @returns the port, which is free again; undefined when it is in use */
async function listened(port: number): Promise<number | undefined> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  } catch {
    return undefined
  }
  const found = (server.address() as AddressInfo).port
  await new Promise(resolve => server.close(resolve))
  return found
}
