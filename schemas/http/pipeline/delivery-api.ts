import Type from 'typebox'
import { named } from '../../named.ts'

/** Deliveries of a destination that sends requests. The wire contract does not cover them: the shape is Weir's own. */

const Time = Type.String({ format: 'date-time' })
const NullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })
const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const DeliveryTroubleRecord = named(
  'DeliveryTroubleRecord',
  Type.Object({
    at: Time,
    code: Type.String(),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Status of the answer; null: there was none.',
    }),
    message: Type.String(),
  }),
)

const delivery = {
  at: Time,
  state: Type.Unsafe<'delivering' | 'retrying' | 'resting' | null>({
    enum: ['delivering', 'retrying', 'resting', null],
    description:
      'retrying: the last attempt failed. resting: the other system refuses the credentials; nothing is given up. null: another process sends, and only it knows.',
  }),
  failing_since: NullableTime('Time since which no attempt has succeeded; null: the last one did.'),
  lag_seconds: Type.Number({ minimum: 0, description: 'Age of the oldest waiting event.' }),
  handed_over: Count(
    'Events that reached the destination since its deliveries began: the sum of the four others.',
  ),
  delivered: Count('Events that the other system has accepted.'),
  given_up: Count('Events that the other system has refused, or did not accept in time.'),
  dropped: Count('Events that were left out because their pipeline was deleted.'),
  waiting: Count('Events that have not been delivered yet.'),
  last_trouble: Type.Unsafe<Type.Static<typeof DeliveryTroubleRecord> | null>({
    anyOf: [DeliveryTroubleRecord, { type: 'null' }],
    description: 'The last attempt that failed since the process began; null: there was none.',
  }),
}

export const DeliveryRecord = named('DeliveryRecord', Type.Object(delivery))
export type DeliveryRecord = Type.Static<typeof DeliveryRecord>

export const DeliveryCheckRecord = named(
  'DeliveryCheckRecord',
  Type.Object({
    outcome: Type.Enum(['accepted', 'answered', 'refused', 'silent'], {
      description:
        'accepted: the server took the empty request. answered: it gave another answer, so it is there. refused: it refuses the credentials, or does not allow the request. silent: no answer of the protocol came.',
    }),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'HTTP status; null: there was none, or the protocol has none.',
    }),
    message: Type.String({ description: 'The outcome as a sentence.' }),
    answer: Type.String({
      description: 'Beginning of the answer, without secrets, or the name of an error of Kafka.',
    }),
  }),
)
export type DeliveryCheckRecord = Type.Static<typeof DeliveryCheckRecord>

export const DestinationDeliveryRecord = named(
  'DestinationDeliveryRecord',
  Type.Object({ pipeline_id: Type.String(), node_id: Type.String(), ...delivery }),
)
export type DestinationDeliveryRecord = Type.Static<typeof DestinationDeliveryRecord>
