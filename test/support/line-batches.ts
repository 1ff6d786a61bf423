import { Event } from '../../engine/event/event.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { encodeLineBatch, type Idempotency, type Refusal } from '../../schemas/log/line-batch.ts'

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

export const SAMPLE_ROUTE = '9d2c2a55-5f0c-4a5e-9c0c-3a7c1b2d4e5f'
const RECEIVED_MS = 1_700_000_000_000

/** The value of a record with the events of a gateway route, one request per metadata. */
export function pushedValue(
  requests: readonly {
    readonly metadata?: JsonObject
    readonly messages: readonly JsonValue[]
    /** Why the messages, which are beginnings of bodies, were refused. */
    readonly refusal?: Refusal
  }[],
  route = SAMPLE_ROUTE,
  account = SAMPLE_ACCOUNT,
): Buffer {
  const builder = new LineBatchBuilder()
  for (const { metadata, messages, refusal } of requests)
    builder.addRequest(batch => {
      for (const message of messages)
        batch.addEvent(jsonText(message), RECEIVED_MS, refusal && JSON.stringify(refusal))
      const facts = {
        hostname: metadata === undefined ? '' : jsonText(metadata),
        mac: '',
        ip: '',
        remoteAddress: '127.0.0.1',
        tags: [],
        receivedAtMs: RECEIVED_MS,
        driftMs: null,
        idempotency: null,
      }
      return { facts }
    })
  return builder.encode(account, route)
}

/** Events of one request. */
export function pushedEvents(messages: readonly JsonValue[], metadata: JsonObject = {}): Event[] {
  const batch = LineBatchView.decode(pushedValue([{ metadata, messages }]))
  return messages.map((_, index) => Event.ofLine(batch, index))
}

function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length: number[] = []
  let rest = bytes.length
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80)
  length.push(rest)
  return Buffer.concat([Buffer.from(length), bytes])
}
