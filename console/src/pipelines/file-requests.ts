import type { FileDifference } from '../../../schemas/http/pipeline/revision-api.ts'
import { type RequestOptions, read } from '../api/request.ts'
import type { PipelineRecord } from './requests.ts'

export type { FileDifference }

const IMPORT = '/v3/pipeline/import'

/** Changes that a file of a pipeline would make. Nothing is saved. @throws Problem with the findings */
export function checkFile(text: string, signal: AbortSignal): Promise<FileDifference> {
  return sent(`${IMPORT}?dry_run=true`, { ...fileBody(text), signal })
}

/** Creates the pipeline of a file, or replaces the draft of the one that the file means. @throws Problem */
export function importFile(text: string): Promise<PipelineRecord> {
  return sent(IMPORT, fileBody(text))
}

function fileBody(text: string): RequestOptions {
  const type = isJson(text) ? 'application/json' : 'application/yaml'
  return { method: 'PUT', text, headers: { 'content-type': type } }
}

/** Whether a file of a pipeline is JSON, as the server decides it. */
export function isJson(text: string): boolean {
  return text.trimStart().startsWith('{')
}

async function sent<Data>(path: string, options: RequestOptions): Promise<Data> {
  return (await read<{ data: Data }>(path, options)).data
}
