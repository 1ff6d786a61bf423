import type { FastifyPluginAsync } from 'fastify'
import type { Stream } from '../../engine/configuration/kinds/stream.ts'
import { StreamRecord, StreamWrite } from '../../schemas/http/account/stream.ts'
import { singleResourceRoutes } from '../configuration/resource-routes.ts'
import { Streams } from './streams.ts'

/** `/v1/config/stream` (configuration and account API, section 13). */
export const streamRoutes: FastifyPluginAsync = async app => {
  const streams = new Streams(app.ports)
  const names = {
    path: '/v1/config/stream',
    tag: 'stream',
    summaries: {
      get: 'Read the stream configuration, without the password',
      post: 'Set a Kafka cluster for a copy of all lines; one of its brokers must answer',
      put: 'Replace the stream configuration',
      delete: 'Delete the stream configuration',
    },
    write: StreamWrite,
    record: StreamRecord,
  }
  singleResourceRoutes(app, names, {
    get: caller => streamRecord(streams.get(caller)),
    create: async (caller, write) => streamRecord(await streams.create(caller, write)),
    replace: async (caller, write) => streamRecord(await streams.replace(caller, write)),
    delete: caller => streams.delete(caller),
  })
}

function streamRecord({ brokers, topic, user }: Stream): StreamRecord {
  return { status: 'active', brokers: [...brokers], topic, user }
}
