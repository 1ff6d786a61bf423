import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { NetworkAddress } from '../../engine/outbound/outbound.ts'
import { OutboundError } from '../../engine/outbound/outbound-error.ts'
import { outboundRules } from '../../engine/outbound/outbound-rules.ts'
import type { Settings } from '../settings/settings.ts'
import { type NetworkOutbound, networkOutbound } from './network-outbound.ts'
import { type Resolve, ResolvedServers } from './resolved-servers.ts'
import { tcpOutbound } from './tcp-outbound.ts'

/** A listener of the process, as far as connections to itself are refused. */
export interface OwnListener {
  addresses(): readonly AddressInfo[]
}

/**
 * Outbound connections of a process, by the operator's rules.
 *
 * @param logId identifies the installation in its requests
 * @param listening present listeners of the process; such a port counts as its own at every address of the machine
 * @param resolve default: the resolver of the system
 */
export function installationOutbound(
  settings: Settings,
  logId: string,
  listening: () => readonly AddressInfo[],
  resolve?: Resolve,
): NetworkOutbound {
  const { kafkaBrokers, outboundDeny, outboundAllow } = settings
  const servers = new ResolvedServers(serversOf(settings), resolve)
  const rules = outboundRules({
    deny: outboundDeny,
    allow: outboundAllow,
    isCluster: kafkaBrokers.length > 0,
    ownPorts: () => new Set(listening().map(({ port }) => port)),
    servers: () => servers.all,
    localAddresses: () =>
      Object.values(networkInterfaces()).flatMap(each => (each ?? []).map(({ address }) => address)),
  })
  const tcp = tcpOutbound({ rules, resolve })
  return networkOutbound({
    rules,
    logId,
    async connect(address, signal) {
      await unlessAborted(servers.refresh(), signal)
      return tcp.connect(address, signal)
    },
  })
}

/** @throws OutboundError when the signal is aborted first */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<never>()
  const giveUp = () =>
    late.reject(new OutboundError('NOT_CONNECTED', 'The names of own servers resolve too late'))
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await Promise.race([work, late.promise])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** Brokers, schema registry and store of the installation. */
function serversOf({ kafkaBrokers, schemaRegistryUrl, clickhouseUrl }: Settings): readonly NetworkAddress[] {
  const brokers = kafkaBrokers.map(broker => `tcp://${broker}`)
  const urls = [schemaRegistryUrl, clickhouseUrl].flatMap(url => url ?? [])
  return [...brokers, ...urls].map(text => {
    const { hostname, port, protocol } = new URL(text)
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
  })
}
