import { isIP } from 'node:net'

const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/

/**
 * Trusted part of an `x-forwarded-for`: the addresses at its end, written by the nearest proxies, without ports. It ends
 * at the first entry that is not an address, because the origin of everything before it is unknown.
 */
export function forwardedAddresses(header: string): string[] {
  const addresses: string[] = []
  for (const entry of header.split(',').reverse()) {
    const address = addressOf(entry.trim())
    if (address === undefined) break
    addresses.unshift(address)
  }
  return addresses
}

function addressOf(text: string): string | undefined {
  if (isIP(text) > 0) return text
  const [, inBrackets, plain] = WITH_PORT.exec(text) ?? []
  const address = inBrackets ?? plain ?? ''
  return isIP(address) > 0 ? address : undefined
}
