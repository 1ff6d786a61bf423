import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { AccountKey } from '../../engine/configuration/entities.ts'
import {
  AccountKeyRecord,
  AccountKeyWrite,
  KEY_TYPES,
  type KeyType,
} from '../../schemas/http/account/account-key.ts'
import { DeletedWithMessage } from '../../schemas/http/account/deleted.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import type { Owned } from '../configuration/owned-entities.ts'
import { badRequest } from '../http/errors.ts'
import { Keys } from './keys.ts'

const KEYS = '/v1/config/keys'
const KEY = `${KEYS}/:keyId`
const KeyPath = Type.Object({ keyId: Type.String() })
/** The type is not an enumeration: a missing type has the same message as a wrong one. */
const KeyQuery = Type.Object({
  type: Type.Optional(Type.String({ description: KEY_TYPES.join(' or ') })),
})
const OneKey = { 200: AccountKeyRecord, ...V1_ERROR_REPLIES }
const tags = ['keys']
/** Reading also needs it, because the answers contain the keys in clear. */
const config = { needs: 'admin' as const }

/** `/v1/config/keys` (configuration and account API, section 9). */
export const keyRoutes: FastifyPluginAsyncTypebox = async app => {
  const keys = new Keys(app.ports)

  app.get(
    KEYS,
    {
      config,
      schema: {
        summary: 'List ingestion and service keys',
        tags,
        querystring: KeyQuery,
        response: { 200: Type.Array(AccountKeyRecord), ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, query: { type } }) =>
      keys.list(caller, type === undefined ? undefined : keyTypeOf(type)).map(keyRecord),
  )

  app.post(
    KEYS,
    {
      config,
      schema: {
        summary: 'Create a key; service keys only if the operator allows them',
        tags,
        querystring: KeyQuery,
        body: AccountKeyWrite,
        response: OneKey,
      },
    },
    async ({ caller, query, body }) => keyRecord(await keys.create(caller, keyTypeOf(query.type), body)),
  )

  app.get(
    KEY,
    { config, schema: { summary: 'Read a key', tags, params: KeyPath, response: OneKey } },
    async ({ caller, params }) => keyRecord(keys.get(caller, params.keyId)),
  )

  app.put(
    KEY,
    {
      config,
      schema: { summary: 'Rename a key', tags, params: KeyPath, body: AccountKeyWrite, response: OneKey },
    },
    async ({ caller, params, body }) => keyRecord(await keys.rename(caller, params.keyId, body)),
  )

  app.delete(
    KEY,
    {
      config,
      schema: {
        summary: 'Delete a key, which becomes invalid at once',
        tags,
        params: KeyPath,
        response: { 200: DeletedWithMessage, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { keyId } }) => {
      await keys.delete(caller, keyId)
      return { message: `Key ${keyId} was deleted`, deleted: true as const }
    },
  )
}

function keyTypeOf(sent: string | undefined): KeyType {
  const type = KEY_TYPES.find(each => each === sent)
  if (type !== undefined) return type
  throw badRequest([{ message: `"type" must be one of [${KEY_TYPES.join(', ')}]`, key: 'type' }])
}

function keyRecord({ id, value: { key, name, type, createdAtMs } }: Owned<AccountKey>): AccountKeyRecord {
  return { id, key, name, type, created: createdAtMs }
}
