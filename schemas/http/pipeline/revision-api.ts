import Type from 'typebox'
import { named } from '../../named.ts'
import { AlertRecord, PipelineRecord } from './pipeline-api.ts'

/** Revisions of a pipeline as `/v3` shows them. The wire contract does not cover them: the shapes are Weir's own. */

const Id = Type.String({ format: 'uuid' })
const Kind = Type.Enum(['source', 'transform', 'sink'])
const Title = Type.Unsafe<string | null>({ type: ['string', 'null'] })

export const RevisionSummary = named(
  'RevisionSummary',
  Type.Object({
    id: Id,
    pipeline_id: Id,
    number: Type.Integer({ minimum: 1, description: '1, 2, 3, … in the order of publication' }),
    title: Type.String({ description: 'Title of the pipeline when it was published' }),
    created_at: Type.String({ format: 'date-time' }),
    nodes: Type.Integer({ description: 'Number of nodes' }),
    deployed: Type.Boolean({ description: 'Whether this is the revision that runs or is paused' }),
    loaded: Type.Boolean({ description: "Whether the account's lines pass through it now" }),
  }),
)
export type RevisionSummary = Type.Static<typeof RevisionSummary>

const RevisionNode = named(
  'RevisionNode',
  Type.Object({
    id: Id,
    kind: Kind,
    type: Type.String(),
    title: Title,
    description: Title,
    user_config: Type.Unsafe<object>({ type: 'object' }),
    inputs: Type.Array(Type.String()),
    gateway_route_id: Type.Optional(Type.String()),
  }),
)

const { account_id: _, pipeline_id: __, ...alertMembers } = AlertRecord.properties
const RevisionAlert = named('RevisionAlert', Type.Object(alertMembers))

export const RevisionRecord = named(
  'RevisionRecord',
  Type.Object({
    ...RevisionSummary.properties,
    nodes: Type.Array(RevisionNode),
    alerts: Type.Array(RevisionAlert),
  }),
)
export type RevisionRecord = Type.Static<typeof RevisionRecord>

const MemberDifference = named(
  'MemberDifference',
  Type.Object({
    path: Type.String({ description: 'JSON pointer into the node or alert' }),
    before: Type.Optional(Type.Unknown({ description: 'Previous value; absent: it did not exist' })),
    after: Type.Optional(Type.Unknown({ description: 'New value; absent: it no longer exists' })),
  }),
)

const Change = Type.Enum(['added', 'removed', 'changed'])

export const NodeDifference = named(
  'NodeDifference',
  Type.Object({
    change: Change,
    kind: Kind,
    id: Id,
    type: Type.String(),
    title: Title,
    members: Type.Array(MemberDifference, { description: 'Changed members of a changed node' }),
  }),
)
export type NodeDifference = Type.Static<typeof NodeDifference>

export const AlertDifference = named(
  'AlertDifference',
  Type.Object({
    change: Change,
    id: Id,
    name: Type.String(),
    members: Type.Array(MemberDifference, { description: 'Changed members of a changed alert' }),
  }),
)
export type AlertDifference = Type.Static<typeof AlertDifference>

export const RevisionDiff = named(
  'RevisionDiff',
  Type.Object({
    from: Type.String(),
    to: Type.String(),
    nodes: Type.Array(NodeDifference),
    alerts: Type.Array(AlertDifference),
    text: Type.Array(Type.String(), { description: 'The differences as lines of text' }),
  }),
)
export type RevisionDiff = Type.Static<typeof RevisionDiff>

/** Differences between a pipeline and its file. */
export const FileDifference = named(
  'FileDifference',
  Type.Object({
    pipeline_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'null: the pipeline does not exist yet',
    }),
    changed: Type.Boolean({ description: 'Whether applying the file would change anything' }),
    nodes: Type.Array(NodeDifference),
    alerts: Type.Array(AlertDifference),
    text: Type.Array(Type.String(), { description: 'The differences as lines of text' }),
  }),
)
export type FileDifference = Type.Static<typeof FileDifference>

/** Answer to the import of a file: the pipeline, or only the differences. */
export const ImportedFile = named('ImportedFile', Type.Union([PipelineRecord, FileDifference]))
