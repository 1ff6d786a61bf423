import {
  type ConfigurationLog,
  create,
  remove,
  replace,
} from '../../engine/configuration/configuration-log.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { type ArchivingOfAccount, archivings } from '../../engine/configuration/kinds/archiving.ts'
import type { NetworkAddress } from '../../engine/outbound/outbound.ts'
import { type Archiving, archivingMembers } from '../../schemas/http/account/archiving.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { authorOf } from '../configuration/author.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'reach' | 'settings'>

/** Texts that clients know. */
const NONE = 'No active archiving configuration exists'
const NONE_TO_CHANGE =
  'Active archiving configuration does not exist for this account. Try creating one instead.'

/** The archiving configuration of each account, stored as it was sent. */
export class Archivings {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** @throws ApiError 404 */
  get(caller: Caller): Archiving {
    return this.#entity(caller).value.archiving
  }

  /** @throws ApiError 400, 409, 429 */
  async create(caller: Caller, sent: Archiving): Promise<Archiving> {
    const author = authorOf(caller)
    const { account } = author
    if (this.#configuration.get(archivings, account) !== undefined)
      throw new ApiError(409, 'Conflict', 'An active archiving configuration exists already')
    const archiving = archivingMembers(sent)
    await this.#check(account, archiving)
    await this.#configuration.append([create(archivings, account, { account, archiving })], author)
    return archiving
  }

  /** Replaces the configuration, possibly by another integration. @throws ApiError 400, 404, 429 */
  async replace(caller: Caller, sent: Archiving): Promise<Archiving> {
    const author = authorOf(caller)
    const { account } = author
    this.#entity(caller, NONE_TO_CHANGE)
    const archiving = archivingMembers(sent)
    await this.#check(account, archiving)
    await untilNotOvertaken(() => {
      const entity = this.#entity(caller, NONE_TO_CHANGE)
      return this.#configuration.append([replace(archivings, entity, { account, archiving })], author)
    })
    return archiving
  }

  /** @throws ApiError 404 */
  async delete(caller: Caller): Promise<void> {
    await untilNotOvertaken(() =>
      this.#configuration.append([remove(archivings, this.#entity(caller))], authorOf(caller)),
    )
  }

  #entity(caller: Caller, none = NONE): Entity<ArchivingOfAccount> {
    const archiving = this.#configuration.get(archivings, accountOf(caller).shortId)
    if (archiving === undefined) throw notFound(none)
    return archiving
  }

  /** Checks that the object store answers, but not that it accepts the credentials. @throws ApiError 400, 429 */
  async #check(account: string, archiving: Archiving): Promise<void> {
    const { settings, reach } = this.#ports
    if (settings.checkArchiving !== true) return
    await reach.assertOpen(account, [endpointOf(archiving)], 'Failed to connect to the object store')
  }

  get #configuration(): ConfigurationLog {
    return this.#ports.configuration
  }
}

/** @throws ApiError 400 when none is named, or it is not an address */
function endpointOf(archiving: Archiving): NetworkAddress {
  const [name, text] = namedEndpoint(archiving)
  if (text === '')
    throw uncheckable(
      `${archiving.integration} has no ${name} to connect to, and this installation accepts only settings that it can check`,
    )
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url === null || url.hostname === '') throw uncheckable(`${name} is not an address`)
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port)
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port }
}

/**
 * Name of the member with the object store's address, and that address. It is the provider's own address if a request
 * cannot name one, or does not.
 */
function namedEndpoint(archiving: Archiving): [name: string, text: string] {
  switch (archiving.integration) {
    case 'swift':
      return ['authurl', archiving.authurl.trim()]
    case 'gcs':
      return ['integration', 'storage.googleapis.com']
    case 'azblob':
      return ['accountname', `${hostLabel('accountname', archiving.accountname)}.blob.core.windows.net`]
    case 's3': {
      const endpoint = archiving.endpoint?.trim() ?? ''
      if (endpoint !== '') return ['endpoint', endpoint]
      return ['region', `s3.${hostLabel('region', archiving.region?.trim() || 'us-east-1')}.amazonaws.com`]
    }
    default:
      return ['endpoint', archiving.endpoint.trim()]
  }
}

/** @throws ApiError 400 when the text cannot be a part of a host name */
function hostLabel(name: string, text: string): string {
  const label = text.trim()
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))
    throw uncheckable(`${name} is not part of an address`)
  return label
}

function uncheckable(why: string): ApiError {
  return new ApiError(400, 'BadRequest', `The connection cannot be checked: ${why}`)
}
