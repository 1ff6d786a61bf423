import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type NetworkAddress, type Outbound, OutboundError } from '../../engine/outbound/outbound.ts'
import { outboundRules } from '../../engine/outbound/outbound-rules.ts'
import type { Settings } from '../settings/settings.ts'
import { type Resolve, ResolvedServers } from './resolved-servers.ts'
import { tcpOutbound } from './tcp-outbound.ts'

/**
 * Outbound connections of a process, by the operator's rules.
 *
 * @param listening present listeners of the process; such a port counts as its own at every address of the machine
 * @param resolve default: the resolver of the system
 */
export function installationOutbound(
  settings: Settings,
  listening: () => readonly AddressInfo[],
  resolve?: Resolve,
): Outbound {
  const { kafkaBrokers, outboundDeny, outboundAllow } = settings
  const servers = new ResolvedServers(serversOf(settings), resolve)
  const outbound = tcpOutbound({
    rules: outboundRules({
      deny: outboundDeny,
      allow: outboundAllow,
      isCluster: kafkaBrokers.length > 0,
      ownPorts: () => new Set(listening().map(({ port }) => port)),
      servers: () => servers.all,
      localAddresses: () =>
        Object.values(networkInterfaces()).flatMap(each => (each ?? []).map(({ address }) => address)),
    }),
    resolve,
  })
  return {
    async connect(address, signal) {
      await unlessAborted(servers.refresh(), signal)
      return outbound.connect(address, signal)
    },
  }
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
