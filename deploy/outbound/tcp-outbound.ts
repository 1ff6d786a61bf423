import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { type NetworkAddress, type Outbound, OutboundError } from '../../engine/outbound/outbound.ts'
import type { OutboundRules } from '../../engine/outbound/outbound-rules.ts'

/** Of one name. More would be a way to make this machine knock at many doors at once. */
const MAX_ADDRESSES = 8

/** An address of several that does not answer for so long gives way to the next. */
const ATTEMPT_MS = 1_000
/** Lookups hold threads that the log writes with, slow ones for long: users' names never hold more than these. */
const LOOKUPS_AT_ONCE = 4

export interface OutboundPorts {
  readonly rules: OutboundRules
  /** Asks the system, as every program of this machine does. Absent: really. */
  readonly resolve?: ((host: string) => Promise<readonly LookupAddress[]>) | undefined
}

/** Outbound over TCP. */
export function tcpOutbound({ rules, resolve = resolveAll }: OutboundPorts): Outbound {
  const inTurn = turns(LOOKUPS_AT_ONCE)
  return {
    connect: async (address, signal) => {
      const found = await inTurn(signal, () => resolve(address.host)).catch((cause: unknown) => {
        throw new OutboundError('UNRESOLVED', `${address.host} does not resolve`, { cause })
      })
      const allowed = allowedOf(found.slice(0, MAX_ADDRESSES), address, rules)
      if (signal.aborted) throw new OutboundError('NOT_CONNECTED', `${address.host} resolved too late`)
      return connected(address, allowed, signal)
    },
  }
}

/** Lets so many do their work at once, the others wait; those whose signal is aborted meanwhile do none. */
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
      // Whoever goes on takes over the place.
      if (next === undefined) busy--
      else next()
    }
  }
}

function resolveAll(host: string): Promise<LookupAddress[]> {
  return lookup(host, { all: true })
}

/** @throws OutboundError when none is left */
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
    throw new OutboundError('DENIED', `${named} is not connected to, because ${rules(first.address, port)}`)
  }
  return allowed
}

/** Connects to the addresses that are given and to no other: the name is not resolved again. */
function connected(
  { host, port }: NetworkAddress,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  const [first] = addresses
  return new Promise((done, fail) => {
    const socket = connect({
      // Only a name is looked up by this function; what is an address already has been judged as such.
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
      fail(new OutboundError('NOT_CONNECTED', `${host}:${port} accepts no connection`, { cause }))
    }
    socket.once('error', failed)
    socket.once('connect', () => {
      signal.removeEventListener('abort', giveUp)
      socket.off('error', failed)
      // A peer that breaks it off before the caller has listened must not end the process.
      socket.on('error', () => {})
      done(socket)
    })
  })
}
