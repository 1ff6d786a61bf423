import type { FastifyInstance } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import type { Caller } from '../auth/caller.ts'
import { DeletedReply, V1_ERROR_REPLIES } from './replies.ts'

/** What the callers' accounts have of something that is written as a whole and read back by its id. */
export interface Resource<Write, Record> {
  /** Oldest first. */
  list(caller: Caller): Record[]
  /** @throws ApiError 404, as do those below */
  get(caller: Caller, id: string): Record
  create(caller: Caller, write: Write): Promise<Record>
  /** What is left out goes back to its default. */
  replace(caller: Caller, id: string, write: Write): Promise<Record>
  remove(caller: Caller, id: string): Promise<void>
}

export interface ResourceNames<Write extends TSchema, Record extends TSchema> {
  readonly path: string
  /** As in a sentence. */
  readonly one: string
  readonly many: string
  readonly write: Write
  readonly record: Record
}

const IdPath = Type.Object({ id: Type.String() })
type OfId = { Params: Static<typeof IdPath> }

/** List, create, read, replace and delete: everybody of an account may read, members and up may write. */
export function resourceRoutes<Write extends TSchema, Record extends TSchema>(
  app: FastifyInstance,
  { path, one, many, write, record }: ResourceNames<Write, Record>,
  resource: Resource<Static<Write>, Static<Record>>,
): void {
  const tags = [many]
  const single = { 200: record, ...V1_ERROR_REPLIES }
  const reader = { config: { needs: 'read' as const } }
  const writer = { config: { needs: 'write' as const } }

  app.get(
    path,
    {
      ...reader,
      schema: { summary: `List ${many}`, tags, response: { 200: Type.Array(record), ...V1_ERROR_REPLIES } },
    },
    async ({ caller }) => resource.list(caller),
  )
  app.post(
    path,
    { ...writer, schema: { summary: `Create a ${one}`, tags, body: write, response: single } },
    async ({ caller, body }) => resource.create(caller, body as Static<Write>),
  )
  app.get<OfId>(
    `${path}/:id`,
    { ...reader, schema: { summary: `Read a ${one}`, tags, params: IdPath, response: single } },
    async ({ caller, params }) => resource.get(caller, params.id),
  )
  app.put<OfId>(
    `${path}/:id`,
    {
      ...writer,
      schema: { summary: `Replace a ${one}`, tags, params: IdPath, body: write, response: single },
    },
    async ({ caller, params, body }) => resource.replace(caller, params.id, body as Static<Write>),
  )
  app.delete<OfId>(
    `${path}/:id`,
    {
      ...writer,
      schema: {
        summary: `Delete a ${one}`,
        tags,
        params: IdPath,
        response: { 200: DeletedReply, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) => {
      await resource.remove(caller, params.id)
      return { deleted: true as const }
    },
  )
}
