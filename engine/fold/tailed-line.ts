import type { JsonObject } from '../../schemas/json.ts'
import { FIFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { Event } from '../event/event.ts'
import { eventParser } from '../json/exact-json.ts'
import type { LineBatchView } from '../lines/line-batch-view.ts'
import { storedApp } from '../lines/line-draft.ts'
import { FieldNames } from '../lines/line-fields.ts'
import { type LinePlace, renderRecord, rowOfLine } from '../lines/line-record.ts'
import type { StoredLine } from '../lines/stored-line.ts'
import { hostAsSent } from '../nodes/destinations/log-analysis/ingested-line.ts'
import { defaultOwnStore, newStoredLine } from '../nodes/destinations/log-analysis/own-store.ts'
import { SearchedRecord } from '../query-language/evaluate.ts'

/** Where a line of the topic `weir.ingest` is, and how long it is kept. */
export interface TailedPlace extends Omit<LinePlace, 'topic'> {
  /** Log time of its record, UNIX ms. */
  readonly timeMs: number
  readonly retentionDays: number
  /** Behaviour number that the line is made by. */
  readonly behaviour: number
}

/** One after another, lines as the default graph would store them. */
export class LineStand {
  readonly #sink = defaultOwnStore()
  readonly #stored = newStoredLine()
  /** Names are counted for the columns of the store: records have all fields. */
  readonly #fieldNames = new FieldNames()

  /** The line before is not to be looked at any more. */
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
 * A line as those see it who watch lines arrive. What somebody needs of it is made then, once for all of them: most
 * lines are told from what was asked for by their host, app or level alone.
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

  /** As the own store gets it. */
  get stored(): StoredLine {
    this.#stored ??= this.#fill()
    return this.#stored
  }

  /** Members of the record that are known without making it. A line cannot set these itself. */
  get known(): JsonObject {
    this.#known ??= knownMembers(this.stored)
    return this.#known
  }

  /** The record as text: what an export gives once the line is stored. */
  get text(): string {
    this.#text ??= recordText(this.stored, this.#place)
    return this.#text
  }

  /** The record as queries look at it. */
  get searched(): SearchedRecord {
    this.#searched ??= new SearchedRecord(this.record)
    return this.#searched
  }

  get record(): JsonObject {
    // Without the ids, whose many digits would make a slow parse of every record.
    const end = this.text.indexOf(',"_account":')
    const parse = eventParser(this.#place.behaviour >= FIFTH_BEHAVIOUR)
    const record = parse(`{${this.text.slice(end + 1)}`) as JsonObject
    return Object.assign(record, JSON.parse(`${this.text.slice(0, end)}}`))
  }
}

/** A member that the service does not know may be one that the line says: only those that it knows are known. */
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
