import type { Entropy } from '../../engine/entropy/entropy.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'

const APPS = ['nginx', 'checkout', 'payments', 'auth', 'search', 'mailer', 'worker', 'gateway']
const LEVELS = ['info', 'info', 'info', 'warn', 'error', 'debug']
const PATHS = [
  '/health',
  '/api/v1/orders',
  '/api/v1/orders/items',
  '/login',
  '/static/app.js',
  '/api/v2/search',
]
/** The others are access-log text. Golden digests stand on these lines: they must not change. */
const JSON_SHARE = 0.4

/** The time of the first line; each is a millisecond later than the one before it. */
export const SAMPLE_START_MS = 1_795_000_000_000

/** Lines as they are sent, without end. */
export function* sentSamples(seed = 1): Generator<SentSample, never> {
  const entropy = seededEntropy(seed)
  for (let number = 0; ; number++) yield sampleLine(entropy, number)
}

export function take<T>(values: Iterator<T, never>, count: number): T[] {
  return Array.from({ length: count }, () => values.next().value)
}

export function bodyOf(lines: readonly object[]): Buffer {
  return Buffer.from(JSON.stringify({ lines }))
}

export interface SentSample {
  readonly line: string
  readonly timestamp: number
  readonly app: string
  readonly level: string
  readonly meta?: { readonly region: string; readonly pod: string }
}

function sampleLine(entropy: Entropy, number: number): SentSample {
  const bytes = entropy.bytes(12)
  const at = (index: number) => bytes[index] as number
  const app = APPS[at(0) % APPS.length] as string
  const level = LEVELS[at(1) % LEVELS.length] as string
  const path = PATHS[at(2) % PATHS.length] as string
  const status = [200, 200, 200, 201, 304, 404, 500][at(3) % 7] as number
  const line =
    at(4) / 256 < JSON_SHARE
      ? JSON.stringify({
          message: `${path} answered ${status}`,
          http: { status, method: 'GET', path },
          service: app,
          duration_ms: at(5) * 3,
          trace_id: bytes.toString('hex'),
          user: { id: number % 5000 },
        })
      : `10.0.${at(6)}.${at(7)} - - [21/Nov/2026:08:00:${String(number % 60).padStart(2, '0')} +0000] "GET ${path}?n=${number} HTTP/1.1" ${status} ${at(8) * 40} "-" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36"`
  const sent = { line, timestamp: SAMPLE_START_MS + number, app, level }
  return at(9) < 77 ? { ...sent, meta: { region: 'eu-1', pod: `pod-${at(10) % 20}` } } : sent
}
