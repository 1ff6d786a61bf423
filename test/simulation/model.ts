import { compileRegularExpression } from '../../engine/expressions/regular-expression.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import type { Control, Cut } from '../../schemas/log/control.ts'
import { controlType } from '../../schemas/log/control.ts'
import { type IngestRequest, lineBatchType } from '../../schemas/log/line-batch.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { droppedEntirely, type InForce, judge, type SeenLine } from '../support/rules-model.ts'
import { ThrottleModel } from '../support/throttle-model.ts'
import { DEAR_EXPRESSION, DOOR, type Recipe, SWEPT_FIELDS, type ThrottleRule } from './recipe.ts'

/**
 * Meaning of a partition's log, by rules that were written a second time without the engine. The rules cover repeats, the
 * revision that handles a line, the effects of filters and throttles, the stored lines, and the counts of nodes.
 */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SLICE_MS = 1_000
const STREAM_WINDOW = 64
/** Retention of an account until the partition has read its cut. */
const DEFAULT_RETENTION_DAYS = 30

/** Free cost of an event; the part that a record's bytes pay for; the shared part of an account; and the saved units. */
const FREE_UNITS = 230_000
const FREE_UNITS_PER_BYTE = 64
const SHARED_UNITS_PER_MS = 20_000
const MAX_SHARED_UNITS = 40_000_000
const UNITS_PER_MS = 4_000
const MAX_SAVED_UNITS = 8_000_000
/** First behaviour in which events fail because of their cost. */
const COUNTING_BEHAVIOUR = 5
/** First behaviour in which work that grows with the options of a node is part of that cost. */
const OPTIONS_BEHAVIOUR = 9
/** First behaviour in which saved units pay for all work of an event that fails, and for no other. */
const FAILURES_BEHAVIOUR = 10
/** Most that an account can owe for such work. */
const MAX_OWED_UNITS = 8_000_000
/** Cost of a field that a node looks for. */
const FIELD_UNITS = 8
/** Only its cost is used. */
const LOOKING = compileRegularExpression(DEAR_EXPRESSION, { ignoreCase: true })

const NO_RULES: InForce = { rules: undefined, quota: undefined }

export interface ModelLine {
  readonly account: string
  readonly offset: bigint
  readonly timeMs: number
  readonly text: string
  readonly app: string
  readonly level: string
  /** Host as stored. */
  readonly host: string
  /** Size of the text; these lines have no other bytes. */
  readonly bytes: number
  /** Size as counted by nodes: that of the pushed message, otherwise of the text. */
  readonly eventBytes: number
  /** Days that its account's lines are kept. */
  readonly retentionDays: number
}

interface PushedMessage {
  readonly line: string
  readonly app?: string
  readonly level: string
  readonly host: string
}

/** Result of a line at one throttle, for the brute-force check of its guarantees. */
export interface ThrottleEvent {
  /** Names the node's state. It changes when the state was empty in between. */
  readonly state: string
  readonly bucket: string
  readonly rule: ThrottleRule
  readonly line: ModelLine
  readonly passed: boolean
}

/** Counts of a node, in events and bytes. Nodes of these pipelines create no events. */
export interface NodeCounts {
  eventsIn: number
  bytesIn: number
  /** Once for each edge that an event left by. */
  eventsOut: number
  bytesOut: number
  dropped: number
  droppedBytes: number
  failed: number
}

/** Events that one push attempt has put on the log. */
export interface PushedEvents {
  readonly account: string
  /** Name of the request in its events. */
  readonly request: string
  readonly attempt: number
  readonly offset: bigint
  readonly lines: readonly ModelLine[]
  /** Number of the deployment that it met of each pipeline. */
  readonly met: ReadonlyMap<string, number>
  /** A pipeline that is not paused has a source of its route. */
  readonly isRead: boolean
}

export interface Meaning {
  /** Lines that are not repeats, in log order. */
  readonly lines: readonly ModelLine[]
  /** Pushed events in log order. */
  readonly pushed: readonly PushedEvents[]
  /** Stored lines per record, in the order of storing; a line may occur twice. */
  readonly stored: readonly ModelLine[]
  readonly throttled: readonly ThrottleEvent[]
  /** Counts by "account pipeline node". */
  readonly nodes: ReadonlyMap<string, NodeCounts>
  /** Number of refusals for a source, or of failures, by "account pipeline node code". */
  readonly errors: ReadonlyMap<string, number>
}

/** Content of an accepted loss, which replaces the lost records. */
export interface AcceptedLoss {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly witnessed?: WitnessedPart
}

interface WitnessedPart {
  readonly timeMs?: number
  readonly producers?: readonly { id: string; sequence: number; timeMs: number }[]
  readonly cuts?: readonly Cut[]
  readonly reached?: readonly string[]
}

interface PipelinePayload {
  readonly accountId: string
  readonly title: string
  readonly revision: number
  readonly paused?: boolean
}

interface DeployedRecipe {
  /** Title of the revision. */
  readonly title: string
  readonly recipe: Recipe
  readonly isPaused: boolean
  readonly revision: number
  readonly throttle: { readonly model: ThrottleModel; readonly state: string } | undefined
}

export class LogModel {
  readonly #recipes: ReadonlyMap<string, Recipe>
  readonly #lines: ModelLine[] = []
  readonly #pushed: PushedEvents[] = []
  readonly #errors = new Map<string, number>()
  readonly #stored: ModelLine[] = []
  readonly #throttled: ThrottleEvent[] = []
  readonly #nodes = new Map<string, NodeCounts>()
  readonly #versions = new Map<string, number>()
  readonly #deployed = new Map<string, Map<string, DeployedRecipe>>()
  readonly #sequences = new Map<string, { sequence: number; timeMs: number }>()
  readonly #retention = new Map<string, number>()
  readonly #inForce = new Map<string, InForce>()
  readonly #keys = new Map<string, { digest: string; timeMs: number }>()
  readonly #streams = new Map<string, { highest: number; timeMs: number; digests: Map<number, string> }>()
  /** Witnesses of the lost records whose places are being read. */
  readonly #witnessed: WitnessedPart[] = []
  /** Remaining units for expressions, with the time of the last change, by account. */
  readonly #purses = new Map<string, { shared: number; saved: number; atMs: number }>()
  /** Remaining units that the bytes of the present record pay for. */
  #paidUnits = 0
  /** Cost of the lines of the present record. */
  #spent = new Map<ModelLine, number>()
  /** Part of it that saved units paid. */
  #drawn = new Map<ModelLine, number>()
  #timeMs = 0
  /** Behaviour in force: the highest that a control record has named so far. */
  #behaviour = 1
  #states = 0

  /** @param recipes by the id of the revision, which the world writes into a document as its title */
  constructor(recipes: ReadonlyMap<string, Recipe>) {
    this.#recipes = recipes
  }

  read(records: readonly LogRecord[]): Meaning {
    for (const record of records) this.#readRecord(record)
    return {
      lines: this.#lines,
      pushed: this.#pushed,
      stored: this.#stored,
      throttled: this.#throttled,
      nodes: this.#nodes,
      errors: this.#errors,
    }
  }

  #readRecord(record: LogRecord): void {
    const isLines = schemaIdOf(record.value) === lineBatchType.id
    const control = isLines ? undefined : controlType.decode(record.value)
    this.#behaviour = Math.max(this.#behaviour, control?.behaviour ?? 1)
    const loss = isRefused(record) ? placeOf(record) : lossOf(control)
    if (loss !== undefined && record.offset < BigInt(loss.to)) {
      this.#witnessed.push({
        ...loss.witnessed,
        timeMs: Math.max(record.appendTimeMs, loss.witnessed?.timeMs ?? 0),
      })
      return
    }
    const witnessed = [...this.#witnessed.splice(0), ...(loss?.witnessed ? [loss.witnessed] : [])]
    const witnessedMs = witnessed.map(each => each.timeMs ?? 0)
    const timeMs = Math.max(this.#timeMs, record.appendTimeMs, deadlineOf(control), ...witnessedMs)
    const isNewSlice = Math.floor(timeMs / SLICE_MS) !== Math.floor(this.#timeMs / SLICE_MS)
    this.#timeMs = timeMs
    for (const { producers = [], cuts = [] } of witnessed) {
      for (const producer of producers) this.#noteProducer(producer)
      for (const cut of cuts) this.#cut(cut)
    }
    this.#spent = new Map()
    this.#drawn = new Map()
    if (control === undefined) {
      if (this.#isNewRecord(record)) this.#readBatch(record)
    } else if (loss === undefined && 'weir.Cut' in control.body) {
      this.#cut(control.body['weir.Cut'])
    }
    if (control !== undefined || isNewSlice) this.#timePasses()
  }

  #timePasses(): void {
    for (const pipelines of this.#deployed.values())
      for (const { throttle } of pipelines.values()) throttle?.model.timePasses(this.#timeMs)
  }

  #isNewRecord({ producer }: LogRecord): boolean {
    if (producer === null) return true
    const known = this.#sequences.get(producer.id)
    const isKnown = known !== undefined && this.#timeMs - known.timeMs < DAY_MS
    const sequence = isKnown ? Math.max(known.sequence, producer.sequence) : producer.sequence
    this.#sequences.set(producer.id, { sequence, timeMs: this.#timeMs })
    return !isKnown || producer.sequence > known.sequence
  }

  /** Adds a producer position known from lost records. */
  #noteProducer({ id, sequence, timeMs }: { id: string; sequence: number; timeMs: number }): void {
    const known = this.#sequences.get(id)
    this.#sequences.set(id, {
      sequence: Math.max(sequence, known?.sequence ?? 0),
      timeMs: Math.max(timeMs, known?.timeMs ?? 0),
    })
  }

  #cut({ kind, entity, version, payload }: Cut): void {
    const name = `${kind} ${entity}`
    if (version <= (this.#versions.get(name) ?? 0)) return
    this.#versions.set(name, version)
    if (kind === 'account') {
      this.#retention.set(entity, (JSON.parse(payload) as { retentionDays: number }).retentionDays)
      return
    }
    if (kind === 'line-rules' || kind === 'quota') {
      const inForce = {
        ...this.#inForceOf(entity),
        [kind === 'quota' ? 'quota' : 'rules']: JSON.parse(payload),
      }
      this.#inForce.set(entity, inForce)
      return
    }
    if (kind !== 'pipeline') return
    if (payload === '') {
      for (const pipelines of this.#deployed.values()) pipelines.delete(entity)
      return
    }
    const { accountId, title, revision, paused } = JSON.parse(payload) as PipelinePayload
    const published = this.#recipes.get(title)
    if (published === undefined) throw new Error(`nobody published ${title}`)
    const pipelines = this.#deployed.get(accountId) ?? new Map<string, DeployedRecipe>()
    const before = pipelines.get(entity)
    // A revision that returns after another one starts new counts: it does not know the state that the other dropped.
    const recipe = before?.title === title ? before.recipe : structuredClone(published)
    const throttle = this.#throttleOf(recipe, before)
    pipelines.set(entity, { title, recipe, isPaused: paused === true, revision, throttle })
    this.#deployed.set(accountId, pipelines)
  }

  /** Pass times are kept while the node stays and counts by the same key. */
  #throttleOf({ throttle: rule }: Recipe, before: DeployedRecipe | undefined): DeployedRecipe['throttle'] {
    if (rule === undefined) return undefined
    const old = before?.throttle
    if (old === undefined || before?.recipe.throttle?.isKeyed !== rule.isKeyed)
      return { model: new ThrottleModel(rule), state: String(this.#states++) }
    old.model.change(rule)
    return old
  }

  #readBatch({ offset, value }: LogRecord): void {
    const batch = LineBatchView.decode(value)
    if (batch.entrance === 'ingest') this.#readLines(batch, offset)
    else this.#readPushed(batch, offset)
  }

  /** Pushed events are never repeats, and rules on lines apply only when they are stored. */
  #readPushed(batch: LineBatchView, offset: bigint): void {
    const lines: ModelLine[] = []
    const texts = Array.from({ length: batch.count }, (_, index) => batch.lineText(index))
    this.#paidUnits = FREE_UNITS_PER_BYTE * Buffer.byteLength(texts.join(''))
    let first = 0
    for (const { hostname: metadata, lines: count } of batch.requests) {
      const indexes = Array.from({ length: count }, (_, index) => first + index)
      first += count
      for (const index of indexes) this.#noteRefusal(batch, index)
      const own = indexes
        .filter(index => batch.refusalText(index) === '')
        .map(index => this.#pushedLine(batch, index, offset))
      if (own.length > 0) this.#notePush(batch.account, offset, metadata, own)
      lines.push(...own)
    }
    this.#run(batch.account, lines, batch.entrance)
  }

  #notePush(account: string, offset: bigint, metadata: string, lines: readonly ModelLine[]): void {
    const { query } = JSON.parse(metadata) as { query: { request: string; attempt: string } }
    const met = new Map<string, number>()
    for (const [name, version] of this.#versions)
      if (name.startsWith(`pipeline ${account}-`)) met.set(name.slice('pipeline '.length), version)
    const isRead = this.#readersOf(account, true).some(([, { isPaused }]) => !isPaused)
    const { request, attempt } = query
    this.#pushed.push({ account, request, attempt: Number(attempt), offset, lines, met, isRead })
  }

  #noteRefusal(batch: LineBatchView, index: number): void {
    const text = batch.refusalText(index)
    if (text === '') return
    const { code } = JSON.parse(text) as { code: string }
    for (const [id, { isPaused }] of this.#readersOf(batch.account, true)) {
      if (isPaused) continue
      this.#noteError(`${batch.account} ${id} ${DOOR} ${code}`)
    }
  }

  #noteError(name: string): void {
    this.#errors.set(name, (this.#errors.get(name) ?? 0) + 1)
  }

  #pushedLine(batch: LineBatchView, index: number, offset: bigint): ModelLine {
    const message = batch.lineText(index)
    const { line: text, app = '', level, host } = JSON.parse(message) as PushedMessage
    const { account } = batch
    const eventBytes = Buffer.byteLength(message)
    return {
      ...this.#newLine(account, offset),
      text,
      app,
      level,
      host,
      bytes: Buffer.byteLength(text),
      eventBytes,
    }
  }

  #newLine(
    account: string,
    offset: bigint,
  ): Pick<ModelLine, 'account' | 'offset' | 'timeMs' | 'retentionDays'> {
    const retentionDays = this.#retention.get(account) ?? DEFAULT_RETENTION_DAYS
    return { account, offset, timeMs: this.#timeMs, retentionDays }
  }

  #readLines(batch: LineBatchView, offset: bigint): void {
    const lines: ModelLine[] = []
    let first = 0
    for (const request of batch.requests) {
      const end = first + request.lines
      if (this.#isNewRequest(batch.account, request)) {
        for (let index = first; index < end; index++) {
          const text = batch.lineText(index)
          const bytes = Buffer.byteLength(text)
          lines.push({
            ...this.#newLine(batch.account, offset),
            text,
            bytes,
            eventBytes: bytes,
            host: hostOf(text),
            app: batch.app(index),
            level: batch.level(index),
          })
        }
      }
      first = end
    }
    this.#lines.push(...lines)
    this.#paidUnits = lines.reduce((units, { bytes }) => units + FREE_UNITS_PER_BYTE * bytes, 0)
    this.#run(
      batch.account,
      lines.filter(line => this.#goesOn(line)),
    )
  }

  #goesOn(line: ModelLine): boolean {
    const by = droppedEntirely(seen(line), this.#inForceOf(line.account))
    return by === undefined || this.#count(`${line.account}  ${by}`, line, false)
  }

  #isNewRequest(account: string, { idempotency }: IngestRequest): boolean {
    if (idempotency === null) return true
    const digest = idempotency.digest.toString('hex')
    const [stream, number] = idempotency.key.split('/')
    if (number !== undefined) return this.#isNewNumber(`${account} ${stream}`, Number(number), digest)
    const name = `${account} ${idempotency.key}`
    const known = this.#keys.get(name)
    if (known === undefined || this.#timeMs - known.timeMs >= DAY_MS) {
      this.#keys.set(name, { digest, timeMs: this.#timeMs })
      return true
    }
    return known.digest !== digest
  }

  #isNewNumber(name: string, number: number, digest: string): boolean {
    const old = this.#streams.get(name)
    const isKnown = old !== undefined && this.#timeMs - old.timeMs < 30 * DAY_MS
    const stream = isKnown ? old : { highest: number, timeMs: 0, digests: new Map<number, string>() }
    this.#streams.set(name, stream)
    stream.timeMs = this.#timeMs
    if (number <= stream.highest - STREAM_WINDOW) return true
    const seen = stream.digests.get(number)
    if (seen === undefined) stream.digests.set(number, digest)
    stream.highest = Math.max(stream.highest, number)
    return seen !== digest
  }

  /** @param gatewayRoute undefined: of log ingestion */
  #run(account: string, lines: readonly ModelLine[], gatewayRoute?: string): void {
    const isPushed = gatewayRoute !== undefined
    const pipelines = this.#readersOf(account, isPushed)
    const running = pipelines.filter(([, { isPaused }]) => !isPaused)
    for (const [id, { isPaused }] of pipelines)
      if (isPaused) for (const line of lines) this.#count(`${account} ${id} paused`, line, false)
    if (running.length === 0 && !isPushed) this.#store(`${account}  own-store`, lines)
    if (pipelines.length === 0 && isPushed)
      for (const line of lines) this.#count(`${account}  gateway-route-${gatewayRoute}`, line, false)
    for (const [id, deployed] of running)
      this.#runRecipe(`${account} ${id}`, isPushed ? DOOR : 'source', deployed, lines)
  }

  /** Pipelines with such a source, paused or not. */
  #readersOf(account: string, isPushed: boolean): [id: string, deployed: DeployedRecipe][] {
    const readers = [...(this.#deployed.get(account) ?? [])].filter(
      ([, { recipe }]) => recipe.reads !== (isPushed ? 'lines' : 'route'),
    )
    return readers.sort(([a], [b]) => (a < b ? -1 : 1))
  }

  #runRecipe(pipeline: string, source: string, deployed: DeployedRecipe, lines: readonly ModelLine[]): void {
    const { recipe, revision, throttle } = deployed
    const { dropLevel, throttle: rule } = recipe
    const look = (line: ModelLine) => {
      if (recipe.looks !== true) return true
      if (this.#affords(line, LOOKING.boundFor(line.text))) return this.#count(`${pipeline} look`, line, true)
      this.#noteError(`${pipeline} look E_EXPRESSION_COST`)
      return this.#countFailed(`${pipeline} look`, line)
    }
    const sweep = (line: ModelLine) => {
      if (recipe.looks !== true) return true
      if (this.#behaviour < OPTIONS_BEHAVIOUR || this.#affords(line, SWEPT_FIELDS * FIELD_UNITS))
        return this.#count(`${pipeline} sweep`, line, true)
      this.#noteError(`${pipeline} sweep E_EXPRESSION_COST`)
      return this.#countFailed(`${pipeline} sweep`, line)
    }
    const filter = (line: ModelLine) =>
      dropLevel === undefined || this.#count(`${pipeline} filter`, line, line.level !== dropLevel)
    const limit = (line: ModelLine) => {
      if (rule === undefined || throttle === undefined) return true
      if (line.level === rule.excludeLevel) return this.#count(`${pipeline} limit`, line, true)
      throttle.model.timePasses(this.#timeMs)
      const bucket = rule.isKeyed ? line.app : ''
      const passed = this.#count(`${pipeline} limit`, line, throttle.model.lets(bucket))
      this.#throttled.push({ state: throttle.state, bucket, rule, line, passed })
      return passed
    }
    const steps = recipe.filterFirst ? [filter, limit] : [limit, filter]
    this.#countAll(`${pipeline} ${source}`, lines, recipe.storesTwice ? 2 : 1)
    // A node has all lines of a record before the next one has any.
    const left = lines
      .filter(sweep)
      .filter(look)
      .filter(line => steps.every(step => step(line)))
    this.#store(`${pipeline} store-${revision}`, left)
    if (recipe.storesTwice) this.#store(`${pipeline} again-${revision}`, lines)
  }

  /**
   * Whether a line can pay a cost. If not, saved units pay for its earlier work. Before the behaviour that brings this it is charged with
   * the remaining units.
   */
  #affords(line: ModelLine, units: number): boolean {
    if (this.#behaviour < COUNTING_BEHAVIOUR) return true
    const full = { shared: MAX_SHARED_UNITS, saved: MAX_SAVED_UNITS, atMs: this.#timeMs }
    const purse = this.#purses.get(line.account) ?? full
    this.#purses.set(line.account, purse)
    const passedMs = this.#timeMs - purse.atMs
    purse.shared = Math.min(MAX_SHARED_UNITS, purse.shared + passedMs * SHARED_UNITS_PER_MS)
    purse.saved = Math.min(MAX_SAVED_UNITS, purse.saved + passedMs * UNITS_PER_MS)
    purse.atMs = this.#timeMs
    const before = this.#spent.get(line) ?? 0
    const free = Math.min(Math.max(0, FREE_UNITS - before), this.#paidUnits + purse.shared)
    const left = free + Math.max(0, purse.saved)
    const drawn = this.#drawn.get(line) ?? 0
    if (units > left && this.#behaviour >= FAILURES_BEHAVIOUR) {
      purse.saved = Math.max(-MAX_OWED_UNITS, purse.saved - (before - drawn))
      this.#drawn.set(line, before)
      return false
    }
    const cost = Math.min(units, left)
    const takenFree = Math.min(cost, free)
    purse.shared -= Math.max(0, takenFree - this.#paidUnits)
    this.#paidUnits = Math.max(0, this.#paidUnits - takenFree)
    purse.saved -= cost - takenFree
    this.#spent.set(line, before + cost)
    this.#drawn.set(line, drawn + cost - takenFree)
    return cost === units
  }

  #countFailed(node: string, { eventBytes }: ModelLine): false {
    const counts = this.#countsOf(node)
    counts.eventsIn++
    counts.bytesIn += eventBytes
    counts.failed++
    return false
  }

  #store(node: string, lines: readonly ModelLine[]): void {
    for (const line of lines) {
      const judgement = judge(seen(line), this.#inForceOf(line.account))
      if ('excludedBy' in judgement) {
        this.#count(node, line, false)
        this.#count(`${line.account}  ${judgement.excludedBy}`, line, false)
        continue
      }
      this.#count(node, line, true)
      const { poolDays = line.retentionDays } = judgement
      const retentionDays = this.#behaviour < 5 ? Math.min(line.retentionDays, poolDays) : poolDays
      this.#stored.push({ ...line, retentionDays })
    }
  }

  #inForceOf(account: string): InForce {
    return this.#inForce.get(account) ?? NO_RULES
  }

  #countAll(node: string, lines: readonly ModelLine[], edges = 1): void {
    for (const line of lines) this.#count(node, line, true, edges)
  }

  #count(node: string, { eventBytes: bytes }: ModelLine, passed: boolean, edges = 1): boolean {
    const counts = this.#countsOf(node)
    counts.eventsIn++
    counts.bytesIn += bytes
    if (passed) {
      counts.eventsOut += edges
      counts.bytesOut += bytes * edges
    } else {
      counts.dropped++
      counts.droppedBytes += bytes
    }
    return passed
  }

  #countsOf(node: string): NodeCounts {
    let counts = this.#nodes.get(node)
    if (counts === undefined) {
      counts = { eventsIn: 0, bytesIn: 0, eventsOut: 0, bytesOut: 0, dropped: 0, droppedBytes: 0, failed: 0 }
      this.#nodes.set(node, counts)
    }
    return counts
  }
}

/** The line as stored. */
function seen({ timeMs, app, host, level, text }: ModelLine): SeenLine {
  return { timeMs, app: app || 'unknown', host, level, text }
}

/** The first number of a text is that of its sender. */
function hostOf(text: string): string {
  return `host-${/\d+/.exec(text)?.[0]}`
}

/** Whether the record landed below the end that its writer knew: it was not taken, and has no effect. */
export function isRefused({ offset, knownEnd }: LogRecord): boolean {
  return knownEnd !== undefined && offset < knownEnd
}

export function placeOf({ offset }: LogRecord): AcceptedLoss {
  return { from: Number(offset), to: Number(offset) + 1 }
}

export function lossOf(control: Control | undefined): AcceptedLoss | undefined {
  if (control === undefined || !('weir.Cut' in control.body)) return undefined
  const { kind, payload } = control.body['weir.Cut']
  return kind === 'loss' ? (JSON.parse(payload) as AcceptedLoss) : undefined
}

function deadlineOf(control: Control | undefined): number {
  return control !== undefined && 'weir.Tick' in control.body ? control.body['weir.Tick'].deadlineMs : 0
}
