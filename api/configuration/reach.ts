import { connect } from 'node:net'
import type { Clock } from '../../engine/clock/clock.ts'

/** Where something listens. */
export interface NetworkAddress {
  readonly host: string
  readonly port: number
}

/** Whether other machines can be reached: a port, as the clock is. */
export interface Reach {
  /** Opens a TCP connection and closes it again; rejects when there is none, or once the signal is aborted. */
  connect(address: NetworkAddress, signal: AbortSignal): Promise<void>
}

/** Configuration and account API, section 13: clients wait 15 s at most. */
const PATIENCE_MS = 3_000

export const tcpReach: Reach = {
  connect: ({ host, port }, signal) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host, port, signal })
      socket.on('error', reject)
      socket.once('connect', () => {
        socket.destroy()
        resolve()
      })
    }),
}

/** @returns why none of the addresses accepts a connection; undefined as soon as one does */
export async function whyUnreachable(
  addresses: readonly NetworkAddress[],
  reach: Reach,
  clock: Clock,
): Promise<string | undefined> {
  const enough = new AbortController()
  const { signal } = enough
  const attempts = addresses.map(async address => {
    try {
      await reach.connect(address, signal)
    } catch (cause) {
      throw new Error(`${textOf(address)}: ${reasonOf(cause)}`)
    }
  })
  const connected = Promise.any(attempts).then(
    () => undefined,
    ({ errors }: AggregateError) => errors.map(({ message }: Error) => message).join('; '),
  )
  const timeUp = clock.sleep(PATIENCE_MS, signal).then(() => {
    return `no answer within ${PATIENCE_MS / 1_000} s from ${addresses.map(textOf).join(', ')}`
  })
  try {
    return await Promise.race([connected, timeUp])
  } finally {
    enough.abort()
  }
}

/** The code alone: messages of resolvers name servers that are nobody's business. */
function reasonOf(cause: unknown): string {
  const { code, errors } = cause as { code?: string; errors?: { code?: string }[] }
  return code ?? errors?.[0]?.code ?? 'no connection'
}

function textOf({ host, port }: NetworkAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
