import Type from 'typebox'
import { declareSource } from '../contract/define-source.ts'
import { Secret } from '../contract/secret.ts'

const SHOP = {
  connection_string: 'Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=read;SharedAccessKey=…',
  namespace: 'shop',
}

/** Rules: pipeline API, section 4; components, section 6.11. */
export const azureEventHub = declareSource({
  type: 'azure-event-hub',
  summary: 'Events of Azure Event Hubs.',
  config: Type.Object(
    {
      connection_string: Secret({
        minLength: 1,
        maxLength: 512,
        description: 'Connection string of the namespace, with its access key',
      }),
      namespace: Type.String({ minLength: 1, maxLength: 256, description: 'Event Hubs namespace' }),
      group_id: Type.String({ minLength: 1, maxLength: 256, description: 'Consumer group' }),
      topics: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        minItems: 1,
        description: 'Event hubs to read',
      }),
      decoding_codec: Type.Optional(
        Type.Enum(['bytes', 'json'], {
          default: 'bytes',
          description: 'Rule by which the data becomes an event',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  entrance: 'pull',
  configs: [
    {
      sent: { ...SHOP, group_id: '$Default', topics: ['orders'] },
      defaults: { decoding_codec: 'bytes' },
    },
    {
      sent: { ...SHOP, group_id: 'pipelines', topics: ['orders', 'returns'], decoding_codec: 'json' },
    },
  ],
})
