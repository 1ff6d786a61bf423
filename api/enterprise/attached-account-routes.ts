import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { type Account, accountKeys } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import type { EnterpriseKey } from '../../engine/configuration/kinds/enterprise-keys.ts'
import { AccountKeyRecord, AccountKeyWrite } from '../../schemas/http/account-key.ts'
import {
  AttachedAccountChange,
  AttachedAccountRecord,
  type AttachedAccountRecord as Record,
} from '../../schemas/http/attached-account.ts'
import type { Caller } from '../auth/caller.ts'
import { withPresentConfiguration } from '../auth/present-configuration.ts'
import { accountOfServiceKey } from '../auth/service-key.ts'
import { DeletedWithMessageReply, V1_ERROR_REPLIES } from '../configuration/replies.ts'
import { type ChildAccountPorts, ChildAccounts, mayWrite } from './child-accounts.ts'
import { type EnterpriseKeySettings, EnterpriseKeys } from './enterprise-keys.ts'
import { shownRetention } from './records.ts'

const ACCOUNTS = '/v1/enterprise/account'
const ACCOUNT = `${ACCOUNTS}/:accountId`
const KEYS = '/v1/enterprise/keys'
const KEY = `${KEYS}/:keyId`
const AccountPath = Type.Object({ accountId: Type.String() })
const KeyPath = Type.Object({ keyId: Type.String() })
const OneAccount = { 200: AttachedAccountRecord, ...V1_ERROR_REPLIES }
const OneKey = { 200: AccountKeyRecord, ...V1_ERROR_REPLIES }
const tags = ['accounts']
const config = { needs: 'enterprise' as const }
/** Days that clients may offer to choose from (our choice); any number up to 90 is taken. */
const RETENTION_PERIODS = [3, 7, 14, 30]

/** `/v1/enterprise`, the older API of enterprises (configuration and account API, section 17.2). */
export const attachedAccountRoutes: FastifyPluginAsyncTypebox<
  ChildAccountPorts & { readonly settings: EnterpriseKeySettings }
> = async (app, { settings, ...ports }) => {
  const { configuration } = ports
  const children = new ChildAccounts(ports)
  const keys = new EnterpriseKeys(ports, settings)
  app.addHook('preHandler', withPresentConfiguration(configuration, ports.clock))
  const record = (caller: Caller, account: Entity<Account>) => recordOf(configuration, caller, account)

  app.get(
    ACCOUNTS,
    {
      config,
      schema: {
        summary: 'Accounts of the enterprise',
        tags,
        response: { 200: Type.Array(AttachedAccountRecord), ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller }) => children.list(caller).map(account => record(caller, account)),
  )

  app.post(
    ACCOUNTS,
    {
      config,
      schema: {
        summary: 'Take an account that has no enterprise into this one',
        description: 'The header servicekey holds a service key of the account, besides the credential.',
        tags,
        response: OneAccount,
      },
    },
    async ({ caller, headers }) => {
      const account = await accountOfServiceKey(headers, configuration)
      return record(caller, await children.attach(caller, account))
    },
  )

  app.get(
    ACCOUNT,
    { config, schema: { summary: 'One of its accounts', tags, params: AccountPath, response: OneAccount } },
    async ({ caller, params }) => record(caller, children.get(caller, params.accountId)),
  )

  app.put(
    ACCOUNT,
    {
      config,
      schema: {
        summary: 'Change retention or owner of an account',
        tags,
        params: AccountPath,
        body: AttachedAccountChange,
        response: OneAccount,
      },
    },
    async ({ caller, params, body: { retention = 0, owner = '' } }) => {
      const changed = await children.change(caller, params.accountId, {
        ...(retention > 0 && { retention }),
        ...(owner !== '' && { owneremail: owner }),
      })
      return record(caller, changed)
    },
  )

  app.delete(
    ACCOUNT,
    {
      config,
      schema: {
        summary: 'Let an account go from the enterprise; it stays as it is, on its own',
        tags,
        params: AccountPath,
        response: { 200: Type.Object({ account: Type.String() }), ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { accountId } }) => {
      await children.detach(caller, accountId)
      return { account: accountId }
    },
  )

  app.get(
    KEYS,
    {
      config,
      schema: {
        summary: 'Service keys of the enterprise, in clear',
        tags: ['keys'],
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
        summary: 'Create a service key of the enterprise, where the operator allows it',
        tags: ['keys'],
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
      schema: { summary: 'One of its service keys', tags: ['keys'], params: KeyPath, response: OneKey },
    },
    async ({ caller, params }) => keyRecord(keys.get(caller, params.keyId)),
  )

  app.delete(
    KEY,
    {
      config,
      schema: {
        summary: 'Delete a service key of the enterprise, which stops at once',
        tags: ['keys'],
        params: KeyPath,
        response: { 200: DeletedWithMessageReply, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { keyId } }) => {
      await keys.delete(caller, keyId)
      return { message: `Key ${keyId} was deleted`, deleted: true as const }
    },
  )
}

function recordOf(configuration: ConfigurationLog, caller: Caller, { id, value }: Entity<Account>): Record {
  const key = configuration.list(accountKeys, id).find(({ value: { type } }) => type === 'service')
  return {
    account: id,
    enterprise: value.enterprise ?? '',
    retention: shownRetention(value),
    owner: value.ownerEmail,
    retentionPeriods: RETENTION_PERIODS,
    retentionTiers: RETENTION_PERIODS,
    plan: value.plan.type,
    // It has the rights of an admin of the account.
    servicekey: (mayWrite(caller) && key?.value.key) || '',
  }
}

function keyRecord({ id, value }: Pick<Entity<EnterpriseKey>, 'id' | 'value'>): AccountKeyRecord {
  return { id, key: value.key, name: value.name, type: 'service', created: value.createdAtMs }
}
