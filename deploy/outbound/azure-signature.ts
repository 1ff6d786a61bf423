import { createHmac } from 'node:crypto'
import type { AzureKey } from '../../engine/outbound/http-exchange.ts'
import type { SignedRequest } from './aws-signature.ts'

/** Standard headers that are signed, in their order; an absent one counts as empty. */
const STANDARD = [
  ...['content-encoding', 'content-language', 'content-length', 'content-md5', 'content-type', 'date'],
  ...['if-modified-since', 'if-match', 'if-none-match', 'if-unmodified-since', 'range'],
]
const OWN = /^x-ms-/

/**
 * Headers that sign a request for Azure Storage with a key of the account ("Shared Key").
 *
 * @param nowMs present time, UNIX ms: servers accept a few minutes
 */
export function azureSignatureHeaders(
  request: SignedRequest,
  key: AzureKey,
  nowMs: number,
): Readonly<Record<string, string>> {
  const dated = { 'x-ms-date': new Date(nowMs).toUTCString() }
  const text = signedText({ ...request, headers: { ...request.headers, ...dated } }, key.account)
  const signature = createHmac('sha256', Buffer.from(key.key, 'base64')).update(text).digest('base64')
  return { ...dated, authorization: `SharedKey ${key.account}:${signature}` }
}

/** Text that is signed: "Authorize with Shared Key" in the reference of Azure Storage. */
export function signedText({ method, url, headers, body }: SignedRequest, account: string): string {
  const { pathname, searchParams } = new URL(url)
  const length = body.length === 0 ? '' : String(body.length)
  const standard = STANDARD.map(name => (name === 'content-length' ? length : (headers[name] ?? '')))
  const own = Object.entries(headers)
    .filter(([name]) => OWN.test(name))
    .toSorted(byName)
    .map(([name, value]) => `${name}:${value.trim()}`)
  const query = [...searchParams]
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .toSorted(byName)
    .map(([name, value]) => `${name}:${value}`)
  return [method, ...standard, ...own, `/${account}${pathname}`, ...query].join('\n')
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : Number(one > other)
}
