import Type from 'typebox'
import type { JsonObject, JsonValue } from '../../json.ts'
import { named } from '../../named.ts'

/** A pipeline as one document, to be kept in version control: its nodes, how they connect, its alerts and tests. */

export const PIPELINE_FILE_VERSION = 'pipeline/1'

/** The lists of a file and the kind of node that each holds. */
export const FILE_LISTS = { sources: 'source', processors: 'transform', destinations: 'sink' } as const
export type FileList = keyof typeof FILE_LISTS

const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

const Name = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'Name of the node, unique in the file; the id of a node without a name',
})
const AnyObject = (description: string) => Type.Unsafe<JsonObject>({ type: 'object', description })
const AnyJson = (description: string) => Type.Unsafe<JsonValue>({ description })
const References = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { maxItems: 1000, description }))

const nodeMembers = {
  name: Name,
  type: Type.String({ minLength: 1 }),
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  description: Type.Optional(Type.String({ minLength: 1 })),
  config: Type.Optional(AnyObject('Options of the type')),
}
const inputs = References('Names of other nodes, or name.label for one of several outputs')
const closed = { additionalProperties: false }

const FileSource = named(
  'FileSource',
  Type.Object(
    {
      ...nodeMembers,
      gateway_route_id: Type.Optional(
        Type.String({ minLength: 1, description: 'Gateway route that the source shares with others' }),
      ),
    },
    closed,
  ),
)
const FileNode = named('FileNode', Type.Object({ ...nodeMembers, inputs }, closed))

const FileAlert = named(
  'FileAlert',
  Type.Object(
    {
      on: Type.String({ description: 'Name of the source or processor' }),
      inputs: References('Watched outputs; default: all'),
      active: Type.Optional(Type.Boolean()),
      config: AnyObject('The alert, in the form of alert_config'),
    },
    closed,
  ),
)

const FileEvent = named(
  'FileEvent',
  Type.Object(
    {
      source: Type.Optional(
        Type.String({ description: 'Name of the source; not needed when there is only one' }),
      ),
      at: Type.Optional(AnyJson('Time of arrival: RFC 3339, or UNIX ms. Default: 2026-01-01T00:00:00Z')),
      message: AnyJson('Message of the event'),
      metadata: Type.Optional(AnyObject('Metadata of the event')),
      annotations: Type.Optional(AnyObject('Annotations of the event')),
      timestamp: Type.Optional(
        AnyJson('Timestamp of the event: RFC 3339, or UNIX ms. Default: time of arrival'),
      ),
    },
    closed,
  ),
)

const FileTest = named(
  'FileTest',
  Type.Object(
    {
      name: Type.String({ minLength: 1 }),
      events: Type.Array(FileEvent),
      expect: Type.Unsafe<JsonObject>({
        type: 'object',
        minProperties: 1,
        description:
          'Expected events by node or output: an array of messages, or an object with messages, metadata and count; of a node also ' +
          'dropped, failed and errors, which are codes',
      }),
    },
    closed,
  ),
)

export const PipelineFile = named(
  'PipelineFile',
  Type.Object(
    {
      weir: Type.Enum([PIPELINE_FILE_VERSION], { description: 'Type and version of the document' }),
      id: Type.Optional(
        Type.String({
          pattern: UUID,
          description: 'Id of the pipeline; without it, the title identifies the pipeline',
        }),
      ),
      title: Type.String({ minLength: 1 }),
      sources: Type.Optional(Type.Array(FileSource)),
      processors: Type.Optional(Type.Array(FileNode)),
      destinations: Type.Optional(Type.Array(FileNode)),
      alerts: Type.Optional(Type.Array(FileAlert)),
      tests: Type.Optional(
        Type.Array(FileTest, {
          description: 'Tests for "weir pipeline test"; the server does not keep them',
        }),
      ),
    },
    closed,
  ),
)

export type PipelineFile = Type.Static<typeof PipelineFile>
export type FileNode = Type.Static<typeof FileNode> & Type.Static<typeof FileSource>
export type FileAlert = Type.Static<typeof FileAlert>
export type FileTest = Type.Static<typeof FileTest>
export type FileEvent = Type.Static<typeof FileEvent>
