import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { type Account, accounts, enterprises } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { AccountChange, AccountCreate } from '../../schemas/http/account-api.ts'
import type { Caller } from '../auth/caller.ts'
import { EnvelopeOf, envelope, type Meta, V3_ERROR_REPLIES } from '../http/envelope.ts'
import { notFound } from '../http/errors.ts'
import { type ChildAccountPorts, ChildAccounts } from './child-accounts.ts'
import { AccountRecord, accountRecord, EnterpriseRecord, enterpriseRecord } from './records.ts'

const TokenDescription = Type.Object({
  subject: Type.String(),
  type: Type.String(),
  account: Type.Union([Type.String(), Type.Null()]),
  enterprise: Type.Union([Type.String(), Type.Null()]),
  email: Type.Union([Type.String(), Type.Null()]),
  role: Type.String(),
})

const AccountPath = Type.Object({ accountId: Type.String() })
const ManyAccounts = { 200: EnvelopeOf(Type.Array(AccountRecord)), ...V3_ERROR_REPLIES }
const CreatedAccount = Type.Object({
  ...AccountRecord.properties,
  ingestion_key: Type.String({ description: 'To send lines to the account with' }),
})
const OneAccount = { 200: EnvelopeOf(AccountRecord), ...V3_ERROR_REPLIES }

const NO_LINKS = { self: {} }
const ONE_ACCOUNT: Meta = { pk: 'account', type: 'account', links: NO_LINKS }
const ALL_ACCOUNTS: Meta = { ...ONE_ACCOUNT, page: null }
const CALLER: Meta = { pk: 'subject', type: 'token', links: NO_LINKS }
const ENTERPRISE: Meta = { pk: 'enterprise', type: 'enterprise', links: NO_LINKS }

/** `/v3/auth` and `/v3/enterprise` (configuration and account API, section 17.1). */
export const enterpriseRoutes: FastifyPluginAsyncTypebox<ChildAccountPorts> = async (app, ports) => {
  const { configuration } = ports
  const children = new ChildAccounts(ports)

  /** The accounts that a caller may use: all of its enterprise, or its own. */
  const usableBy = (caller: Caller): Entity<Account>[] =>
    caller.accessType === 'enterprise'
      ? children.list(caller)
      : configuration.list(accounts).filter(({ id }) => id === caller.account?.shortId)

  app.get(
    '/v3/auth/account',
    {
      config: { needs: 'caller' },
      schema: { summary: 'Accounts that the caller may use', tags: ['accounts'], response: ManyAccounts },
    },
    async ({ caller }) => envelope(ALL_ACCOUNTS, usableBy(caller).map(accountRecord)),
  )

  app.get(
    '/v3/auth/account/:accountId',
    {
      config: { needs: 'caller' },
      schema: {
        summary: 'One of these accounts',
        tags: ['accounts'],
        params: AccountPath,
        response: OneAccount,
      },
    },
    async ({ caller, params }) =>
      envelope(ONE_ACCOUNT, accountRecord(oneOf(usableBy(caller), params.accountId))),
  )

  app.get(
    '/v3/auth/token',
    {
      config: { needs: 'caller' },
      schema: {
        summary: 'What the service knows about the caller',
        tags: ['accounts'],
        response: { 200: EnvelopeOf(TokenDescription), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller }) =>
      envelope(CALLER, {
        subject: caller.subjectId,
        type: caller.accessType,
        account: caller.account?.shortId ?? null,
        enterprise: caller.enterpriseId ?? null,
        email: caller.subjectEmail ?? null,
        role: caller.role,
      }),
  )

  app.get(
    '/v3/enterprise',
    {
      config: { needs: 'enterprise' },
      schema: {
        summary: 'The enterprise with its accounts',
        tags: ['accounts'],
        response: { 200: EnvelopeOf(EnterpriseRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller }) => {
      const enterprise = configuration.get(enterprises, caller.enterpriseId ?? '')
      if (enterprise === undefined) throw notFound()
      return envelope(ENTERPRISE, enterpriseRecord(enterprise, children.list(caller)))
    },
  )

  app.get(
    '/v3/enterprise/account',
    {
      config: { needs: 'enterprise' },
      schema: { summary: 'Accounts of the enterprise', tags: ['accounts'], response: ManyAccounts },
    },
    async ({ caller }) => envelope(ALL_ACCOUNTS, children.list(caller).map(accountRecord)),
  )

  app.get(
    '/v3/enterprise/account/:accountId',
    {
      config: { needs: 'enterprise' },
      schema: {
        summary: 'One of its accounts',
        tags: ['accounts'],
        params: AccountPath,
        response: OneAccount,
      },
    },
    async ({ caller, params }) =>
      envelope(ONE_ACCOUNT, accountRecord(children.get(caller, params.accountId))),
  )

  app.post(
    '/v3/enterprise/account',
    {
      config: { needs: 'enterprise' },
      schema: {
        summary: 'Create an account of the enterprise, with its owner and a first ingestion key',
        tags: ['accounts'],
        body: AccountCreate,
        response: { 200: EnvelopeOf(CreatedAccount), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, body }) => {
      const { account, ingestionKey } = await children.create(caller, body)
      return envelope(ONE_ACCOUNT, { ...accountRecord(account), ingestion_key: ingestionKey })
    },
  )

  app.put(
    '/v3/enterprise/account/:accountId',
    {
      config: { needs: 'enterprise' },
      schema: {
        summary: 'Change an account; what is left out stays as it is',
        tags: ['accounts'],
        params: AccountPath,
        body: AccountChange,
        response: OneAccount,
      },
    },
    async ({ caller, params, body }) =>
      envelope(ONE_ACCOUNT, accountRecord(await children.change(caller, params.accountId, body))),
  )

  for (const [path, suspended, summary] of [
    ['suspend', true, 'Suspend an account: it keeps everything, and none of its credentials works'],
    ['resume', false, 'Let the credentials of a suspended account work again'],
  ] as const) {
    app.post(
      `/v3/enterprise/account/:accountId/${path}`,
      {
        config: { needs: 'enterprise' },
        schema: { summary, tags: ['accounts'], params: AccountPath, response: OneAccount },
      },
      async ({ caller, params }) =>
        envelope(
          ONE_ACCOUNT,
          accountRecord(await children.setSuspended(caller, params.accountId, suspended)),
        ),
    )
  }
}

function oneOf(candidates: readonly Entity<Account>[], id: string): Entity<Account> {
  const account = candidates.find(each => each.id === id)
  if (account === undefined) throw notFound('The account does not exist')
  return account
}
