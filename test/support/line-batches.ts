import { encodeLineBatch, type Idempotency } from '../../schemas/line-batch.ts'

export interface SampleLine {
  readonly line: string
  readonly app?: string
  readonly host?: string
  readonly level?: string
}

export interface SampleRequest {
  readonly lines: readonly SampleLine[]
  readonly idempotency?: Idempotency
}

export const SAMPLE_ACCOUNT = '507f1f77bc'

/** The value of a record with these requests, as ingestion would write it. */
export function lineBatchValue(requests: readonly SampleRequest[], account = SAMPLE_ACCOUNT): Buffer {
  const lines = requests.flatMap(request => request.lines)
  const dictionary = [
    '',
    ...new Set(lines.flatMap(({ app = '', host = '', level = '' }) => [app, host, level])),
  ]
  const words = (word: (line: SampleLine) => string | undefined) =>
    Buffer.from(Uint32Array.from(lines, line => dictionary.indexOf(word(line) ?? '')).buffer)
  const none = Buffer.alloc(0)
  return encodeLineBatch({
    account,
    route: 'ingest',
    requests: requests.map(({ lines: { length }, idempotency }) => ({
      lines: length,
      hostname: 'web-1',
      mac: '',
      ip: '',
      remoteAddress: '127.0.0.1',
      tags: [],
      receivedAtMs: 1_700_000_000_000,
      driftMs: null,
      idempotency: idempotency ?? null,
    })),
    count: lines.length,
    dictionary,
    hostIndex: words(line => line.host),
    appIndex: words(line => line.app),
    levelIndex: words(line => line.level),
    envIndex: none,
    fileIndex: none,
    timestampMs: Buffer.from(Float64Array.from(lines, () => 1_700_000_000_000).buffer),
    timestampKind: none,
    line: Buffer.concat(lines.map(({ line }) => prefixed(line))),
    meta: none,
    rest: none,
  })
}

function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length: number[] = []
  let rest = bytes.length
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80)
  length.push(rest)
  return Buffer.concat([Buffer.from(length), bytes])
}
