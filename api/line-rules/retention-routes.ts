import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { replace } from '../../engine/configuration/configuration-log.ts'
import { accounts } from '../../engine/configuration/entities.ts'
import { RetentionRecord, RetentionWrite } from '../../schemas/http/account/retention-api.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { authorOf } from '../configuration/author.ts'
import { notFound } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'

const PATH = '/v1/config/retention'

/**
 * Retention of the lines of an account. Retention rules, which can keep some lines longer or shorter, have routes of
 * their own.
 */
export const retentionRoutes: FastifyPluginAsyncTypebox = async app => {
  const { configuration, inEffect } = app.ports
  const tags = ['retention']
  const response = { 200: RetentionRecord, ...V1_ERROR_REPLIES }

  const entityOf = (caller: Caller) => {
    const account = configuration.get(accounts, accountOf(caller).shortId)
    if (account === undefined) throw notFound('The account does not exist')
    return account
  }

  app.get(
    PATH,
    { config: { needs: 'read' }, schema: { summary: 'Read the retention of lines', tags, response } },
    async ({ caller }): Promise<RetentionRecord> => ({ days: entityOf(caller).value.retentionDays }),
  )

  app.put(
    PATH,
    {
      config: { needs: 'admin' },
      schema: {
        summary: 'Set the retention of lines',
        description: 'It applies to later lines; stored lines keep their retention.',
        tags,
        body: RetentionWrite,
        response,
      },
    },
    async ({ caller, body: { days } }): Promise<RetentionRecord> => {
      await untilNotOvertaken(async () => {
        const account = entityOf(caller)
        if (account.value.retentionDays === days) return
        const changed = { ...account.value, retentionDays: days }
        await configuration.append([replace(accounts, account, changed)], authorOf(caller))
      })
      const { id, version, value } = entityOf(caller)
      await inEffect?.whenInEffect(id, 'account', id, version)
      return { days: value.retentionDays }
    },
  )
}
