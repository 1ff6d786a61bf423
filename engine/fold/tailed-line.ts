import type { JsonObject } from '../../schemas/json.ts'
import { FIFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { Event } from '../event/event.ts'
import { eventParser } from '../json/exact-json.ts'
import type { LineBatchView } from '../lines/columns/line-batch-view.ts'
import { hostAsSent, storedApp } from '../lines/stored-line/line-draft.ts'
import { FieldNames } from '../lines/stored-line/line-fields.ts'
import { type LinePlace, renderRecord, rowOfLine } from '../lines/stored-line/line-record.ts'
import { newStoredLine, type StoredLine } from '../lines/stored-line/stored-line.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import type { OwnStoreSink } from '../nodes/contract/own-store.ts'
import { SearchedRecord } from '../query-language/evaluate.ts'

/** Place of a line in the topic `weir.ingest`, and its retention. */
export interface TailedPlace extends Omit<LinePlace, 'topic'> {
  /** Log time of its record, UNIX ms. */
  readonly timeMs: number
  readonly retentionDays: number
  /** Behaviour number by which the line is made. */
  readonly behaviour: number
}

/** Shows lines one after another, in the form in which the default graph would store them. */
export class LineStand {
  readonly #sink: OwnStoreSink
  readonly #stored = newStoredLine()
  /** Names are counted for the columns of the store; records have all fields. */
  readonly #fieldNames = new FieldNames()

  constructor(catalogue: Catalogue) {
    this.#sink = catalogue.defaultOwnStore()
  }

  /** The previous line must not be used any more. */
  line(batch: LineBatchView, index: number, place: TailedPlace): TailedLine {
    return new TailedLine(batch, index, place, () => {
      const { timeMs, retentionDays, behaviour } = place
      const context = { account: batch.account, timeMs, retentionDays, poolDays: 0, behaviour }
      const event = Event.ofLine(batch, index)
      this.#sink.fill(event, this.#stored, { ...context, fieldNames: this.#fieldNames })
      return this.#stored
    })
  }
}

/**
 * A line for observers of arriving lines. Its parts are computed when first needed, once for all observers: the host, app
 * or level alone excludes most lines.
 */
export class TailedLine {
  readonly #batch: LineBatchView
  readonly #index: number
  readonly #place: TailedPlace
  readonly #fill: () => StoredLine
  #stored: StoredLine | undefined
  #known: JsonObject | undefined
  #text: string | undefined
  #searched: SearchedRecord | undefined

  constructor(batch: LineBatchView, index: number, place: TailedPlace, fill: () => StoredLine) {
    this.#batch = batch
    this.#index = index
    this.#place = place
    this.#fill = fill
  }

  get host(): string {
    return hostAsSent(this.#batch, this.#index)
  }

  get app(): string {
    return storedApp(this.#batch.app(this.#index), this.#batch.file(this.#index))
  }

  /** Line as the own store receives it. */
  get stored(): StoredLine {
    this.#stored ??= this.#fill()
    return this.#stored
  }

  /** Members of the record that are known without making it. A line cannot set these itself. */
  get known(): JsonObject {
    this.#known ??= knownMembers(this.stored)
    return this.#known
  }

  /** Text of the record, as an export returns it once the line is stored. */
  get text(): string {
    this.#text ??= recordText(this.stored, this.#place)
    return this.#text
  }

  /** The record in the form that queries read. */
  get searched(): SearchedRecord {
    this.#searched ??= new SearchedRecord(this.record)
    return this.#searched
  }

  get record(): JsonObject {
    // The record without ids, whose many digits would make a slow parse of every record.
    const end = this.text.indexOf(',"_account":')
    const parse = eventParser(this.#place.behaviour >= FIFTH_BEHAVIOUR)
    const record = parse(`{${this.text.slice(end + 1)}`) as JsonObject
    return Object.assign(record, JSON.parse(`${this.text.slice(0, end)}}`))
  }
}

/** A member that the service does not set may be set by the line, so only members of the service are known. */
function knownMembers(line: StoredLine): JsonObject {
  const known: JsonObject = {
    _account: line.account,
    _ts: line.timestampMs,
    _host: line.host,
    _app: line.app,
    level: line.level,
    _retention: line.retentionDays,
    _mezmo_line_size: line.sizeBytes,
  }
  if (line.tags.length > 0) known._tag = [...line.tags]
  if (line.file !== '') known._file = line.file
  if (line.env !== '') known._env = line.env
  return known
}

function recordText(line: StoredLine, place: TailedPlace): string {
  return renderRecord(rowOfLine(line, { ...place, topic: INGEST_TOPIC }))
}
