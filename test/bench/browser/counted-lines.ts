import type { RunningWeir } from '../../support/running-weir.ts'

/** Lines of one request. */
export const BODY_LINES = 1_000
const STORED_WITHIN_MS = 120_000

/** Numbered lines of a word. */
export function linesOf(word: string, from: number, count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({
    line: `${word} ${from + at}: GET /orders/${(from + at) % 977} answered after ${(from + at) % 331} ms`,
    app: `app-${at % 10}`,
    level: at % 20 === 0 ? 'error' : 'info',
  }))
}

export async function send({ credentials }: RunningWeir, lines: readonly object[]): Promise<void> {
  const answer = await fetch(`${credentials.ingestUrl}/logs/ingest?hostname=bench-1`, {
    method: 'POST',
    headers: { apikey: credentials.ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** Sends the lines that are scrolled, and waits until they are stored. */
export async function fill(weir: RunningWeir, lines: number): Promise<void> {
  for (let from = 0; from < lines; from += BODY_LINES) await send(weir, linesOf('counted', from, BODY_LINES))
  const last = `${lines - 1}`
  const nowS = Math.ceil(Date.now() / 1_000)
  for (const untilMs = Date.now() + STORED_WITHIN_MS; Date.now() < untilMs; ) {
    const path = `/v2/export?from=${nowS - 3_600}&to=${nowS + 3_600}&query=counted ${last}&size=1`
    const { lines: found } = await weir.get<{ lines: unknown[] }>(encodeURI(path))
    if (found.length > 0) return
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  throw new Error('the lines were not stored in time')
}
