import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Entity } from '../../engine/configuration/kind.ts'
import type { EnterpriseKey } from '../../engine/configuration/kinds/enterprise-keys.ts'
import { AccountKeyRecord, AccountKeyWrite } from '../../schemas/http/account/account-key.ts'
import { DeletedWithMessage } from '../../schemas/http/account/deleted.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { EnterpriseKeys } from './enterprise-keys.ts'

const KEYS = '/v1/enterprise/keys'
const KEY = `${KEYS}/:keyId`
const KeyPath = Type.Object({ keyId: Type.String() })
const OneKey = { 200: AccountKeyRecord, ...V1_ERROR_REPLIES }
const tags = ['keys']
const config = { needs: 'enterprise' as const }

/** `/v1/enterprise/keys` (configuration and account API, section 17.2). */
export const enterpriseKeyRoutes: FastifyPluginAsyncTypebox = async app => {
  const keys = new EnterpriseKeys(app.ports, app.ports.settings)

  app.get(
    KEYS,
    {
      config,
      schema: {
        summary: 'List the service keys of the enterprise, in clear',
        tags,
        response: { 200: Type.Array(AccountKeyRecord), ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller }) => keys.list(caller).map(keyRecord),
  )

  app.post(
    KEYS,
    {
      config,
      schema: {
        summary: 'Create a service key of the enterprise, if the operator allows it',
        tags,
        body: AccountKeyWrite,
        response: OneKey,
      },
    },
    async ({ caller, body }) => keyRecord(await keys.create(caller, body?.name ?? '')),
  )

  app.get(
    KEY,
    {
      config,
      schema: { summary: 'Read a service key of the enterprise', tags, params: KeyPath, response: OneKey },
    },
    async ({ caller, params }) => keyRecord(keys.get(caller, params.keyId)),
  )

  app.delete(
    KEY,
    {
      config,
      schema: {
        summary: 'Delete a service key of the enterprise, which becomes invalid at once',
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

function keyRecord({ id, value }: Pick<Entity<EnterpriseKey>, 'id' | 'value'>): AccountKeyRecord {
  return { id, key: value.key, name: value.name, type: 'service', created: value.createdAtMs }
}
