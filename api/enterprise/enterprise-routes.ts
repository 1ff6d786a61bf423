import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { enterprises } from '../../engine/configuration/entities.ts'
import {
  AccountChange,
  AccountCreate,
  CreatedAccount,
  EnterpriseRecord,
} from '../../schemas/http/account/account-api.ts'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { envelope, type Meta } from '../http/envelope.ts'
import { notFound } from '../http/errors.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AccountPath, ALL_ACCOUNTS, ManyAccounts, ONE_ACCOUNT, OneAccount } from './account-meta.ts'
import { ChildAccounts } from './child-accounts.ts'
import { accountRecord, enterpriseRecord } from './records.ts'

const ENTERPRISE: Meta = { pk: 'enterprise', type: 'enterprise', links: { self: {} } }

/** `/v3/enterprise` (configuration and account API, section 17.1). */
export const enterpriseRoutes: FastifyPluginAsyncTypebox = async app => {
  const { configuration } = app.ports
  const children = new ChildAccounts(app.ports)

  app.get(
    '/v3/enterprise',
    {
      config: { needs: 'enterprise' },
      schema: {
        summary: 'Read the enterprise with its accounts',
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

  serveAccounts(app, children)
  serveAccount(app, children)
}

function serveAccounts(app: TypedApp, children: ChildAccounts): void {
  app.get(
    '/v3/enterprise/account',
    {
      config: { needs: 'enterprise' },
      schema: { summary: 'List the accounts of the enterprise', tags: ['accounts'], response: ManyAccounts },
    },
    async ({ caller }) => envelope(ALL_ACCOUNTS, children.list(caller).map(accountRecord)),
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
}

function serveAccount(app: TypedApp, children: ChildAccounts): void {
  app.get(
    '/v3/enterprise/account/:accountId',
    {
      config: { needs: 'enterprise' },
      schema: {
        summary: 'Read an account of the enterprise by its id',
        tags: ['accounts'],
        params: AccountPath,
        response: OneAccount,
      },
    },
    async ({ caller, params }) =>
      envelope(ONE_ACCOUNT, accountRecord(children.get(caller, params.accountId))),
  )

  app.put(
    '/v3/enterprise/account/:accountId',
    {
      config: { needs: 'enterprise' },
      schema: {
        summary: 'Change an account; omitted members stay as they are',
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
    ['suspend', true, 'Suspend an account: its credentials become invalid, and its data is kept'],
    ['resume', false, 'Resume a suspended account: its credentials become valid again'],
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
