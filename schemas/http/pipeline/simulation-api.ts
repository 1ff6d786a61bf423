import Type from 'typebox'
import type { JsonObject } from '../../json.ts'
import { named } from '../../named.ts'

/**
 * Samples that are tried on a pipeline. The wire contract does not cover the shapes: they are Weir's own (components, section
 * 8.4).
 */

export const MAX_SAMPLES = 1000

const AnyValue = Type.Unknown()

const requestMembers = {
  samples: Type.Union([Type.Array(AnyValue), Type.String()], {
    description:
      'A list with one event per element, or a text: JSON, NDJSON, or lines. An object is a whole event if, apart from `message`, it has only ' +
      '`metadata`, `timestamp`, `annotations`, `at` (time of the log, RFC 3339 or UNIX ms) and `source` (id of its source), ' +
      'and at least one of them; every other value is a message.',
  }),
  format: Type.Optional(
    Type.Enum(['auto', 'json', 'ndjson', 'text'], {
      default: 'auto',
      description: 'Format of samples that are sent as text',
    }),
  ),
  source: Type.Optional(
    Type.String({
      description: 'Source of samples that do not name one; required if there are several sources',
    }),
  ),
  flush: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether windows that are still open at the end are closed' }),
  ),
}

export const SimulationRequest = named(
  'SimulationRequest',
  Type.Object(
    {
      pipeline: Type.Optional(
        Type.Unsafe<JsonObject>({
          type: 'object',
          description:
            'The pipeline to try, which need not be saved, in the form of a file (see PUT /v3/pipeline/import). Masks ' +
            'of secrets that this pipeline has stand for these secrets. Sources are named as in the file',
        }),
      ),
      ...requestMembers,
    },
    { additionalProperties: false },
  ),
)
export type SimulationRequest = Type.Static<typeof SimulationRequest>

export const FileSimulationRequest = named(
  'FileSimulationRequest',
  Type.Object(
    {
      pipeline: Type.Unsafe<JsonObject>({
        type: 'object',
        description:
          'A whole pipeline in the form of a file (see PUT /v3/pipeline/import); sources are named as in the file',
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
    annotations: Type.Optional(
      Type.Unsafe<object>({ type: 'object', description: 'Results of classifications, if it has any' }),
    ),
  }),
)
export type EventRecord = Type.Static<typeof EventRecord>

const Sample = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  description: 'Number of the sample that it stems from, from 0; null: it left a window that expired',
})

const SimulatedNode = named(
  'SimulatedNode',
  Type.Object({
    id: Type.String(),
    name: Type.Optional(Type.String({ description: "Name in the pipeline's file, if the file gives one" })),
    kind: Type.Enum(['source', 'transform', 'sink']),
    type: Type.String(),
    title: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    events_in: Type.Integer(),
    events_out: Type.Integer({
      description: 'Events that other nodes received; for a sink: events that it would have sent',
    }),
    merged: Type.Integer({ description: 'Events that became part of another one' }),
    held: Type.Integer({ description: 'Events that windows hold at the end' }),
    dropped: Type.Array(
      Type.Object({
        sample: Sample,
        event: EventRecord,
        reason: Type.Unsafe<object>({
          type: 'object',
          description: 'The rule, as reported by the processor',
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
        connected: Type.Boolean({
          description: 'false: no node reads this output, so its events are dropped',
        }),
        events: Type.Array(Type.Object({ sample: Sample, event: EventRecord })),
      }),
      { description: 'Outputs of the node. A sink has one: the events that it would have sent' },
    ),
  }),
)

export const SimulationRecord = named(
  'SimulationRecord',
  Type.Object({
    samples: Type.Integer({ description: 'Number of samples sent' }),
    tried: Type.Integer({ description: 'Number of samples that were run within the time limit' }),
    cut: Type.Boolean({
      description: 'Whether events are missing because there were too many; the counts include all',
    }),
    ended: Type.Optional(
      Type.String({ description: 'Reason of an early end: the expressions of a sample cost too much' }),
    ),
    nodes: Type.Array(SimulatedNode),
  }),
)
export type SimulationRecord = Type.Static<typeof SimulationRecord>
