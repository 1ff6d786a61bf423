import { LineBatchBuilder } from '../../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../../engine/lines/columns/line-batch-view.ts'
import { lineCodec } from '../../../engine/lines/line-codec.ts'
import { BodyError } from '../../../engine/lines/scan/body-error.ts'
import type { Envelope } from '../../../engine/lines/scan/parse-lines.ts'
import { timeBounds } from '../../../engine/lines/scan/timestamp.ts'
import { decodingMessages, type HttpDecoding } from '../../../engine/nodes/sources/http/http-decoding.ts'
import { finish } from '../../../engine/steps.ts'
import type { DrawnRequest } from './drawn-crowd.ts'

/** Result of a request if it were alone. */
export interface DueResult {
  readonly status: number
  /** Every stored line with all of its members; empty if the request is refused. */
  readonly rows: readonly string[]
  /** Places of lines that are refused. */
  readonly refused: readonly number[]
  /** Number of lines in the body. */
  readonly count: number
  /** Members that hold for all lines. */
  readonly host: { readonly mac: string; readonly tags: readonly string[] }
}

export interface FrontRules {
  readonly nowMs: number
  readonly retentionDays: number
  readonly limitBytes: number
  readonly keys: readonly string[]
  readonly decodings: readonly HttpDecoding[]
}

const NO_FACTS = {
  ...{ hostname: '', mac: '', ip: '', remoteAddress: '', tags: [], receivedAtMs: 0 },
  ...{ driftMs: null, idempotency: null },
}
const GROWTH = 10
const NO_HOST = { mac: '', tags: [] }

/** The result by the complete rules, with readers that no other body has used. */
export function dueResult(request: DrawnRequest, rules: FrontRules): DueResult {
  return request.entrance === 'push' ? dueOfPush(request, rules) : dueOfLines(request, rules)
}

/** All members of a stored line; its place in the record and the facts of its request are none of them. */
export function rowOf(view: LineBatchView, index: number): string {
  const { line, meta, rest } = view.rawTexts(index)
  const words = [view.ownHost(index), view.app(index), view.level(index), view.env(index), view.file(index)]
  return JSON.stringify([line, meta, rest, ...words, view.timestampMs(index), view.timestampKind(index)])
}

function dueOfPush({ body, isTorn, sender }: DrawnRequest, { limitBytes, decodings }: FrontRules): DueResult {
  if (isTorn) return refusal(400)
  if (body.length === 0) return { ...refusal(200) }
  const limits = { limitBytes: GROWTH * limitBytes, eventLimitBytes: limitBytes }
  const decoded = finish(decodingMessages({ body, ...limits }, decodings[sender] as HttpDecoding))
  if (!Array.isArray(decoded)) return refusal('isTooMany' in decoded ? 413 : 400)
  return { status: 200, rows: decoded, refused: [], count: decoded.length, host: NO_HOST }
}

function dueOfLines(request: DrawnRequest, rules: FrontRules): DueResult {
  const { body, isKeyInBody, isTorn, query, sender } = request
  const reader = lineCodec.newReader()
  reader.load([body])
  const envelope = isTorn ? undefined : ofReadable(() => reader.envelope())
  if (isKeyInBody && envelope?.apikey !== rules.keys[sender]) return refusal(401)
  if (isTorn || body.length === 0) return refusal(400)
  const sentTags = new URLSearchParams(query).get('tags')?.split(',') ?? null
  return ofReadable(() => readAlone(body, sentTags, rules), faultOf) ?? refusal(400)

  function readAlone(bytes: Buffer, tags: string[] | null, { nowMs, retentionDays, limitBytes }: FrontRules) {
    const batch = new LineBatchBuilder()
    reader.load([bytes])
    const { filled } = batch.addRequest(() => {
      const bounds = timeBounds(nowMs, retentionDays)
      return { facts: NO_FACTS, read: finish(reader.parsingLines(batch, bounds, tags, limitBytes)) }
    })
    const { count, refused, envelope: own } = filled.read
    const status = refused.length === 0 ? 200 : 207
    return { status, rows: rowsOf(batch), refused, count, host: hostOf(query, tags, own) }
  }
}

function rowsOf(batch: LineBatchBuilder): string[] {
  if (batch.count === 0) return []
  const view = LineBatchView.decode(batch.encode('account', 'ingest'))
  return Array.from({ length: view.count }, (_, index) => rowOf(view, index))
}

function hostOf(query: string, tags: readonly string[] | null, envelope: Envelope | null): DueResult['host'] {
  const mac = new URLSearchParams(query).get('mac') ?? envelope?.mac ?? ''
  return { mac, tags: tags ?? envelope?.tags ?? [] }
}

function ofReadable<T>(read: () => T, otherwise: (error: BodyError) => T | undefined = () => undefined) {
  try {
    return read()
  } catch (error) {
    if (error instanceof BodyError) return otherwise(error)
    throw error
  }
}

function faultOf({ fault }: BodyError): DueResult {
  return refusal(fault === 'too large' ? 413 : 400)
}

function refusal(status: number): DueResult {
  return { status, rows: [], refused: [], count: 0, host: NO_HOST }
}
