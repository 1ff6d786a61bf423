/** @returns the host part of a URL at which clients on this machine reach a server that listens on `address` */
export function reachable(address: string): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return address.includes(':') ? `[${address}]` : address
}
