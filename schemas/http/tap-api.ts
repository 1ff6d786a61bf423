import Type from 'typebox'
import { named } from '../named.ts'

/** Query and messages of `GET /v3/pipeline/{id}/{source|transform}/{node}/tap`, for the API document and for types. */

export const TAP_LIMIT = { default: 100, minimum: 1, maximum: 1_000 }
export const TAP_SECONDS = { default: 300, minimum: 1, maximum: 300 }

export const TapQuery = named(
  'TapQuery',
  Type.Object(
    {
      output: Type.Optional(
        Type.String({ description: 'Id of one of the outputs of the node; all of them when left out.' }),
      ),
      limit: Type.Optional(Type.Integer({ ...TAP_LIMIT, description: 'Events after which it ends.' })),
      seconds: Type.Optional(Type.Integer({ ...TAP_SECONDS, description: 'Time after which it ends.' })),
      filter: Type.Optional(
        Type.String({ description: 'A conditional as JSON text: only events that meet it are shown.' }),
      ),
    },
    { additionalProperties: false },
  ),
)

const Output = Type.String({ description: 'Id of the output that the event left by.' })

const EventMessage = Type.Object({
  type: Type.Literal('event'),
  output: Output,
  event: Type.Object({ message: Type.Unknown(), metadata: Type.Unknown(), timestamp: Type.String() }),
})

const CutEventMessage = Type.Object({
  type: Type.Literal('event'),
  output: Output,
  cut: Type.String({
    description: 'The beginning of the JSON text of an event that is too large to be shown.',
  }),
  bytes: Type.Integer({ description: 'Of the whole text.' }),
})

const RevisionMessage = Type.Object({
  type: Type.Literal('revision'),
  revision: Type.Union([Type.Integer(), Type.Null()], { description: 'Null when nothing runs.' }),
  deployment: Type.Integer({ description: 'Grows with every publication, pause and resumption.' }),
  paused: Type.Boolean(),
  present: Type.Boolean({ description: 'Whether the node, and the output that was named, is part of it.' }),
  at: Type.String({ format: 'date-time' }),
})

const SkippedMessage = Type.Object({
  type: Type.Literal('skipped'),
  count: Type.Integer({ description: 'Events that were not shown since the last such message.' }),
  not_filtered: Type.Integer({ description: 'As many of them may not have met the filter.' }),
})

const EndMessage = Type.Object({
  type: Type.Literal('end'),
  reason: Type.Enum(['limit', 'time', 'withdrawn', 'rights', 'closed', 'slow', 'stopped', 'failed']),
  message: Type.String(),
  events: Type.Integer({ description: 'All that were shown.' }),
  skipped: Type.Integer({ description: 'All that were skipped.' }),
})

export const TapMessage = named(
  'TapMessage',
  Type.Union([EventMessage, CutEventMessage, RevisionMessage, SkippedMessage, EndMessage]),
)
export type TapMessage = Type.Static<typeof TapMessage>
