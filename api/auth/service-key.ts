import type { IncomingHttpHeaders } from 'node:http'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { accountKeys, secretHash } from '../../engine/configuration/entities.ts'
import { notAuthorized } from '../http/errors.ts'
import { BAD_SERVICE_KEY } from './authenticator.ts'

/**
 * The account of the service key in the header of a request that needs one in addition to its credential (specification,
 * section 5, item 5).
 *
 * @param account if given, the key must belong to this account
 * @throws ApiError 401
 */
export async function accountOfServiceKey(
  headers: IncomingHttpHeaders,
  configuration: ConfigurationLog,
  account?: string,
): Promise<string> {
  const sent = [headers.servicekey].flat()[0]?.trim() ?? ''
  if (sent === '') throw notAuthorized('"servicekey" header is required')
  const find = () => {
    const key = configuration.find(accountKeys, 'hash', secretHash(sent))?.value
    return key?.type === 'service' && (account ?? key.account) === key.account ? key.account : undefined
  }
  const found = find()
  if (found !== undefined) return found
  await configuration.catchUp() // another process may have created it a moment ago
  const foundLater = find()
  if (foundLater === undefined) throw notAuthorized(BAD_SERVICE_KEY)
  return foundLater
}
