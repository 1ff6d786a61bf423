import { accountInAddress } from './delegation.ts'

/** Address of a WebSocket of the server that served this page. The cookie goes with it; headers cannot. */
export function socketUrl(path: string, parameters: Readonly<Record<string, string>> = {}): string {
  const url = new URL(path, window.location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const account = accountInAddress(window.location.pathname)
  if (account !== undefined) url.searchParams.set('delegate_account_id', account)
  return url.href
}
