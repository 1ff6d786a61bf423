import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { BodyForm, BodySeries } from './bodies.ts'

const GENERATOR = new URL('./send-load.ts', import.meta.url)

export interface Load {
  /** Address to POST to, such as http://127.0.0.1:8080/logs/ingest. */
  readonly url: string
  readonly ingestionKey: string
  readonly lines: number
  readonly linesPerBody: number
  readonly connections: number
  /** Absent: as log ingestion takes them. */
  readonly form?: BodyForm
  /** Name of a LineShape. Absent: the one that figures are claimed for. */
  readonly shape?: string
  readonly seed?: number
  /** Time of the first lines; absent: ten minutes ago. */
  readonly startMs?: number
  /** Absent: as fast as they are taken. */
  readonly linesPerSecond?: number
  /** Bodies repeat after so many lines, for a receiver that keeps none. Absent: never. */
  readonly distinctLines?: number
}

export interface LoadReport {
  readonly lines: number
  readonly requests: number
  readonly bodyBytes: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly statuses: Readonly<Record<string, number>>
}

/** The load as its process gets it. */
export interface LoadOrder {
  readonly url: string
  readonly ingestionKey: string
  readonly lines: number
  readonly connections: number
  readonly linesPerSecond: number
  readonly bodies: BodySeries
}

/** A load whose bodies are made. */
export interface ReadyLoad {
  /** Sends all of it. */
  send(): Promise<LoadReport>
  /** Ends the process, also in the middle of its load. */
  close(): void
}

const TEN_MINUTES_MS = 600_000

/** Makes the bodies in a process of its own, so that nothing but sending remains for the time that is measured. */
export async function prepareLoad(load: Load): Promise<ReadyLoad> {
  const child = fork(GENERATOR, [JSON.stringify(orderOf(load))])
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the load generator ended with ${code ?? signal}`)
  })
  ended.catch(() => {})
  const message = async () => (await Promise.race([once(child, 'message'), ended]))[0] as unknown
  await message()
  return {
    async send() {
      child.send('go')
      return (await message()) as LoadReport
    },
    close() {
      child.kill()
    },
  }
}

/** Prepares a load and sends it. */
export async function sendLoad(load: Load): Promise<LoadReport> {
  const ready = await prepareLoad(load)
  try {
    return await ready.send()
  } finally {
    ready.close()
  }
}

function orderOf({
  url,
  ingestionKey,
  lines,
  linesPerBody,
  connections,
  form = 'lines',
  shape = 'json',
  seed = 1,
  startMs = Date.now() - TEN_MINUTES_MS,
  linesPerSecond = Number.MAX_VALUE,
  distinctLines = lines,
}: Load): LoadOrder {
  const bodies = { shape, seed, startMs, lines: Math.min(lines, distinctLines), linesPerBody, form }
  return { url, ingestionKey, lines, connections, linesPerSecond, bodies }
}
