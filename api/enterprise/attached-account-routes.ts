import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { type Account, accountKeys } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import {
  AttachedAccountChange,
  AttachedAccountRecord,
  DetachedAccount,
  type AttachedAccountRecord as Record,
} from '../../schemas/http/account/attached-account.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import type { Caller } from '../auth/caller.ts'
import { withPresentConfiguration } from '../auth/present-configuration.ts'
import { accountOfServiceKey } from '../auth/service-key.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { ChildAccounts, mayWrite } from './child-accounts.ts'
import { enterpriseKeyRoutes } from './enterprise-key-routes.ts'
import { shownRetention } from './records.ts'

const ACCOUNTS = '/v1/enterprise/account'
const ACCOUNT = `${ACCOUNTS}/:accountId`
const AccountPath = Type.Object({ accountId: Type.String() })
const OneAccount = { 200: AttachedAccountRecord, ...V1_ERROR_REPLIES }
const tags = ['accounts']
const config = { needs: 'enterprise' as const }
/** Days that clients offer for selection (our choice); any number up to 90 is accepted. */
const RETENTION_PERIODS = [3, 7, 14, 30]

/** Accounts of an enterprise, with the parts that turn them into records. */
interface ServedAccounts {
  readonly children: ChildAccounts
  readonly configuration: ConfigurationLog
  readonly record: (caller: Caller, account: Entity<Account>) => Record
}

/** `/v1/enterprise`, the older API of enterprises (configuration and account API, section 17.2). */
export const attachedAccountRoutes: FastifyPluginAsyncTypebox = async app => {
  const { configuration } = app.ports
  app.addHook('preHandler', withPresentConfiguration(app.ports))
  const children = new ChildAccounts(app.ports)
  const record: ServedAccounts['record'] = (caller, account) => recordOf(configuration, caller, account)
  serveList(app, { children, configuration, record })
  serveOne(app, { children, configuration, record })
  await app.register(enterpriseKeyRoutes)
}

function serveList(app: TypedApp, { children, configuration, record }: ServedAccounts): void {
  app.get(
    ACCOUNTS,
    {
      config,
      schema: {
        summary: 'List the accounts of the enterprise',
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
        summary: 'Attach an account without an enterprise to this one',
        description:
          'The header servicekey must contain a service key of the account, in addition to the credential.',
        tags,
        response: OneAccount,
      },
    },
    async ({ caller, headers }) => {
      const account = await accountOfServiceKey(headers, configuration)
      return record(caller, await children.attach(caller, account))
    },
  )
}

function serveOne(app: TypedApp, { children, record }: ServedAccounts): void {
  app.get(
    ACCOUNT,
    {
      config,
      schema: {
        summary: 'Read an account of the enterprise by its id',
        tags,
        params: AccountPath,
        response: OneAccount,
      },
    },
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
        summary: 'Detach an account from the enterprise; the account itself stays',
        tags,
        params: AccountPath,
        response: { 200: DetachedAccount, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { accountId } }) => {
      await children.detach(caller, accountId)
      return { account: accountId }
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
    // The key has the rights of an admin of the account.
    servicekey: (mayWrite(caller) && key?.value.key) || '',
  }
}
