import Type from 'typebox'
import { named } from '../../named.ts'

/** Query and messages of `GET /v3/pipeline/{id}/{source|transform}/{node}/tap`, for the API document and for types. */

export const TAP_LIMIT = { default: 100, minimum: 1, maximum: 1_000 }
export const TAP_SECONDS = { default: 300, minimum: 1, maximum: 300 }

export const TapQuery = named(
  'TapQuery',
  Type.Object(
    {
      output: Type.Optional(
        Type.String({ description: 'Id of an output of the node. Default: all outputs.' }),
      ),
      limit: Type.Optional(
        Type.Integer({ ...TAP_LIMIT, description: 'Number of events after which the tap ends.' }),
      ),
      seconds: Type.Optional(Type.Integer({ ...TAP_SECONDS, description: 'Time after which the tap ends.' })),
      filter: Type.Optional(
        Type.String({ description: 'A conditional as JSON text; only matching events are shown.' }),
      ),
    },
    { additionalProperties: false },
  ),
)

const Output = Type.String({ description: 'Id of the output by which the event left.' })

const TapEventMessage = named(
  'TapEventMessage',
  Type.Object({
    type: Type.Literal('event'),
    output: Output,
    event: Type.Object({
      message: Type.Unknown(),
      metadata: Type.Unknown(),
      timestamp: Type.String(),
      annotations: Type.Optional(Type.Unknown()),
    }),
  }),
)

const TapCutEventMessage = named(
  'TapCutEventMessage',
  Type.Object({
    type: Type.Literal('event'),
    output: Output,
    cut: Type.String({
      description: 'Start of the JSON text of an event that is too large to be shown.',
    }),
    bytes: Type.Integer({ description: 'Size of the whole text.' }),
  }),
)

const TapRevisionMessage = named(
  'TapRevisionMessage',
  Type.Object({
    type: Type.Literal('revision'),
    revision: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Number of the running revision; null when nothing runs.',
    }),
    deployment: Type.Integer({
      description: 'Number of the deployment; rises with every publication, pause and resumption.',
    }),
    paused: Type.Boolean(),
    present: Type.Boolean({
      description: 'Whether the revision contains the node and, if given, the output.',
    }),
    at: Type.String({ format: 'date-time' }),
  }),
)

const TapSkippedMessage = named(
  'TapSkippedMessage',
  Type.Object({
    type: Type.Literal('skipped'),
    count: Type.Integer({
      description: 'Number of events that were not shown since the previous message of this type.',
    }),
    not_filtered: Type.Integer({ description: 'Number of these events that the filter was not applied to.' }),
  }),
)

const TapEndMessage = named(
  'TapEndMessage',
  Type.Object({
    type: Type.Literal('end'),
    reason: Type.Enum(['limit', 'time', 'withdrawn', 'rights', 'closed', 'slow', 'stopped', 'failed']),
    message: Type.String(),
    events: Type.Integer({ description: 'Number of events that were shown.' }),
    skipped: Type.Integer({ description: 'Number of events that were skipped.' }),
  }),
)

export const TapMessage = named(
  'TapMessage',
  Type.Union([TapEventMessage, TapCutEventMessage, TapRevisionMessage, TapSkippedMessage, TapEndMessage]),
)
export type TapMessage = Type.Static<typeof TapMessage>
