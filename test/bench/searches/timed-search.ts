import { Agent, get } from 'node:http'
import type { Credentials } from '../../../deploy/data-directory.ts'

export interface TimedSearch {
  readonly ms: number
  readonly found: number
  /** The way that the program took, in its own words. */
  readonly how: string
}

export interface SearchSpan {
  readonly fromMs: number
  readonly toMs: number
}

const PAGE_LINES = 100
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

export const FULL_PAGE = PAGE_LINES

/** Asks for the newest lines of a query over HTTP, as a user does, on a connection that is kept. */
export async function timedSearch(
  { apiUrl, accessToken }: Credentials,
  query: string,
  { fromMs, toMs }: SearchSpan,
): Promise<TimedSearch> {
  const seconds = (ms: number) => String(Math.floor(ms / 1000))
  const parameters = {
    from: seconds(fromMs),
    to: seconds(toMs),
    prefer: 'tail',
    size: String(PAGE_LINES),
    query,
  }
  const startedMs = performance.now()
  const { status, text, how } = await request(
    `${apiUrl}/v2/export?${new URLSearchParams(parameters)}`,
    accessToken,
  )
  const ms = performance.now() - startedMs
  if (status !== 200) throw new Error(`the search for ${query} was answered ${status} ${text}`)
  return { ms, found: (JSON.parse(text) as { lines: unknown[] }).lines.length, how }
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly how: string
}

function request(url: string, token: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Token ${token}` } }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode as number,
          text: Buffer.concat(chunks).toString(),
          how: String(response.headers['x-weir-search'] ?? ''),
        }),
      )
    }).on('error', reject)
  })
}
