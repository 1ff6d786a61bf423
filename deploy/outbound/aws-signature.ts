import { createHash, createHmac } from 'node:crypto'
import type { AwsSignature } from '../../engine/outbound/http-exchange.ts'
import { percentEncoded } from '../../engine/outbound/percent-encoded.ts'

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** Headers that are signed with host and date, if the request has them. */
const SIGNED = /^(?:content-type|x-amz-.*)$/
/** Service whose requests contain a digest of their body, and whose path is not encoded once more. */
const OBJECTS = 's3'

export interface SignedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as it is sent. */
  readonly body: Buffer
}

/**
 * Headers that sign a request for services of Amazon, and for others that check such signatures (AWS signature, version 4).
 *
 * @param nowMs present time, UNIX ms: servers accept a few minutes
 */
export function signatureHeaders(
  { method, url, headers, body }: SignedRequest,
  { accessKeyId, secretAccessKey, region, service }: AwsSignature,
  nowMs: number,
): Readonly<Record<string, string>> {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const date = time.slice(0, 'yyyymmdd'.length)
  const { host, pathname, searchParams } = new URL(url)
  const isObject = service === OBJECTS
  const digest = sha256(body)
  const added = { 'x-amz-date': time, ...(isObject && { 'x-amz-content-sha256': digest }) }
  const signed = [
    ...Object.entries({ ...headers, ...added }).filter(([name]) => SIGNED.test(name)),
    ['host', host] as const,
  ].toSorted(([one], [other]) => order(one, other))
  const names = signed.map(([name]) => name).join(';')
  const canonical = [
    ...[method, isObject ? pathname : encodedPath(pathname), sortedQuery(searchParams)],
    ...[...signed.map(([name, value]) => `${name}:${value.trim()}`), ''],
    ...[names, digest],
  ].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = [ALGORITHM, time, scope, sha256(canonical)].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => hmac(secret, part),
    `AWS4${secretAccessKey}`,
  )
  const signature = hmac(key, text).toString('hex')
  return {
    ...added,
    // Buckets with locked objects demand a digest of this kind.
    ...(isObject && { 'content-md5': createHash('md5').update(body).digest('base64') }),
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** The encoded path is encoded once more, except its slashes. */
function encodedPath(path: string): string {
  return path.split('/').map(percentEncoded).join('/')
}

function sortedQuery(parameters: URLSearchParams): string {
  return [...parameters]
    .map(([name, value]) => [percentEncoded(name), percentEncoded(value)] as const)
    .toSorted(([one, first], [other, second]) => order(one, other) || order(first, second))
    .map(pair => pair.join('='))
    .join('&')
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex')
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
