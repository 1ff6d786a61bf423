import type { StoredLine } from '../../engine/lines/stored-line/stored-line.ts'

export interface SampleOptions {
  readonly seed: number
  readonly count: number
  /** Log time of the first line; each line is a millisecond later, unless `stepMs` says another. */
  readonly startMs: number
  readonly stepMs?: number
  readonly account?: string
  readonly retentionDays?: number
}

const APPS = ['nginx', 'checkout', 'billing', 'search', 'Größe', '']
const LEVELS = ['INFO', 'WARN', 'ERROR', 'DEBUG']
const TAGS = [[], ['prod'], ['prod', 'eu'], ['test']] as const

/** Lines as the own store gets them: the same seed gives the same lines. */
export function sampleLines({
  seed,
  count,
  startMs,
  stepMs = 1,
  account = '507f1f77bc',
  retentionDays = 30,
}: SampleOptions): StoredLine[] {
  const next = numbers(seed)
  return Array.from({ length: count }, (_, index) => {
    const json = next() % 10 < 4
    const user = next() % 5000
    const text = json
      ? `{"message":"GET /api/item/${next()} 200","user":"u${user}","ms":${next() % 900}}`
      : `GET /api/item/${next()} ${next() % 5 === 0 ? '500' : '200'} € ${'x'.repeat(next() % 120)}`
    const textBytes = Buffer.from(text)
    return {
      account,
      timeMs: startMs + index * stepMs,
      timestampMs: startMs + index * stepMs - (next() % 5000),
      host: `web-${next() % 50}`,
      app: APPS[next() % APPS.length] as string,
      level: LEVELS[next() % LEVELS.length] as string,
      file: '',
      env: 'production',
      mac: '',
      ip: `10.0.0.${next() % 50}`,
      remoteAddress: '127.0.0.1',
      tags: TAGS[next() % TAGS.length] as readonly string[],
      textBytes,
      textStart: 0,
      textEnd: textBytes.length,
      meta: next() % 10 === 0 ? `{"user":{"id":${user}}}` : '',
      extra: '',
      sizeBytes: textBytes.length,
      retentionDays,
      poolDays: next() % 8 === 0 ? 7 : 0,
      textFieldNames: ['message', 'user'],
      textFieldValues: [`GET /api/item/${user} 200`, `u${user}`],
      textFieldCount: json ? 2 : 0,
      numberFieldNames: ['ms'],
      numberFieldValues: [next() % 900],
      numberFieldCount: json ? 1 : 0,
    }
  })
}

/** Whole numbers below 2^31 that look random. */
function numbers(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 1
  }
}
