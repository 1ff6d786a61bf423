import { isIP } from 'node:net'

const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/

/**
 * What is believed of an `x-forwarded-for`: the addresses at its end, which the proxies nearest to us wrote, without
 * the ports that some write. It goes no further back than something that is no address: what stands before it
 * came from who knows where.
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
