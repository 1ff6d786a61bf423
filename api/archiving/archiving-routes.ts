import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Archiving } from '../../schemas/http/archiving.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { DeletedReply, V1_ERROR_REPLIES } from '../configuration/replies.ts'
import { Archivings } from './archivings.ts'

const ARCHIVING = '/v1/config/archiving'
const OneArchiving = { 200: Archiving, ...V1_ERROR_REPLIES }
const tags = ['archiving']
/** Reading, too: answers hold the credentials of the object store in clear. */
const config = { needs: 'admin' as const }

/** `/v1/config/archiving` (configuration and account API, section 8; specification, endpoint 3). */
export const archivingRoutes: FastifyPluginAsyncTypebox<ConfigurationPorts> = async (app, ports) => {
  const archivings = new Archivings(ports)

  app.get(
    ARCHIVING,
    { config, schema: { summary: 'Read where lines are archived', tags, response: OneArchiving } },
    async ({ caller }) => archivings.get(caller),
  )

  app.post(
    ARCHIVING,
    {
      config,
      schema: {
        summary: 'Name an object store to archive lines in',
        tags,
        body: Archiving,
        response: OneArchiving,
      },
    },
    async ({ caller, body }) => archivings.create(caller, body),
  )

  app.put(
    ARCHIVING,
    {
      config,
      schema: {
        summary: 'Name another one, of the same provider or not',
        tags,
        body: Archiving,
        response: OneArchiving,
      },
    },
    async ({ caller, body }) => archivings.replace(caller, body),
  )

  app.delete(
    ARCHIVING,
    {
      config,
      schema: {
        summary: 'Name none any more',
        tags,
        response: { 200: DeletedReply, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller }) => {
      await archivings.delete(caller)
      return { deleted: true as const }
    },
  )
}
