import type { IncomingMessage } from 'node:http'
import type { KeyHeader, KeyPlace } from '../../engine/nodes/contract/key-place.ts'
import { queryOf } from './request-metadata.ts'

/** Returns the access key of a request: that of the first place with a key. An empty text does not match any key. */
export function presentedKey(
  request: Pick<IncomingMessage, 'headers' | 'url'>,
  places: readonly KeyPlace[],
): string {
  for (const place of places) {
    const key =
      'header' in place
        ? keyInHeader(request.headers[place.header], place)
        : (queryOf(request).get(place.parameter) ?? '')
    if (key !== '') return key
  }
  return ''
}

function keyInHeader(sent: string | readonly string[] | undefined, { scheme }: KeyHeader): string {
  const text = [sent ?? ''].flat()[0]?.trim() ?? ''
  if (scheme === undefined) return text
  const [word = ''] = text.split(/\s/, 1)
  if (word.toLowerCase() !== scheme) return ''
  const credential = text.slice(word.length).trim()
  return scheme === 'basic' ? passwordIn(credential) : credential
}

/** The password of basic authentication (RFC 7617). */
function passwordIn(credential: string): string {
  const pair = Buffer.from(credential, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}
