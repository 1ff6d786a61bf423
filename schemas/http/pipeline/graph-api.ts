import Type from 'typebox'
import { named } from '../../named.ts'
import { EnvelopeOf } from '../envelope.ts'
import { V3_ERROR_REPLIES, V3Error } from '../error-replies.ts'
import { PipelineFile } from './pipeline-file.ts'
import { AlertDifference, NodeDifference } from './revision-api.ts'

/** A pipeline as one document, for editors. The shapes are Weir's own. */

const GraphNode = named(
  'GraphNode',
  Type.Object({
    id: Type.String(),
    name: Type.String({ description: 'Name in the document.' }),
    sends: Type.Boolean({ description: 'Whether its events leave in requests: then it has deliveries.' }),
    outputs: Type.Array(
      Type.Object({
        id: Type.String(),
        label: Type.String(),
        name: Type.String({ description: 'Name in `inputs` of other nodes of the document.' }),
      }),
    ),
  }),
)

export const PipelineGraph = named(
  'PipelineGraph',
  Type.Object({
    revision: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Number of the revision; null for the draft.',
    }),
    etag: Type.String({ description: 'Version of the document, for the header if-match of a change.' }),
    document: PipelineFile,
    nodes: Type.Array(GraphNode, { description: 'Ids of the nodes of the document, and their outputs.' }),
  }),
)
export type PipelineGraph = Type.Static<typeof PipelineGraph>

export const PipelineGraphChange = named(
  'PipelineGraphChange',
  Type.Object({
    changed: Type.Boolean({ description: 'Whether the document differs from the draft before it.' }),
    nodes: Type.Array(NodeDifference),
    alerts: Type.Array(AlertDifference),
    text: Type.Array(Type.String(), { description: 'The differences as lines of text.' }),
    graph: PipelineGraph,
  }),
)
export type PipelineGraphChange = Type.Static<typeof PipelineGraphChange>

const GraphConflict = named(
  'GraphConflict',
  Type.Object({
    ...V3Error.properties,
    data: PipelineGraph,
  }),
)

export const READ_GRAPH = {
  response: { 200: EnvelopeOf(PipelineGraph), ...V3_ERROR_REPLIES },
}
export const WRITE_GRAPH = {
  response: { 200: EnvelopeOf(PipelineGraphChange), ...V3_ERROR_REPLIES, 409: GraphConflict },
}
