import type { NodeSettings } from '../../engine/nodes/contract/node-declaration.ts'
import { isJsonObject, type JsonValue } from '../../schemas/json.ts'

/** The members of a log-analysis destination that name a host (pipeline API, appendix A). */
const HOST_MEMBERS = ['host', 'mezmo_host'] as const
const LOCAL_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const ADDRESS = /^(?:(https?):\/\/)?(\[[^\]]*\]|[^:/]*)(?::(\d+))?\/?$/
const USUAL_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

interface Address {
  readonly name: string
  /** Undefined where none is given, or the usual one of the scheme. */
  readonly port: string | undefined
}

/** The host that the options of a log-analysis destination name, as they were written. */
export function hostNamedBy(userConfig: JsonValue | undefined): string | undefined {
  if (!isJsonObject(userConfig)) return undefined
  return HOST_MEMBERS.map(member => userConfig[member]).find(host => typeof host === 'string')
}

/**
 * The settings to check some options with: names of hosts have no case, and the installation's own host, which
 * stands in the answer where a request named none, can be sent back whatever the pattern says.
 */
export function settingsFor(settings: NodeSettings, userConfig: JsonValue | undefined): NodeSettings {
  const { logHostPattern: pattern, ...others } = settings
  if (pattern === undefined) return settings
  const isOwn = hostNamedBy(userConfig)?.toLowerCase() === settings.ingestHost?.toLowerCase()
  if (isOwn) return others
  return { ...others, logHostPattern: new RegExp(pattern.source, `${pattern.flags.replace('i', '')}i`) }
}

/**
 * Tells which hosts are this installation: the one that stands in configurations which name none, and the local
 * machine. A port that is given must be that of the installation: another one is another program.
 */
export function ownHosts(ingestHost: string | undefined): (host: string) => boolean {
  const own = ingestHost === undefined ? undefined : addressOf(ingestHost)
  return host => {
    const address = addressOf(host)
    if (address === undefined) return false
    const isOwnName = address.name === own?.name || LOCAL_NAME.test(address.name)
    return isOwnName && (address.port === undefined || address.port === own?.port)
  }
}

function addressOf(host: string): Address | undefined {
  const match = ADDRESS.exec(host.toLowerCase())
  if (match === null) return undefined
  const [, scheme = '', name = '', port] = match
  return { name, port: port === USUAL_PORTS[scheme] ? undefined : port }
}
