import type { PipelineFile } from '../../schemas/http/pipeline/pipeline-file.ts'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'

/** A pipeline whose throttle `calm` lets two lines of an app in an hour pass. */
export const FEWER: Omit<PipelineFile, 'title'> = {
  weir: 'pipeline/1',
  sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
  processors: [
    {
      name: 'by-level',
      type: 'route',
      inputs: ['lines'],
      config: {
        conditionals: [
          {
            label: 'debug',
            conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] },
          },
        ],
      },
    },
    {
      name: 'calm',
      type: 'throttle',
      title: 'At most two',
      inputs: ['by-level.debug', 'by-level._unmatched'],
      config: { threshold: 2, window: '1h', key_field: '.app' },
    },
  ],
  destinations: [{ name: 'store', type: 'log-analysis', inputs: ['calm'] }],
}

export interface CallOptions {
  readonly token?: string
  readonly 'if-match'?: string
}

/** Sends a request of the API with an access token. @returns `data` of the answer */
export async function callApi<Data>(
  { url, weir }: ConsoleUnderTest,
  method: string,
  path: string,
  body?: unknown,
  { token, ...more }: CallOptions = {},
): Promise<Data> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Token ${token ?? weir.credentials.accessToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { data: Data }).data
}

/** A destination of the pipeline that nothing reaches: it takes debug lines alone. */
const HOOK = {
  ...{ name: 'hook', type: 'http', inputs: ['by-level.debug'] },
  config: { uri: 'http://127.0.0.1:9/events' },
}

/** Makes and publishes the pipeline, with a destination `hook` that sends requests. @returns its id */
export async function publishedPipeline(console: ConsoleUnderTest): Promise<string> {
  const { id } = await callApi<{ id: string }>(console, 'PUT', '/v3/pipeline/import', {
    ...FEWER,
    title: 'Fewer lines',
    destinations: [...(FEWER.destinations ?? []), HOOK],
  })
  await callApi(console, 'POST', `/v3/pipeline/${id}/publish`, {})
  return id
}
