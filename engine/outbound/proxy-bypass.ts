import { parseCidrBlocks } from '../addresses/cidr.ts'

/**
 * Whether a host is reached without the proxy. Names are compared without case.
 *
 * @param host name or address, without brackets and port
 * @param bypass names, `.suffixes` (which also match the name itself), addresses, address blocks, or `*` for every host
 */
export function isBypassed(host: string, bypass: readonly string[]): boolean {
  const name = withoutDot(host.toLowerCase())
  return bypass.some(entry => matches(name, withoutDot(entry.trim().toLowerCase())))
}

function matches(name: string, entry: string): boolean {
  if (entry === '*' || entry === name) return true
  if (entry.startsWith('.')) return name.endsWith(entry) || name === entry.slice(1)
  return parseCidrBlocks(entry)?.contain(name) === true
}

/** A name with a dot at its end is the absolute form of that name. */
function withoutDot(name: string): string {
  return name.endsWith('.') && name.length > 1 ? name.slice(0, -1) : name
}
