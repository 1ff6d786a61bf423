import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { type ApiClient, ApiRefusal, apiClient } from '../api-client.ts'
import { apiAddress } from '../connection.ts'
import { type NamedObjects, oneNamed } from '../one-named.ts'
import type { World } from '../world.ts'

export interface Pipeline extends JsonObject {
  id: string
  title: string
}

export interface Publication {
  readonly pipeline: Pipeline
  readonly changed: boolean
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function client(world: World): ApiClient {
  return apiClient(apiAddress(world), world)
}

/** The resource without its envelope (pipeline API, section 1.2). */
export async function data(api: ApiClient, path: string): Promise<JsonValue> {
  return ((await api.json(path)) as JsonObject).data ?? null
}

/** Resolves a title or the beginning of an id that identifies one pipeline. */
export async function pipelineId(api: ApiClient, wanted: string): Promise<string> {
  if (UUID.test(wanted)) return wanted
  const pipelines = (await data(api, '/v3/pipeline')) as Pipeline[]
  return oneNamed(pipelines, wanted, PIPELINES).id
}

const PIPELINES: NamedObjects<Pipeline> = {
  called: 'pipeline',
  listedBy: 'weir pipeline list',
  idOf: ({ id }) => id,
  nameOf: ({ title }) => title,
}

/**
 * Publishes a pipeline. If the wanted revision already runs, this is a success, as for other clients of this API
 * (pipeline API, section 2.7).
 */
export async function publishPipeline(
  api: ApiClient,
  id: string,
  allowUnconnected: boolean,
): Promise<Publication> {
  const path = `/v3/pipeline/${encodeURIComponent(id)}`
  try {
    const answer = (await api.json(`${path}/publish`, {
      method: 'POST',
      query: { allow_unconnected_edges: allowUnconnected ? 'true' : undefined },
      body: {},
    })) as { data: Pipeline }
    return { pipeline: answer.data, changed: true }
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.code !== 'ENOCHANGES') throw error
    return { pipeline: (await data(api, path)) as Pipeline, changed: false }
  }
}

export function publicationSentence({ pipeline, changed }: Publication): string {
  const { title, published_at: at } = pipeline
  return changed
    ? `Published ${title} at ${String(at)}.`
    : `Nothing to publish: ${title} has not changed since ${String(at)}.`
}
