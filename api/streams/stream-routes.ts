import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Stream } from '../../engine/configuration/kinds/stream.ts'
import { StreamRecord, StreamWrite } from '../../schemas/http/stream.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { DeletedReply, V1_ERROR_REPLIES } from '../configuration/replies.ts'
import { Streams } from './streams.ts'

const STREAM = '/v1/config/stream'
const OneStream = { 200: StreamRecord, ...V1_ERROR_REPLIES }
const tags = ['stream']
const config = { needs: 'admin' as const }

/** `/v1/config/stream` (configuration and account API, section 13). */
export const streamRoutes: FastifyPluginAsyncTypebox<ConfigurationPorts> = async (app, ports) => {
  const streams = new Streams(ports)

  app.get(
    STREAM,
    {
      config,
      schema: {
        summary: 'Read where a copy of all lines goes, without the password',
        tags,
        response: OneStream,
      },
    },
    async ({ caller }) => streamRecord(streams.get(caller)),
  )

  app.post(
    STREAM,
    {
      config,
      schema: {
        summary: 'Name a Kafka cluster for a copy of all lines; one of its brokers must answer',
        tags,
        body: StreamWrite,
        response: OneStream,
      },
    },
    async ({ caller, body }) => streamRecord(await streams.create(caller, body)),
  )

  app.put(
    STREAM,
    {
      config,
      schema: { summary: 'Name another one', tags, body: StreamWrite, response: OneStream },
    },
    async ({ caller, body }) => streamRecord(await streams.replace(caller, body)),
  )

  app.delete(
    STREAM,
    {
      config,
      schema: {
        summary: 'Name none any more',
        tags,
        response: { 200: DeletedReply, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller }) => {
      await streams.delete(caller)
      return { deleted: true as const }
    },
  )
}

function streamRecord({ brokers, topic, user }: Stream): StreamRecord {
  return { status: 'active', brokers: [...brokers], topic, user }
}
