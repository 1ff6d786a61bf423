import Type from 'typebox'
import type { JsonObject } from '../json.ts'
import { named } from '../named.ts'

/** Trying samples on a pipeline. The wire contract is silent about the shapes: they are Weir's own (components, section 8.4). */

export const MAX_SAMPLES = 1000

const AnyValue = Type.Unknown()

const requestMembers = {
  samples: Type.Union([Type.Array(AnyValue), Type.String()], {
    description:
      'A list, each element one event; or a text: JSON, NDJSON, or lines. An object with `message` and besides it nothing but ' +
      '`metadata`, `timestamp`, `annotations`, `at` (time of the log, RFC 3339 or UNIX ms) and `source` (id of the source it ' +
      'enters), at least one of them, is a whole event; everything else is a message.',
  }),
  format: Type.Optional(
    Type.Enum(['auto', 'json', 'ndjson', 'text'], { default: 'auto', description: 'Of samples as text' }),
  ),
  source: Type.Optional(
    Type.String({
      description: 'Id of the source that samples enter which name none; needed where there are several',
    }),
  ),
  flush: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether windows that are open at the end are closed' }),
  ),
}

export const SimulationRequest = named(
  'SimulationRequest',
  Type.Object(requestMembers, { additionalProperties: false }),
)
export type SimulationRequest = Type.Static<typeof SimulationRequest>

export const FileSimulationRequest = named(
  'FileSimulationRequest',
  Type.Object(
    {
      pipeline: Type.Unsafe<JsonObject>({
        type: 'object',
        description:
          'A whole pipeline, as in a file (see PUT /v3/pipeline/import); sources have the names that they have there',
      }),
      ...requestMembers,
    },
    { additionalProperties: false },
  ),
)
export type FileSimulationRequest = Type.Static<typeof FileSimulationRequest>

export const EventRecord = named(
  'EventRecord',
  Type.Object({
    message: AnyValue,
    metadata: Type.Unsafe<object>({ type: 'object' }),
    timestamp: Type.String(),
  }),
)
export type EventRecord = Type.Static<typeof EventRecord>

const Sample = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  description:
    'Number of the sample that it comes from, from 0; null: a window gave it when its time was over',
})

const SimulatedNode = Type.Object({
  id: Type.String(),
  name: Type.Optional(Type.String({ description: 'In the file, where it came with one' })),
  kind: Type.Enum(['source', 'transform', 'sink']),
  type: Type.String(),
  title: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  events_in: Type.Integer(),
  events_out: Type.Integer({
    description: 'Events that other nodes took; of a sink: that it would have sent',
  }),
  merged: Type.Integer({ description: 'Events that became part of another one' }),
  held: Type.Integer({ description: 'Events, or what they became, that windows hold at the end' }),
  dropped: Type.Array(
    Type.Object({
      sample: Sample,
      event: EventRecord,
      reason: Type.Unsafe<object>({
        type: 'object',
        description: 'Which rule it was, as the processor says',
      }),
    }),
  ),
  failed: Type.Array(Type.Object({ sample: Sample, event: EventRecord })),
  errors: Type.Array(
    Type.Object({
      sample: Sample,
      code: Type.String(),
      field: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      message: Type.String(),
    }),
  ),
  outputs: Type.Array(
    Type.Object({
      id: Type.String(),
      label: Type.String(),
      connected: Type.Boolean({ description: 'false: no node reads it, so what leaves here is dropped' }),
      events: Type.Array(Type.Object({ sample: Sample, event: EventRecord })),
    }),
    { description: 'A sink has one: what it would have sent' },
  ),
})

export const SimulationRecord = named(
  'SimulationRecord',
  Type.Object({
    samples: Type.Integer({ description: 'How many were sent' }),
    tried: Type.Integer({ description: 'How many were tried before the time was up' }),
    cut: Type.Boolean({ description: 'Events are missing because there were too many; the counts have all' }),
    ended: Type.Optional(
      Type.String({ description: 'Why it ended before: the expressions of a sample cost too much' }),
    ),
    nodes: Type.Array(SimulatedNode),
  }),
)
export type SimulationRecord = Type.Static<typeof SimulationRecord>
