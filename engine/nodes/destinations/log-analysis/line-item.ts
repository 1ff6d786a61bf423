import { NINTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../../event/event.ts'
import { jsonText } from '../../../json/json-text.ts'
import { entriesOf, orderedObject } from '../../../json/ordered-object.ts'
import type { LineDraft, OwnStoreContext } from '../../../lines/stored-line/line-draft.ts'
import { FieldNames } from '../../../lines/stored-line/line-fields.ts'
import { newStoredLine, type StoredLine } from '../../../lines/stored-line/stored-line.ts'
import type { DeliveryFailure } from '../../contract/own-store.ts'
import { perConfig } from '../../http/per-config.ts'
import { compileOwnStore } from './own-store.ts'
import type { OwnStoreConfig } from './own-store-options.ts'

/** Log time later than all times, and a retention without end: the other installation decides which times it keeps. */
const UNBOUNDED: Pick<OwnStoreContext, 'timeMs' | 'retentionDays'> = {
  timeMs: 8_640_000_000_000_000,
  retentionDays: 1_000_000_000,
}

/** A line as log ingestion accepts it, and the query of its request. */
export interface LineItem {
  /** Hostname, address, network card and tags, as the query of an address. */
  readonly query: string
  /** JSON text. */
  readonly json: string
}

/** Reason why an event gives no line: its hostname does not render. */
type LineFailure = DeliveryFailure<'E_NOT_FOUND' | 'E_DELIVERY_FAILED'>

/** Composes the lines of a node: the result is that of the own store. */
export const lineItemsOf = perConfig((config: OwnStoreConfig) => {
  const sink = compileOwnStore(config)
  const line = newStoredLine()
  // The behaviour is fixed: bounds of batches must not depend on the version of the program.
  const context: OwnStoreContext = {
    ...{ ...UNBOUNDED, account: '', poolDays: 0, behaviour: NINTH_BEHAVIOUR },
    fieldNames: new FieldNames(),
  }
  let lastEvent: Event | undefined
  let last: LineItem | LineFailure | undefined
  // Bounds, splits and failures are asked one after the other for an event.
  return (event: Event): LineItem | LineFailure => {
    if (event === lastEvent && last !== undefined) return last
    const failure = sink.fillHead(event, line, context)
    last = (failure as LineFailure | undefined) ?? { query: queryOf(line), json: jsonOf(line, sink.head) }
    lastEvent = event
    return last
  }
})

function queryOf({ host, ip, mac, tags }: StoredLine): string {
  return new URLSearchParams({
    hostname: host,
    ...(ip !== '' && { ip }),
    ...(mac !== '' && { mac }),
    ...(tags.length > 0 && { tags: tags.join(',') }),
  }).toString()
}

function jsonOf(line: StoredLine, draft: LineDraft): string {
  const { app, file, env, meta, textBytes, textStart, textEnd, timestampMs } = line
  const { level, label, annotation, other } = draft
  const members = jsonText(
    orderedObject([
      // Members without a place of their own come first: a known name that comes later counts.
      ...entriesOf(other ?? {}),
      [
        'line',
        Buffer.from(textBytes.buffer, textBytes.byteOffset + textStart, textEnd - textStart).toString(),
      ],
      ['timestamp', Math.floor(timestampMs)],
      ...Object.entries({ app, level, file, env }).filter(([, text]) => text !== ''),
      ...Object.entries({ label, annotation }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      ),
    ]),
  )
  return meta === '' ? members : `${members.slice(0, -1)},"meta":${meta}}`
}
