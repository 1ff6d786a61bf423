import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import type { NetworkAddress } from '../../engine/outbound/outbound.ts'
import { OutboundError } from '../../engine/outbound/outbound-error.ts'
import type { OutboundRules } from '../../engine/outbound/outbound-rules.ts'

/** Maximum number of addresses of one name. More would allow users to make this machine contact many hosts at once. */
const MAX_ADDRESSES = 8

/** Time after which the next of several addresses is tried. */
const ATTEMPT_MS = 1_000
/** Maximum number of lookups at once. Lookups use threads with which the log writes, slow ones for a long time. */
const LOOKUPS_AT_ONCE = 4

export interface OutboundPorts {
  readonly rules: OutboundRules
  /** Resolver of names. Default: that of the system, as for every program of this machine. */
  readonly resolve?: ((host: string) => Promise<readonly LookupAddress[]>) | undefined
}

/** Opens judged connections over TCP, as `Outbound.connect` does. */
export interface TcpOutbound {
  connect(address: NetworkAddress, signal: AbortSignal): Promise<Socket>
}

export function tcpOutbound({ rules, resolve = resolveAll }: OutboundPorts): TcpOutbound {
  const inTurn = turns(LOOKUPS_AT_ONCE)
  return {
    connect: async (address, signal) => {
      const found = await inTurn(signal, () => resolve(address.host)).catch((cause: unknown) => {
        throw new OutboundError('UNRESOLVED', `${address.host} does not resolve`, { cause })
      })
      const allowed = allowedOf(found.slice(0, MAX_ADDRESSES), address, rules)
      if (signal.aborted) throw new OutboundError('NOT_CONNECTED', `${address.host} resolved too late`)
      return judged(await connected(address, allowed, signal), address, rules)
    },
  }
}

/** Limits the number of tasks that run at once; waiting tasks whose signal is aborted are dropped. */
function turns(atOnce: number) {
  let busy = 0
  const waiting: (() => void)[] = []
  return async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    if (busy >= atOnce) await new Promise<void>(begin => waiting.push(begin))
    else busy++
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      const next = waiting.shift()
      // The next task takes over the place.
      if (next === undefined) busy--
      else next()
    }
  }
}

function resolveAll(host: string): Promise<LookupAddress[]> {
  return lookup(host, { all: true })
}

/** @throws OutboundError when no allowed address remains */
function allowedOf(
  found: readonly LookupAddress[],
  { host, port }: NetworkAddress,
  rules: OutboundRules,
): readonly LookupAddress[] {
  const allowed = found.filter(({ address }) => rules(address, port) === undefined)
  const [first] = found
  if (first === undefined) throw new OutboundError('UNRESOLVED', `${host} has no address`)
  if (allowed.length === 0) {
    const named = first.address === host ? host : `${host} is ${first.address}, which`
    throw new OutboundError('DENIED', `${named} is refused, because ${rules(first.address, port)}`)
  }
  return allowed
}

/**
 * The other end of a connection is judged as well: the system may connect to another address than it was given, such as
 * that of this machine in place of an unassigned one.
 *
 * @throws OutboundError when it is refused; the connection is closed
 */
function judged(socket: Socket, { host, port }: NetworkAddress, rules: OutboundRules): Socket {
  const { remoteAddress } = socket
  const refusal = remoteAddress === undefined ? undefined : rules(remoteAddress, port)
  if (refusal === undefined) return socket
  socket.destroy()
  throw new OutboundError('DENIED', `${host} is ${remoteAddress}, which is refused, because ${refusal}`)
}

/** Connects only to the given addresses: the name is not resolved again. */
function connected(
  { host, port }: NetworkAddress,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  const [first] = addresses
  return new Promise((done, fail) => {
    const socket = connect({
      // This function looks up only names; an address was judged as it is.
      host: isIP(host) === 0 ? host : (first as LookupAddress).address,
      port,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
      lookup: (_host, { all }, tell) =>
        all === true
          ? tell(null, [...addresses])
          : tell(null, (first as LookupAddress).address, (first as LookupAddress).family),
    })
    const giveUp = () => socket.destroy(new Error('it took too long'))
    signal.addEventListener('abort', giveUp, { once: true })
    const failed = (cause: Error) => {
      signal.removeEventListener('abort', giveUp)
      fail(new OutboundError('NOT_CONNECTED', `${host}:${port} does not accept connections`, { cause }))
    }
    socket.once('error', failed)
    socket.once('connect', () => {
      signal.removeEventListener('abort', giveUp)
      socket.off('error', failed)
      // A peer that disconnects before the caller listens must not end the process.
      socket.on('error', () => {})
      done(socket)
    })
  })
}
