import Type from 'typebox'
import { named } from '../../named.ts'
import { nullable } from '../../nullable.ts'
import { PAUSE_MODES } from '../../pipeline.ts'

/** Bodies of `/v3/pipeline` (pipeline API, sections 2.1, 2.2 and 7), for validation and for the API document. */

/** A member of answers that requests may repeat: accepted in any form, and ignored. */
const ReadOnly = Type.Optional(Type.Unknown({ description: 'Ignored.' }))

const NodeTitle = nullable<string>({ type: 'string', minLength: 1, maxLength: 256 })
const NodeDescription = nullable<string>({ type: 'string', minLength: 1 })
const Time = Type.String({ format: 'date-time' })
const NullableTime = nullable<string>({ type: 'string', format: 'date-time' })
const NullableId = nullable<string>({ type: 'string', format: 'uuid' })
const Id = Type.String({ format: 'uuid' })

/** Defaults for members that a write leaves out. */
export const PIPELINE_DEFAULTS = {
  origin: 'ui',
  deploy_type: 'saas',
  deployment_groups: [] as string[],
} as const

export const PipelineWrite = named(
  'PipelineWrite',
  Type.Object(
    {
      title: Type.String({ minLength: 1 }),
      origin: Type.Optional(Type.Enum(['terraform', 'ui'], { default: PIPELINE_DEFAULTS.origin })),
      deploy_type: Type.Optional(Type.String({ minLength: 1, default: PIPELINE_DEFAULTS.deploy_type })),
      deployment_groups: Type.Optional(
        Type.Array(Type.String(), { default: PIPELINE_DEFAULTS.deployment_groups }),
      ),
      id: ReadOnly,
      account_id: ReadOnly,
      partition_id: ReadOnly,
      config: ReadOnly,
      created_at: ReadOnly,
      updated_at: ReadOnly,
      published_at: ReadOnly,
      published_revision_id: ReadOnly,
      deployed_revision_id: ReadOnly,
      loaded_revision_id: ReadOnly,
      processing_status: ReadOnly,
      pause_mode: ReadOnly,
      has_pending_actions: ReadOnly,
      has_changes: ReadOnly,
      template: ReadOnly,
    },
    { additionalProperties: false },
  ),
)
export type PipelineWrite = Type.Static<typeof PipelineWrite>

/**
 * The body may also contain the read-only members of nodes: clients send them with the rest (pipeline API, section 1.5).
 */
export const PipelineBody = named(
  'PipelineBody',
  Type.Object(
    {
      ...PipelineWrite.properties,
      pipeline_id: PipelineWrite.properties.id,
      generation_id: PipelineWrite.properties.id,
      component_id: PipelineWrite.properties.id,
      consumer_id: PipelineWrite.properties.id,
    },
    { additionalProperties: false },
  ),
)

/** Meaning of the modes of a pause, for the API document. Weir's own. */
const PAUSE_MODE_MEANING =
  'store: lines are not handled, and without another pipeline that reads log ingestion they are stored unchanged; a gateway route that no other pipeline reads is answered 503. ' +
  'hold: what the pipeline reads, log ingestion or gateway routes, is answered 503 with retry-after, and senders keep their data. ' +
  'drop: lines and events are taken, dropped, and counted under the node `paused`.'

export const PauseQuery = named(
  'PauseQuery',
  Type.Object({
    dry_run: Type.Optional(
      Type.Enum(['true', 'false'], { description: 'true: only return the effects of a pause' }),
    ),
    mode: Type.Optional(
      Type.Enum([...PAUSE_MODES], {
        description: `Mode of the pause; omitted: that of the present pause, or store. ${PAUSE_MODE_MEANING}`,
      }),
    ),
  }),
)

export const PipelineRecord = named(
  'PipelineRecord',
  Type.Object({
    id: Id,
    account_id: Type.String(),
    partition_id: Type.String(),
    title: Type.String(),
    deploy_type: Type.String(),
    deployment_groups: Type.Array(Type.String()),
    config: Type.Object({}),
    created_at: Time,
    updated_at: NullableTime,
    published_at: NullableTime,
    published_revision_id: NullableId,
    deployed_revision_id: NullableId,
    loaded_revision_id: NullableId,
    processing_status: Type.Enum(['enabled', 'paused']),
    pause_mode: Type.Optional(
      Type.Enum([...PAUSE_MODES], {
        description: `Absent: the pipeline is not paused. ${PAUSE_MODE_MEANING}`,
      }),
    ),
    has_pending_actions: Type.Boolean(),
    has_changes: Type.Boolean(),
    origin: Type.String(),
    template: Type.Null(),
  }),
)
export type PipelineRecord = Type.Static<typeof PipelineRecord>

/** Effect of a pause on the senders and the lines of what the pipeline reads. Weir's own. */
export const PauseEffect = named(
  'PauseEffect',
  Type.Object({
    code: Type.Enum(['INGESTION_UNFILTERED', 'SENDERS_HELD', 'LINES_DROPPED'], {
      description:
        'INGESTION_UNFILTERED: no other running pipeline reads log ingestion, so its lines are stored unfiltered and unthrottled during the pause. ' +
        'SENDERS_HELD: senders are answered 503 during the pause. ' +
        'LINES_DROPPED: no other running pipeline reads what this one does, so it is dropped during the pause.',
    }),
    message: Type.String(),
  }),
)
export type PauseEffect = Type.Static<typeof PauseEffect>

const nodeMembers = {
  title: Type.Optional(NodeTitle),
  description: Type.Optional(NodeDescription),
  user_config: Type.Optional(
    Type.Unsafe<object>({ type: 'object', description: 'Options of the type; docs/nodes.md lists them.' }),
  ),
  inputs: Type.Optional(
    Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Output ids of other nodes; not allowed on sources.',
    }),
  ),
  gateway_route_id: Type.Optional(
    nullable<string>({
      type: 'string',
      description: 'Gateway route that a push source shares with others; it cannot be changed.',
    }),
  ),
  shared_source_id: Type.Optional(
    nullable<string>({
      type: 'string',
      description: 'Older name of `gateway_route_id`, which takes precedence.',
    }),
  ),
}

/** Unknown members are ignored, so that a client can send the answer of a GET back. */
export const NodeCreate = named(
  'NodeCreate',
  Type.Object({ type: Type.String({ minLength: 1 }), ...nodeMembers }),
)
/** A full replacement; the type may be omitted, but not changed. */
export const NodeReplace = named(
  'NodeReplace',
  Type.Object({ type: Type.Optional(Type.String({ minLength: 1 })), ...nodeMembers }),
)
export type NodeWrite = Type.Static<typeof NodeReplace>

const NodeOutput = named('NodeOutput', Type.Object({ id: Type.String(), label: Type.String() }))
export type NodeOutput = Type.Static<typeof NodeOutput>

export const NodeRecord = named(
  'NodeRecord',
  Type.Object({
    id: Id,
    title: NodeTitle,
    description: NodeDescription,
    account_id: Type.String(),
    pipeline_id: Id,
    generation_id: Type.Integer({ minimum: 0 }),
    type: Type.String(),
    deploy_type: Type.String(),
    user_config: Type.Unsafe<object>({ type: 'object' }),
    inputs: Type.Optional(Type.Array(Type.String(), { description: 'Absent on sources.' })),
    outputs: Type.Optional(Type.Array(NodeOutput, { description: 'Absent on sinks.' })),
    gateway_route_id: Type.Optional(NullableId),
    access_keys: Type.Optional(Type.Array(Type.Unknown())),
    access_keys_user_provided: Type.Optional(Type.Boolean()),
    durability_profile: Type.Optional(Type.Null()),
  }),
)
export type NodeRecord = Type.Static<typeof NodeRecord>

export const AlertRecord = named(
  'AlertRecord',
  Type.Object({
    id: Id,
    account_id: Type.String(),
    pipeline_id: Id,
    component_kind: Type.Enum(['source', 'transform']),
    component_id: Id,
    inputs: Type.Array(Type.String()),
    active: Type.Boolean(),
    alert_config: Type.Unsafe<object>({ type: 'object' }),
  }),
)
export type AlertRecord = Type.Static<typeof AlertRecord>
