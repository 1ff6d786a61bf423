import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { BodyForm } from './sample-bodies.ts'
import type { LoadReport } from './send-load.ts'

const GENERATOR = new URL('./send-load.ts', import.meta.url).pathname

export interface Load {
  /** Where to POST, such as http://127.0.0.1:8080/logs/ingest. */
  readonly url: string
  readonly ingestionKey: string
  readonly lines: number
  readonly linesPerBody: number
  readonly connections: number
  /** Absent: as log ingestion takes them. */
  readonly form?: BodyForm
}

/** Sends that many lines from a process of its own. */
export async function sendLoad({
  url,
  ingestionKey,
  lines,
  linesPerBody,
  connections,
  form = 'lines',
}: Load): Promise<LoadReport> {
  const numbers = [lines, linesPerBody, connections].map(String)
  const args = [GENERATOR, url, ingestionKey, ...numbers, form]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 20 })
  return JSON.parse(stdout) as LoadReport
}
