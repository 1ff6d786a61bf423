import { expect } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import type { Dice } from './dice.ts'
import type { TestInstallation } from './test-installation.ts'

export type ResourceKind =
  | 'pipeline'
  | 'source'
  | 'transform'
  | 'sink'
  | 'alert'
  | 'gateway-route'
  | 'access-key'
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type Reply = Awaited<ReturnType<PipelineClient['send']>>

export interface Problem {
  readonly instancePath: string
  readonly message: string
}

export const PIPELINES = '/v3/pipeline'
export const ROUTES = `${PIPELINES}/gateway-route`
export const NOWHERE = '00000000-0000-4000-8000-000000000000'

const PIPELINE_LINKS = { list: '/v3/pipeline', detail: '/v3/pipeline/{pipeline_id}' }
const ROUTE_LINKS = {
  list: '/v3/pipeline/gateway-route',
  detail: '/v3/pipeline/gateway-route/{gateway_route_id}',
}
const KEY_LINKS = { list: null, detail: '/v3/pipeline/gateway-route/{gateway_route_id}/access-key' }
const NODE_LINKS = {
  source: { list: null, detail: '/v3/pipeline/{pipeline_id}/source/{source_id}' },
  transform: { list: null, detail: '/v3/pipeline/{pipeline_id}/transform/{transform_id}' },
  sink: { list: null, detail: '/v3/pipeline/{pipeline_id}/sink/{sink_id}' },
}
const IN_PIPELINE = { pipeline: PIPELINE_LINKS }

/** Links of `meta` by the kind of resource, written out (pipeline API, section 1.2). */
const LINKS: Readonly<Record<ResourceKind, object>> = {
  pipeline: { self: PIPELINE_LINKS, related: NODE_LINKS },
  source: { self: NODE_LINKS.source, related: IN_PIPELINE },
  transform: { self: NODE_LINKS.transform, related: IN_PIPELINE },
  sink: { self: NODE_LINKS.sink, related: IN_PIPELINE },
  alert: {
    self: { list: null, detail: '/v3/pipeline/{pipeline_id}/alert/{alert_id}' },
    related: IN_PIPELINE,
  },
  'gateway-route': { self: ROUTE_LINKS, related: { access_key: KEY_LINKS } },
  'access-key': { self: KEY_LINKS, related: { gateway_route: ROUTE_LINKS } },
}

/**
 * Sends the requests of an infrastructure-as-code client, and reads the same parts of an answer: the status, then `data`,
 * or the flat error. Every successful answer must have the envelope of its kind.
 */
export class PipelineClient {
  readonly #installation: TestInstallation

  constructor(installation: TestInstallation) {
    this.#installation = installation
  }

  /** @param contentType of a request without a body; those with one are JSON */
  async send(method: Method, url: string, sent?: object | string, contentType?: string) {
    const type = sent === undefined ? contentType : 'application/json'
    const response = await this.#installation.call({
      method,
      url,
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
      ...(sent === undefined ? {} : { payload: sent }),
    })
    return { status: response.statusCode, body: response.json() }
  }

  /** Answers the resource; the creation of a pipeline alone has no type in its meta. */
  async create(kind: ResourceKind, url: string, sent: object): Promise<JsonObject> {
    const reply = await this.send('POST', url, sent)
    return dataOf(reply, kind, kind === 'pipeline' ? undefined : kind)
  }

  async read(kind: ResourceKind, url: string): Promise<JsonObject> {
    return dataOf(await this.send('GET', url), kind, kind)
  }

  async update(kind: ResourceKind, url: string, sent: object): Promise<JsonObject> {
    return dataOf(await this.send('PUT', url, sent), kind, kind)
  }

  /** @param contentType sent without a body, as older clients do */
  async delete(url: string, contentType?: string): Promise<void> {
    const { status, body } = await this.send('DELETE', url, undefined, contentType)
    expect([status, body.errors]).toEqual([200, undefined])
  }

  async publish(pipeline: string): Promise<JsonObject> {
    const url = `${PIPELINES}/${pipeline}/publish?allow_unconnected_edges=true`
    const { status, body } = await this.send('POST', url, {})
    expect([status, body.errors]).toEqual([200, undefined])
    expect(body.meta).toEqual({
      pk: 'id',
      type: 'pipeline',
      links: {
        self: { list: null, detail: '/v3/pipeline/{pipeline_id}/publish' },
        related: { pipeline: PIPELINE_LINKS, ...NODE_LINKS },
      },
      page: null,
    })
    return body.data
  }

  /** A pipeline as the client makes it. */
  async newPipeline(title = 'My pipeline'): Promise<string> {
    return (await this.create('pipeline', PIPELINES, { title, origin: 'terraform' })).id as string
  }

  /** The findings about a write that is refused, in the form that the client reads. */
  async refusal(method: 'POST' | 'PUT', url: string, sent: object | string): Promise<Problem[]> {
    const { status, body } = await this.send(method, url, sent)
    expect(status).toBe(400)
    expect(body).toMatchObject({ status: 400, code: 'EVALIDATION', message: expect.any(String) as unknown })
    for (const wrapper of ['data', 'meta']) expect(body).not.toHaveProperty(wrapper)
    for (const problem of body.errors) {
      expect(problem).toEqual({
        instancePath: expect.stringMatching(/^(\/|$)/) as unknown,
        message: expect.any(String) as unknown,
      })
    }
    return body.errors
  }
}

function dataOf({ status, body }: Reply, kind: ResourceKind, type: string | undefined): JsonObject {
  expect([status, body.errors]).toEqual([200, undefined])
  expect(body).toEqual({
    meta: { pk: 'id', ...(type === undefined ? {} : { type }), links: LINKS[kind], page: null },
    data: body.data,
  })
  return body.data
}

/** Runs at most ten calls at the same time, like the client. */
export async function tenAtOnce<T>(work: readonly T[], one: (each: T) => Promise<void>): Promise<void> {
  const rest = [...work]
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let next = rest.shift(); next !== undefined; next = rest.shift()) await one(next)
    }),
  )
}

export function shuffled<T>(dice: Dice, list: readonly T[]): T[] {
  const mixed = [...list]
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = dice.below(last + 1)
    ;[mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T]
  }
  return mixed
}

/** Every value in options, the containers themselves included, with its JSON pointer. */
export function* valuesIn(value: JsonValue, at = ''): Generator<readonly [string, JsonValue]> {
  yield [at, value]
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) yield* valuesIn(member, `${at}/${index}`)
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) yield* valuesIn(member, `${at}/${key}`)
  }
}
