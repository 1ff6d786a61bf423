import type { FastifyInstance } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import { Deleted } from '../../schemas/http/account/deleted.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import type { Caller } from '../auth/caller.ts'
import { sendList } from '../http/streamed-list.ts'

/** Resources of the callers' accounts that are written as a whole and read by their id. */
export interface Resource<Write, Record> {
  /** Lists the resources of the caller's account, the oldest first. A record is made when it is read. */
  list(caller: Caller): Iterable<Record>
  /** Returns the resource. @throws ApiError 404, as do `replace` and `remove` */
  get(caller: Caller, id: string): Record
  create(caller: Caller, write: Write): Promise<Record>
  /** Replaces the resource; omitted members get their defaults again. */
  replace(caller: Caller, id: string, write: Write): Promise<Record>
  remove(caller: Caller, id: string): Promise<void>
}

export interface ResourceNames<Write extends TSchema, Record extends TSchema> {
  readonly path: string
  /** Singular noun for use in a sentence. */
  readonly one: string
  readonly many: string
  readonly write: Write
  readonly record: Record
}

const IdPath = Type.Object({ id: Type.String() })
type OfId = { Params: Static<typeof IdPath> }

/**
 * Routes to list, create, read, replace and delete. Everyone in an account can read; members and higher roles can write.
 */
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
    async ({ caller }, reply) => sendList(reply, app.ports.clock, resource.list(caller)),
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
        response: { 200: Deleted, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) => {
      await resource.remove(caller, params.id)
      return { deleted: true as const }
    },
  )
}

/** A resource that an account has at most once. */
export interface SingleResource<Write, Record> {
  /** Returns the resource. @throws ApiError 404, as do `replace` and `delete` */
  get(caller: Caller): Record
  /** Creates the resource. @throws ApiError 409 when the account has one */
  create(caller: Caller, write: Write): Promise<Record>
  replace(caller: Caller, write: Write): Promise<Record>
  delete(caller: Caller): Promise<void>
}

export interface SingleResourceNames<Write extends TSchema, Record extends TSchema>
  extends Pick<ResourceNames<Write, Record>, 'path' | 'write' | 'record'> {
  readonly tag: string
  readonly summaries: { readonly [method in 'get' | 'post' | 'put' | 'delete']: string }
}

/**
 * Routes to read, create, replace and delete. Only administrators can use them, because answers may contain credentials.
 */
export function singleResourceRoutes<Write extends TSchema, Record extends TSchema>(
  app: FastifyInstance,
  { path, tag, summaries, write, record }: SingleResourceNames<Write, Record>,
  resource: SingleResource<Static<Write>, Static<Record>>,
): void {
  const config = { needs: 'admin' as const }
  const common = { tags: [tag], response: { 200: record, ...V1_ERROR_REPLIES } }

  app.get(path, { config, schema: { ...common, summary: summaries.get } }, async ({ caller }) =>
    resource.get(caller),
  )
  app.post(
    path,
    { config, schema: { ...common, summary: summaries.post, body: write } },
    async ({ caller, body }) => resource.create(caller, body as Static<Write>),
  )
  app.put(
    path,
    { config, schema: { ...common, summary: summaries.put, body: write } },
    async ({ caller, body }) => resource.replace(caller, body as Static<Write>),
  )
  app.delete(
    path,
    {
      config,
      schema: { ...common, summary: summaries.delete, response: { 200: Deleted, ...V1_ERROR_REPLIES } },
    },
    async ({ caller }) => {
      await resource.delete(caller)
      return { deleted: true }
    },
  )
}
