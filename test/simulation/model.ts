import type { LogRecord } from '../../engine/log/log.ts'
import type { Control, Cut } from '../../schemas/control.ts'
import { controlType } from '../../schemas/control.ts'
import { type IngestRequest, LineBatchView, lineBatchType } from '../../schemas/line-batch.ts'
import { schemaIdOf } from '../../schemas/wire-format.ts'
import { droppedEntirely, type InForce, judge, type SeenLine } from '../support/rules-model.ts'
import { ThrottleModel } from '../support/throttle-model.ts'
import type { Recipe, ThrottleRule } from './recipe.ts'

/**
 * What a partition's log means, by rules written down a second time, without the engine: what of it is a repeat,
 * which revision a line meets, what a filter and a throttle do with it, what is stored and what nodes count.
 */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SLICE_MS = 1_000
const STREAM_WINDOW = 64
/** Of an account of which the partition has not been told yet. */
const DEFAULT_RETENTION_DAYS = 30

const NO_RULES: InForce = { rules: undefined, quota: undefined }

export interface ModelLine {
  readonly account: string
  readonly offset: bigint
  readonly timeMs: number
  readonly text: string
  readonly app: string
  readonly level: string
  /** Of the text, which are all bytes that these lines have. */
  readonly bytes: number
  /** Days that its account's lines are kept. */
  readonly retentionDays: number
}

/** What became of a line at one throttle, for the brute-force check of its guarantees. */
export interface ThrottleEvent {
  /** Names the node's state: another one after it was empty once more. */
  readonly state: string
  readonly bucket: string
  readonly rule: ThrottleRule
  readonly line: ModelLine
  readonly passed: boolean
}

/** What a node counts, in events and in bytes. Nodes of these pipelines neither make events nor fail. */
export interface NodeCounts {
  eventsIn: number
  bytesIn: number
  /** Once for each edge that an event left by. */
  eventsOut: number
  bytesOut: number
  dropped: number
  droppedBytes: number
}

export interface Meaning {
  /** Lines that are no repeats, in the order of the log. */
  readonly lines: readonly ModelLine[]
  /** What is stored, per record in the order in which it is stored; a line may be there twice. */
  readonly stored: readonly ModelLine[]
  readonly throttled: readonly ThrottleEvent[]
  /** By "account pipeline node". */
  readonly nodes: ReadonlyMap<string, NodeCounts>
}

interface DeployedRecipe {
  readonly recipe: Recipe
  readonly revision: number
  readonly throttle: { readonly model: ThrottleModel; readonly state: string } | undefined
}

export class LogModel {
  readonly #recipes: ReadonlyMap<string, Recipe>
  readonly #lines: ModelLine[] = []
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
  #timeMs = 0
  #states = 0

  /** @param recipes by the id of the revision, which the world writes into a document as its title */
  constructor(recipes: ReadonlyMap<string, Recipe>) {
    this.#recipes = recipes
  }

  read(records: readonly LogRecord[]): Meaning {
    for (const record of records) this.#readRecord(record)
    return { lines: this.#lines, stored: this.#stored, throttled: this.#throttled, nodes: this.#nodes }
  }

  #readRecord(record: LogRecord): void {
    const isLines = schemaIdOf(record.value) === lineBatchType.id
    const control = isLines ? undefined : controlType.decode(record.value)
    const timeMs = Math.max(this.#timeMs, record.appendTimeMs, deadlineOf(control))
    const isNewSlice = Math.floor(timeMs / SLICE_MS) !== Math.floor(this.#timeMs / SLICE_MS)
    this.#timeMs = timeMs
    if (control === undefined) {
      if (this.#isNewRecord(record)) this.#readLines(record)
    } else if ('weir.Cut' in control.body) {
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
    const { accountId, title } = JSON.parse(payload) as { accountId: string; title: string }
    const recipe = this.#recipes.get(title)
    if (recipe === undefined) throw new Error(`nobody published ${title}`)
    const pipelines = this.#deployed.get(accountId) ?? new Map<string, DeployedRecipe>()
    const throttle = this.#throttleOf(recipe, pipelines.get(entity))
    pipelines.set(entity, { recipe, revision: version, throttle })
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

  #readLines({ offset, value }: LogRecord): void {
    const batch = LineBatchView.decode(value)
    const lines: ModelLine[] = []
    let first = 0
    for (const request of batch.requests) {
      const end = first + request.lines
      if (this.#isNewRequest(batch.account, request)) {
        for (let index = first; index < end; index++) {
          const text = batch.lineText(index)
          lines.push({
            account: batch.account,
            offset,
            timeMs: this.#timeMs,
            text,
            bytes: Buffer.byteLength(text),
            app: batch.app(index),
            level: batch.level(index),
            retentionDays: this.#retention.get(batch.account) ?? DEFAULT_RETENTION_DAYS,
          })
        }
      }
      first = end
    }
    this.#lines.push(...lines)
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

  #run(account: string, lines: readonly ModelLine[]): void {
    const pipelines = [...(this.#deployed.get(account) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
    if (pipelines.length === 0) this.#store(`${account}  own-store`, lines)
    for (const [id, deployed] of pipelines) this.#runRecipe(`${account} ${id}`, deployed, lines)
  }

  #runRecipe(pipeline: string, deployed: DeployedRecipe, lines: readonly ModelLine[]): void {
    const { recipe, revision, throttle } = deployed
    const { dropLevel, throttle: rule } = recipe
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
    this.#countAll(`${pipeline} source`, lines, recipe.storesTwice ? 2 : 1)
    const left = lines.filter(line => steps.every(step => step(line)))
    this.#store(`${pipeline} store-${revision}`, left)
    if (recipe.storesTwice) this.#store(`${pipeline} again-${revision}`, lines)
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
      this.#stored.push({ ...line, retentionDays: Math.min(line.retentionDays, poolDays) })
    }
  }

  #inForceOf(account: string): InForce {
    return this.#inForce.get(account) ?? NO_RULES
  }

  #countAll(node: string, lines: readonly ModelLine[], edges = 1): void {
    for (const line of lines) this.#count(node, line, true, edges)
  }

  #count(node: string, { bytes }: ModelLine, passed: boolean, edges = 1): boolean {
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
      counts = { eventsIn: 0, bytesIn: 0, eventsOut: 0, bytesOut: 0, dropped: 0, droppedBytes: 0 }
      this.#nodes.set(node, counts)
    }
    return counts
  }
}

/** As it would be stored. */
function seen({ timeMs, app, level, text }: ModelLine): SeenLine {
  return { timeMs, app: app || 'unknown', host: hostOf(text), level, text }
}

/** Texts begin with the number of their sender. */
export function hostOf(text: string): string {
  return `host-${text.slice(0, text.indexOf('-'))}`
}

function deadlineOf(control: Control | undefined): number {
  return control !== undefined && 'weir.Tick' in control.body ? control.body['weir.Tick'].deadlineMs : 0
}
