import Type from 'typebox'
import { defineDestination } from '../contract/define-destination.ts'

/** Takes everything and keeps nothing: components, section 7.5. */
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
  delivers: true,
  configs: [
    { sent: {}, stored: { ack_enabled: true } },
    { sent: { ack_enabled: false }, stored: { ack_enabled: false } },
  ],
})
