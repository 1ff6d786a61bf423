import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Account, accounts } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { TokenDescription } from '../../schemas/http/account/token-api.ts'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import type { Caller } from '../auth/caller.ts'
import { callerDescription } from '../auth/caller-description.ts'
import { envelope } from '../http/envelope.ts'
import { notFound } from '../http/errors.ts'
import { AccountPath, ALL_ACCOUNTS, ManyAccounts, ONE_ACCOUNT, OneAccount } from './account-meta.ts'
import { ChildAccounts } from './child-accounts.ts'
import { accountRecord } from './records.ts'

/** `/v3/auth`: the caller and the accounts that it may use (configuration and account API, section 17.1). */
export const callerRoutes: FastifyPluginAsyncTypebox = async app => {
  const { configuration } = app.ports
  const children = new ChildAccounts(app.ports)

  /** The accounts that a caller may use: all of its enterprise, or its own. */
  const usableBy = (caller: Caller): Entity<Account>[] =>
    caller.accessType === 'enterprise'
      ? children.list(caller)
      : configuration.list(accounts).filter(({ id }) => id === caller.account?.shortId)

  app.get(
    '/v3/auth/account',
    {
      config: { needs: 'caller' },
      schema: {
        summary: 'List the accounts that the caller can use',
        tags: ['accounts'],
        response: ManyAccounts,
      },
    },
    async ({ caller }) => envelope(ALL_ACCOUNTS, usableBy(caller).map(accountRecord)),
  )

  app.get(
    '/v3/auth/account/:accountId',
    {
      config: { needs: 'caller' },
      schema: {
        summary: 'Read an account of the enterprise',
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
        summary: "Read the caller's rights, account and credential",
        tags: ['accounts'],
        response: { 200: EnvelopeOf(TokenDescription), ...V3_ERROR_REPLIES },
      },
    },
    async request => callerDescription(app.ports, request, request.caller),
  )
}

function oneOf(candidates: readonly Entity<Account>[], id: string): Entity<Account> {
  const account = candidates.find(each => each.id === id)
  if (account === undefined) throw notFound('The account does not exist')
  return account
}
