import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { setSpread, spreadStatus } from '../../engine/configuration/kinds/spread.ts'
import { SpreadChange, SpreadRecord } from '../../schemas/http/account/spread.ts'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { accountOf } from '../auth/permission.ts'
import { envelope, type Meta } from '../http/envelope.ts'
import { ApiError } from '../http/errors.ts'

const Reply = { 200: EnvelopeOf(SpreadRecord), ...V3_ERROR_REPLIES }
const META: Meta = { pk: 'account', type: 'spread', links: { self: {} }, page: null }

/** `/v3/account/spread`: whether lines of an account go to all partitions, by host, or to one. */
export const spreadRoutes: FastifyPluginAsyncTypebox = async app => {
  const { configuration, clock, settings } = app.ports
  const { partitions } = settings
  const record = (account: string) => {
    const { phase, reported } = spreadStatus(configuration, account, partitions)
    const enabled = phase === 'on' || phase === 'turning_on'
    return envelope(META, { account, enabled, phase, partitions, partitions_done: reported })
  }

  app.get(
    '/v3/account/spread',
    {
      config: { needs: 'read' },
      schema: {
        summary: 'Read whether the account is spread over all partitions',
        tags: ['accounts'],
        response: Reply,
      },
    },
    async ({ caller }) => record(accountOf(caller).shortId),
  )

  app.put(
    '/v3/account/spread',
    {
      config: { needs: 'admin' },
      schema: {
        summary: 'Spread the lines of the account over all partitions, by host, or gather them in one',
        tags: ['accounts'],
        body: SpreadChange,
        response: Reply,
      },
    },
    async ({ caller, body: { enabled } }) => {
      const { shortId: account } = accountOf(caller)
      if (enabled && partitions === 1) throw onePartition()
      const { subjectId } = caller
      await setSpread(configuration, { account, enabled, partitions, atMs: clock.wallMs(), subjectId })
      return record(account)
    },
  )
}

function onePartition(): ApiError {
  return new ApiError(
    400,
    'EONEPARTITION',
    'The log of this installation has one partition (WEIR_PARTITIONS): there is nothing to spread lines over',
  )
}
