import type { Problem } from '../../event/problem.ts'
import type { AzureKey } from '../../outbound/http-exchange.ts'

const DEFAULT_SUFFIX = 'core.windows.net'
const ACCOUNT = /^[A-Za-z0-9_-]{1,64}$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Account of Azure Storage, from a connection string. */
export interface AzureAccount {
  /** Base address of its containers, without a slash at the end. */
  readonly blobEndpoint: string
  /** Absent: the address of a request contains its authorization. */
  readonly key?: AzureKey
  /** Shared access signature: a query, without a question mark; empty with a key. */
  readonly query: string
}

/** Finds a connection string that names no account or no authorization, when a pipeline is published. */
export function connectionStringProblems(instancePath: string, text: string): Problem[] {
  if (azureAccountOf(text) !== undefined) return []
  const message =
    'must be a connection string with AccountName and AccountKey, or with BlobEndpoint and SharedAccessSignature'
  return [{ instancePath, message }]
}

/** Reads a connection string, as the clients of Azure Storage do; undefined: it lacks an address or an authorization. */
export function azureAccountOf(text: string): AzureAccount | undefined {
  const members = membersOf(text)
  const account = members.get('accountname')
  const key = members.get('accountkey')
  const query = members.get('sharedaccesssignature')?.replace(/^\?/, '') ?? ''
  const blobEndpoint = blobEndpointOf(members)
  if (blobEndpoint === undefined) return undefined
  if (account !== undefined && key !== undefined && key !== '')
    return ACCOUNT.test(account) && BASE64.test(key)
      ? { blobEndpoint, key: { account, key }, query: '' }
      : undefined
  return query === '' ? undefined : { blobEndpoint, query }
}

/** Values by their names in lower case. */
function membersOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(';').flatMap(part => {
      const equals = part.indexOf('=')
      return equals === -1
        ? []
        : [[part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim()] as const]
    }),
  )
}

function blobEndpointOf(members: ReadonlyMap<string, string>): string | undefined {
  const address = members.get('blobendpoint') ?? serviceAddressOf(members)
  if (address === undefined || !URL.canParse(address)) return undefined
  const { protocol, origin, pathname, username, search, hash } = new URL(address)
  if (!/^https?:$/.test(protocol) || username !== '' || search !== '' || hash !== '') return undefined
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

function serviceAddressOf(members: ReadonlyMap<string, string>): string | undefined {
  const account = members.get('accountname') ?? ''
  const protocol = members.get('defaultendpointsprotocol') ?? 'https'
  const suffix = members.get('endpointsuffix') ?? DEFAULT_SUFFIX
  return ACCOUNT.test(account) ? `${protocol}://${account}.blob.${suffix}` : undefined
}
