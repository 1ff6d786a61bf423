import { compileRegularExpression } from '../../engine/expressions/regular-expression.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import type { Control, Cut } from '../../schemas/log/control.ts'
import { controlType } from '../../schemas/log/control.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { ModelResult } from '../support/aggregate-model.ts'
import { droppedEntirely, type InForce, judge, type SeenLine } from '../support/rules-model.ts'
import { ThrottleModel } from '../support/throttle-model.ts'
import { CostModel } from './cost-model.ts'
import { CountsModel, type NodeCounts } from './counts-model.ts'
import type { ModelLine } from './model-line.ts'
import { DEAR_EXPRESSION, DOOR, type Recipe, SWEPT_FIELDS, type ThrottleRule } from './recipe.ts'
import { COUNTED, limitId, METER, stepId, windowsId } from './remembering-step.ts'
import { RepeatsModel } from './repeats-model.ts'
import { metricOf, newStepModel, type StepModel, TagLimitModel, WindowsModel } from './step-model.ts'

/**
 * Meaning of a partition's log, by rules that were written a second time without the engine. The rules cover repeats, the
 * revision that handles a line, the effects of filters and throttles, the stored lines, and the counts of nodes.
 */

const SLICE_MS = 1_000
/** Retention of an account until the partition has read its cut. */
const DEFAULT_RETENTION_DAYS = 30

/** First behaviour in which work that grows with the options of a node is part of that cost. */
const OPTIONS_BEHAVIOUR = 9
/** Cost of a field that a node looks for. */
const FIELD_UNITS = 8
/** Only its cost is used. */
const LOOKING = compileRegularExpression(DEAR_EXPRESSION, { ignoreCase: true })

const NO_RULES: InForce = { rules: undefined, quota: undefined }

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
  /** A pipeline that is not paused, or whose pause drops events, has a source of its route. */
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
  readonly drops?: boolean
}

interface DeployedRecipe {
  /** Title of the revision. */
  readonly title: string
  readonly recipe: Recipe
  readonly isPaused: boolean
  /** Its pause drops lines, so the default graph does not get them. */
  readonly drops: boolean
  readonly revision: number
  readonly throttle: { readonly model: ThrottleModel; readonly state: string } | undefined
  /** Memories by id of the node. */
  readonly steps: ReadonlyMap<string, StepModel>
  readonly windows: WindowsModel | undefined
  readonly limit: TagLimitModel | undefined
}

export class LogModel {
  readonly #recipes: ReadonlyMap<string, Recipe>
  readonly #held: ReadonlySet<string>
  readonly #lines: ModelLine[] = []
  readonly #pushed: PushedEvents[] = []
  readonly #errors = new Map<string, number>()
  readonly #stored: ModelLine[] = []
  readonly #throttled: ThrottleEvent[] = []
  readonly #counts = new CountsModel()
  readonly #versions = new Map<string, number>()
  readonly #deployed = new Map<string, Map<string, DeployedRecipe>>()
  readonly #repeats = new RepeatsModel()
  readonly #retention = new Map<string, number>()
  readonly #inForce = new Map<string, InForce>()
  /** Witnesses of the lost records whose places are being read. */
  readonly #witnessed: WitnessedPart[] = []
  readonly #costs = new CostModel()
  #timeMs = 0
  /** Offset of the present record. */
  #offset = 0n
  /** Behaviour in force: the highest that a control record has named so far. */
  #behaviour = 1
  #states = 0

  /**
   * @param recipes by the id of the revision, which the world writes into a document as its title
   * @param held deployments that hold events back, by `<pipeline> <number>`: those that were accepted are handled all the same
   */
  constructor(recipes: ReadonlyMap<string, Recipe>, held: ReadonlySet<string> = new Set()) {
    this.#recipes = recipes
    this.#held = held
  }

  read(records: readonly LogRecord[]): Meaning {
    for (const record of records) this.#readRecord(record)
    return {
      lines: this.#lines,
      pushed: this.#pushed,
      stored: this.#stored,
      throttled: this.#throttled,
      nodes: this.#counts.nodes,
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
    this.#offset = record.offset
    this.#emitDue()
    for (const { producers = [], cuts = [] } of witnessed) {
      for (const producer of producers) this.#repeats.noteProducer(producer)
      for (const cut of cuts) this.#cut(cut)
    }
    if (control === undefined) {
      if (this.#repeats.isNewRecord(record, this.#timeMs)) this.#readBatch(record)
    } else if (loss === undefined && 'weir.Cut' in control.body) {
      this.#cut(control.body['weir.Cut'])
    }
    // A pipeline that goes on after a pause ends what became due meanwhile.
    if (control !== undefined) this.#emitDue()
    if (control !== undefined || isNewSlice) this.#timePasses()
  }

  #timePasses(): void {
    for (const pipelines of this.#deployed.values())
      for (const { throttle } of pipelines.values()) throttle?.model.timePasses(this.#timeMs)
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
      for (const [account, pipelines] of this.#deployed) {
        const ended = pipelines.get(entity)
        if (ended !== undefined) {
          this.#endSteps(`${account} ${entity}`, ended, new Set())
          this.#endWindows(`${account} ${entity}`, ended)
        }
        pipelines.delete(entity)
      }
      return
    }
    const { accountId, title, revision, paused, drops } = JSON.parse(payload) as PipelinePayload
    const published = this.#recipes.get(title)
    if (published === undefined) throw new Error(`nobody published ${title}`)
    const pipelines = this.#deployed.get(accountId) ?? new Map<string, DeployedRecipe>()
    const before = pipelines.get(entity)
    // A revision that returns after another one starts new counts: it does not know the state that the other dropped.
    const recipe = before?.title === title ? before.recipe : structuredClone(published)
    const throttle = this.#throttleOf(recipe, before)
    const steps = stepsOf(recipe, before)
    const pipeline = `${accountId} ${entity}`
    if (before !== undefined) this.#endSteps(pipeline, before, new Set(steps.keys()))
    const windows = this.#windowsOf(recipe, before, pipeline)
    const limit = limitOf(recipe, before)
    const isPaused = paused === true && !this.#held.has(`${entity} ${version}`)
    pipelines.set(entity, {
      ...{ title, recipe, isPaused, drops: isPaused && drops === true, revision },
      ...{ throttle, steps, windows, limit },
    })
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

  /** Windows stay open while their node stays. */
  #windowsOf(
    { windows }: Recipe,
    before: DeployedRecipe | undefined,
    pipeline: string,
  ): DeployedRecipe['windows'] {
    const old = before?.recipe.windows
    if (windows !== undefined && old !== undefined && windowsId(windows) === windowsId(old))
      return before?.windows
    if (before !== undefined) this.#endWindows(pipeline, before)
    return windows && new WindowsModel(windows)
  }

  #emitDue(): void {
    for (const [account, pipelines] of this.#deployed)
      for (const [id, deployed] of pipelines) {
        if (deployed.isPaused) continue
        for (const [step, model] of deployed.steps)
          this.#leaveOut(`${account} ${id} ${step}`, model.endWaiting(this.#timeMs))
        this.#emit(`${account} ${id}`, deployed, deployed.windows?.emitDue(this.#timeMs))
      }
  }

  /** Leaves out the held lines of steps that do not stay. */
  #endSteps(pipeline: string, { steps }: DeployedRecipe, staying: ReadonlySet<string>): void {
    for (const [id, step] of steps)
      if (!staying.has(id)) this.#leaveOut(`${pipeline} ${id}`, step.endWaiting(Number.POSITIVE_INFINITY))
  }

  /** Counts traces whose root did not come in time. */
  #leaveOut(node: string, traces: ReturnType<StepModel['endWaiting']>): void {
    for (const trace of traces) {
      for (const line of trace) this.#counts.countOut(node, line as ModelLine, false)
      this.#noteError(`${node} E_TRACE_NO_ROOT`)
    }
  }

  #endWindows(pipeline: string, deployed: DeployedRecipe): void {
    this.#emit(pipeline, deployed, deployed.windows?.end(this.#timeMs))
  }

  /** Stores the lines that windows make. */
  #emit(
    pipeline: string,
    { recipe: { windows }, revision }: DeployedRecipe,
    results: readonly ModelResult[] = [],
  ): void {
    if (windows === undefined) return
    const account = pipeline.split(' ', 1)[0] as string
    const counts = this.#counts.countsOf(`${pipeline} ${windowsId(windows)}`)
    for (const { message, metadata } of results) {
      const { value, tags } = message as ReturnType<typeof metricOf>
      const { start_timestamp: startMs } = metadata.aggregate as { start_timestamp: number }
      const text = `${value.value} ${startMs}`
      const eventBytes = Buffer.byteLength(JSON.stringify(message))
      counts.eventsOut++
      counts.bytesOut += eventBytes
      const line = {
        ...this.#newLine(account, this.#offset),
        text,
        eventBytes,
        bytes: Buffer.byteLength(text + JSON.stringify(tags)),
      }
      const app = tags.level ?? ''
      this.#store(`${pipeline} count-${revision}`, [{ ...line, host: COUNTED, app, level: '' }])
    }
  }

  #countInWindows(pipeline: string, deployed: DeployedRecipe, lines: readonly ModelLine[]): void {
    const { recipe, windows, limit } = deployed
    if (recipe.windows === undefined || windows === undefined) return
    const meter = this.#counts.countsOf(`${pipeline} ${METER}`)
    for (const line of lines) {
      const bytes = metricBytes(line.level)
      meter.eventsIn++
      meter.bytesIn += line.eventBytes
      meter.eventsOut++
      meter.bytesOut += bytes
      const level = limit === undefined ? line.level : limit.take(line.level)
      if (recipe.windows.limit !== undefined)
        this.#countLimited(`${pipeline} ${limitId(recipe.windows.limit)}`, bytes, level)
      if (level === null) continue
      const counts = this.#counts.countsOf(`${pipeline} ${windowsId(recipe.windows)}`)
      counts.eventsIn++
      counts.bytesIn += metricBytes(level)
      this.#emit(pipeline, deployed, windows.take(level, this.#timeMs))
    }
  }

  /** @param level with which a metric leaves the limit; null: it is dropped */
  #countLimited(node: string, bytes: number, level: string | undefined | null): void {
    const counts = this.#counts.countsOf(node)
    counts.eventsIn++
    counts.bytesIn += bytes
    if (level === null) {
      counts.dropped++
      counts.droppedBytes += bytes
    } else {
      counts.eventsOut++
      counts.bytesOut += metricBytes(level)
    }
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
    this.#costs.beginRecord(Buffer.byteLength(texts.join('')))
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
    const isRead = this.#readersOf(account, true).some(([, { isPaused, drops }]) => !isPaused || drops)
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
      if (this.#repeats.isNewRequest(batch.account, request, this.#timeMs)) {
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
    this.#costs.beginRecord(lines.reduce((sum, { bytes }) => sum + bytes, 0))
    this.#run(
      batch.account,
      lines.filter(line => this.#goesOn(line)),
    )
  }

  #goesOn(line: ModelLine): boolean {
    const by = droppedEntirely(seen(line), this.#inForceOf(line.account))
    return by === undefined || this.#counts.count(`${line.account}  ${by}`, line, false)
  }

  /** @param gatewayRoute undefined: of log ingestion */
  #run(account: string, lines: readonly ModelLine[], gatewayRoute?: string): void {
    const isPushed = gatewayRoute !== undefined
    const pipelines = this.#readersOf(account, isPushed)
    const running = pipelines.filter(([, { isPaused }]) => !isPaused)
    for (const [id, { isPaused }] of pipelines)
      if (isPaused) for (const line of lines) this.#counts.count(`${account} ${id} paused`, line, false)
    const isTaken = pipelines.some(([, { isPaused, drops }]) => !isPaused || drops)
    if (!isTaken && !isPushed) this.#store(`${account}  own-store`, lines)
    if (pipelines.length === 0 && isPushed)
      for (const line of lines) this.#counts.count(`${account}  gateway-route-${gatewayRoute}`, line, false)
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
      if (this.#affords(line, LOOKING.boundFor(line.text)))
        return this.#counts.count(`${pipeline} look`, line, true)
      this.#noteError(`${pipeline} look E_EXPRESSION_COST`)
      return this.#counts.countFailed(`${pipeline} look`, line)
    }
    const sweep = (line: ModelLine) => {
      if (recipe.looks !== true) return true
      if (this.#behaviour < OPTIONS_BEHAVIOUR || this.#affords(line, SWEPT_FIELDS * FIELD_UNITS))
        return this.#counts.count(`${pipeline} sweep`, line, true)
      this.#noteError(`${pipeline} sweep E_EXPRESSION_COST`)
      return this.#counts.countFailed(`${pipeline} sweep`, line)
    }
    const filter = (line: ModelLine) =>
      dropLevel === undefined || this.#counts.count(`${pipeline} filter`, line, line.level !== dropLevel)
    const limit = (line: ModelLine) => {
      if (rule === undefined || throttle === undefined) return true
      if (line.level === rule.excludeLevel) return this.#counts.count(`${pipeline} limit`, line, true)
      throttle.model.timePasses(this.#timeMs)
      const bucket = rule.isKeyed ? line.app : ''
      const passed = this.#counts.count(`${pipeline} limit`, line, throttle.model.lets(bucket))
      this.#throttled.push({ state: throttle.state, bucket, rule, line, passed })
      return passed
    }
    const edges = recipe.windows === undefined ? 1 : 2
    const last = recipe.encrypts === true ? undefined : [...deployed.steps.keys()].at(-1)
    const steps = recipe.filterFirst ? [filter, limit] : [limit, filter]
    this.#counts.countAll(`${pipeline} ${source}`, lines, recipe.storesTwice ? 2 : 1)
    // A node has all lines of a record before the next one has any.
    let left = lines
      .filter(sweep)
      .filter(look)
      .filter(line => steps.every(step => step(line)))
    for (const [id, step] of deployed.steps)
      left = this.#runStep(`${pipeline} ${id}`, step, left, id === last ? edges : 1)
    if (recipe.encrypts === true) this.#counts.countAll(`${pipeline} encrypt`, left, edges)
    this.#countInWindows(pipeline, deployed, left)
    this.#store(`${pipeline} store-${revision}`, left)
    if (recipe.storesTwice) this.#store(`${pipeline} again-${revision}`, lines)
  }

  /** @returns lines that the step gives, among them those that it held */
  #runStep(node: string, step: StepModel, lines: readonly ModelLine[], edges: number): ModelLine[] {
    const given: ModelLine[] = []
    for (const line of lines) {
      this.#counts.countIn(node, line)
      for (const { line: judged, passed } of step.take(line, this.#timeMs)) {
        this.#counts.countOut(node, judged, passed, edges)
        if (passed) given.push({ ...judged, ...this.#newLine(judged.account, this.#offset) })
      }
    }
    return given
  }

  #affords(line: ModelLine, units: number): boolean {
    return this.#costs.affords(line, units, { behaviour: this.#behaviour, timeMs: this.#timeMs })
  }

  #store(node: string, lines: readonly ModelLine[]): void {
    for (const line of lines) {
      const judgement = judge(seen(line), this.#inForceOf(line.account))
      if ('excludedBy' in judgement) {
        this.#counts.count(node, line, false)
        this.#counts.count(`${line.account}  ${judgement.excludedBy}`, line, false)
        continue
      }
      this.#counts.count(node, line, true)
      const { poolDays = line.retentionDays } = judgement
      const retentionDays = this.#behaviour < 5 ? Math.min(line.retentionDays, poolDays) : poolDays
      this.#stored.push({ ...line, retentionDays })
    }
  }

  #inForceOf(account: string): InForce {
    return this.#inForce.get(account) ?? NO_RULES
  }
}

/** Memories of the steps, those of nodes that stay from the revision before. */
function stepsOf({ steps = [] }: Recipe, before: DeployedRecipe | undefined): Map<string, StepModel> {
  return new Map(
    steps.map(step => {
      const model = before?.steps.get(stepId(step)) ?? newStepModel(step)
      model.change(step)
      return [stepId(step), model]
    }),
  )
}

/** Values of tags, those of a limit that stays from the revision before. */
function limitOf({ windows }: Recipe, before: DeployedRecipe | undefined): TagLimitModel | undefined {
  const limit = windows?.limit
  const old = before?.recipe.windows?.limit
  if (limit !== undefined && old !== undefined && limitId(limit) === limitId(old)) return before?.limit
  return limit && new TagLimitModel(limit)
}

/** Size of the metric of a line. */
function metricBytes(level: string | undefined): number {
  return Buffer.byteLength(JSON.stringify(metricOf(level)))
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
