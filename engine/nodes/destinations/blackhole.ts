import Type from 'typebox'
import { defineDestination } from '../contract/define-destination.ts'

/** Accepts all events and stores none: components, section 7.5. */
export const blackhole = defineDestination({
  type: 'blackhole',
  summary: 'Discard every event; events and bytes are counted.',
  config: Type.Object(
    {
      ack_enabled: Type.Optional(
        Type.Boolean({ default: true, description: 'Acknowledge an event once it is discarded' }),
      ),
    },
    { additionalProperties: false },
  ),
  delivery: 'requests',
  transport: 'none',
  foldOptions: [],
  errors: [],
  neverSent: () => undefined,
  encode: () => [],
  judge: () => 'delivered',
  examples: [
    {
      title: 'events need no request: they are delivered at once',
      config: {},
      events: [{ level: 'debug' }, 'door=7 open'],
      requests: [],
    },
  ],
  configs: [{ sent: {}, defaults: { ack_enabled: true } }, { sent: { ack_enabled: false } }],
})
