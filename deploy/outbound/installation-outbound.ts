import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Outbound } from '../../engine/outbound/outbound.ts'
import { outboundRules } from '../../engine/outbound/outbound-rules.ts'
import type { Settings } from '../settings.ts'
import { tcpOutbound } from './tcp-outbound.ts'

const LOCAL_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Outbound connections of a process, by the operator's rules.
 *
 * @param listening present listeners of the process; such a port counts as its own at every address of the machine
 */
export function installationOutbound(
  { kafkaBrokers, outboundDeny, outboundAllow, clickhouseUrl }: Settings,
  listening: () => readonly AddressInfo[],
): Outbound {
  const storePorts = portOfThisMachine(clickhouseUrl)
  return tcpOutbound({
    rules: outboundRules({
      deny: outboundDeny,
      allow: outboundAllow,
      isCluster: kafkaBrokers.length > 0,
      ownPorts: () => new Set([...listening().map(({ port }) => port), ...storePorts]),
      localAddresses: () =>
        Object.values(networkInterfaces()).flatMap(each => (each ?? []).map(({ address }) => address)),
    }),
  })
}

/** A "weir store" on this machine belongs to the installation, too. */
function portOfThisMachine(url: string | undefined): readonly number[] {
  if (url === undefined) return []
  const { hostname, port, protocol } = new URL(url)
  if (!LOCAL_NAME.test(hostname)) return []
  return [port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)]
}
