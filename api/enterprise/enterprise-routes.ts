import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { type Account, accounts, enterprises } from '../../engine/configuration/entities.ts'
import type { ConfigurationView, Entity } from '../../engine/configuration/fold.ts'
import type { Caller } from '../auth/caller.ts'
import { EnvelopeOf, envelope, type Meta, V3_ERROR_REPLIES } from '../envelope.ts'
import { notFound } from '../errors.ts'
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
const OneAccount = { 200: EnvelopeOf(AccountRecord), ...V3_ERROR_REPLIES }

function meta(pk: string, type: string): Meta {
  return { pk, type, links: { self: {} }, page: null }
}

/** `/v3/auth` and `/v3/enterprise` (configuration and account API, section 17.1). */
export const enterpriseRoutes: FastifyPluginAsyncTypebox<{ configuration: ConfigurationView }> = async (
  app,
  { configuration },
) => {
  const childrenOf = (enterprise: string | undefined) =>
    configuration
      .list(accounts)
      .filter(({ value }) => enterprise !== undefined && value.enterprise === enterprise)

  /** The accounts that a caller may use: all of its enterprise, or its own. */
  const usableBy = ({ accessType, enterpriseId, account }: Caller): Entity<Account>[] =>
    accessType === 'enterprise'
      ? childrenOf(enterpriseId)
      : configuration.list(accounts).filter(({ id }) => id === account?.shortId)

  app.get(
    '/v3/auth/account',
    {
      config: { needs: 'caller' },
      schema: { summary: 'Accounts that the caller may use', tags: ['accounts'], response: ManyAccounts },
    },
    async ({ caller }) => envelope(meta('account', 'account'), usableBy(caller).map(accountRecord)),
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
      envelope(meta('account', 'account'), accountRecord(oneOf(usableBy(caller), params.accountId))),
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
      envelope(meta('subject', 'token'), {
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
      return envelope(
        meta('enterprise', 'enterprise'),
        enterpriseRecord(enterprise, childrenOf(enterprise.id)),
      )
    },
  )

  app.get(
    '/v3/enterprise/account',
    {
      config: { needs: 'enterprise' },
      schema: { summary: 'Accounts of the enterprise', tags: ['accounts'], response: ManyAccounts },
    },
    async ({ caller }) =>
      envelope(meta('account', 'account'), childrenOf(caller.enterpriseId).map(accountRecord)),
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
      envelope(
        meta('account', 'account'),
        accountRecord(oneOf(childrenOf(caller.enterpriseId), params.accountId)),
      ),
  )
}

function oneOf(candidates: readonly Entity<Account>[], id: string): Entity<Account> {
  const account = candidates.find(each => each.id === id)
  if (account === undefined) throw notFound('The account does not exist')
  return account
}
