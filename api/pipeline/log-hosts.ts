const LOCAL_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const ADDRESS = /^(?:(https?):\/\/)?(\[[^\]]*\]|[^:/]*)(?::(\d+))?\/?$/
const USUAL_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

interface Address {
  readonly name: string
  /** The port; undefined where none is given, or the usual one of the scheme. */
  readonly port: string | undefined
}

/**
 * Returns a test for hosts of this installation: the host of configurations that name none, and the local machine. A
 * given port must be that of the installation, because another port is another program.
 */
export function ownHosts(ownHost: string | undefined): (host: string) => boolean {
  const own = ownHost === undefined ? undefined : addressOf(ownHost)
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
