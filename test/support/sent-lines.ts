import { Event } from '../../engine/event/event.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import type { JsonValue } from '../../schemas/json.ts'
import {
  encodeLineBatch,
  type IngestRequest,
  TIMESTAMP_ABSENT,
  TIMESTAMP_NUMBER_MS,
  TIMESTAMP_OTHER,
} from '../../schemas/log/line-batch.ts'

/** 2026-03-04T05:06:07.089Z, the time of the specification's example. */
export const RECEIVED_MS = 1_772_600_767_089
export const ACCOUNT = '507f1f77bc'

/** A line as a batch keeps it; absent members were not sent. */
export interface SentLine {
  readonly line: string
  readonly host?: string
  readonly app?: string
  readonly level?: string
  readonly env?: string
  readonly file?: string
  /** Value as sent: a number is in milliseconds; a text is kept in addition to the resolved time. */
  readonly timestamp?: number | string
  /** The resolved time; the time of reception when left out. */
  readonly timestampMs?: number
  /** JSON text. */
  readonly meta?: string
  /** Rare members, such as tags, label, annotation, clamped, truncated, metaCut, other. */
  readonly rest?: Readonly<Record<string, JsonValue>>
}

/** One request's lines, through the encoding of the log and back. */
export function sentBatch(lines: readonly SentLine[], request: Partial<IngestRequest> = {}): LineBatchView {
  const dictionary = ['']
  const index = (word = '') => {
    const known = dictionary.indexOf(word)
    return known === -1 ? dictionary.push(word) - 1 : known
  }
  const words = (key: 'host' | 'app' | 'level' | 'env' | 'file') =>
    Buffer.from(Uint32Array.from(lines.map(line => index(line[key]))).buffer)
  const times = lines.map(({ timestamp, timestampMs }) =>
    typeof timestamp === 'number' ? timestamp : (timestampMs ?? RECEIVED_MS),
  )
  return LineBatchView.decode(
    encodeLineBatch({
      account: ACCOUNT,
      route: 'ingest',
      requests: [{ ...SOME_REQUEST, ...request, lines: lines.length }],
      count: lines.length,
      hostIndex: words('host'),
      appIndex: words('app'),
      levelIndex: words('level'),
      envIndex: words('env'),
      fileIndex: words('file'),
      timestampMs: Buffer.from(Float64Array.from(times).buffer),
      timestampKind: Buffer.from(lines.map(kindOf)),
      line: textColumn(lines.map(({ line }) => line)),
      meta: textColumn(lines.map(({ meta = '' }) => meta)),
      rest: textColumn(lines.map(restText)),
      dictionary,
    }),
  )
}

export function sentEvent(line: SentLine, request: Partial<IngestRequest> = {}): Event {
  return Event.ofLine(sentBatch([line], request), 0)
}

const SOME_REQUEST: IngestRequest = {
  lines: 0,
  hostname: 'web-1',
  mac: '',
  ip: '',
  remoteAddress: '',
  tags: [],
  receivedAtMs: RECEIVED_MS,
  driftMs: null,
  idempotency: null,
}

function kindOf({ timestamp }: SentLine): number {
  if (timestamp === undefined) return TIMESTAMP_ABSENT
  return typeof timestamp === 'number' ? TIMESTAMP_NUMBER_MS : TIMESTAMP_OTHER
}

function restText({ timestamp, rest }: SentLine): string {
  const members = { ...(typeof timestamp === 'string' ? { timestamp } : {}), ...rest }
  return Object.keys(members).length === 0 ? '' : jsonText(members)
}

function textColumn(texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap(text => {
      const bytes = Buffer.from(text)
      return [varint(bytes.length), bytes]
    }),
  )
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  return Buffer.from([...bytes, rest])
}
