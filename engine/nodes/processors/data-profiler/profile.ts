import { joined, type Steps } from '../../../steps.ts'
import { DAY_MS } from '../../../times/duration.ts'
import type { CountedRole, NodeProfile, ProfileRun } from '../../contract/profile-view.ts'
import { DEFAULT_STATE_BOUNDS, type StateBounds } from '../../contract/state-bounds.ts'
import { FieldSummaries } from './field-summaries.ts'
import type { LeafField } from './leaf-fields.ts'
import { LineTemplates, type SplitLine } from './line-templates.ts'
import { COUNTED_ROLES, NameCounts } from './name-counts.ts'
import { type Kept, keptIn, keptTemplate, PROFILE_FORMAT, type Totals } from './profile-snapshot.ts'

/** A run ends with either: components, section 5.3. */
const MAX_RUN_EVENTS = 1_000_000
const MAX_RUN_MS = DAY_MS

/** Maximum size of a piece, which is sent as one record; JSON may need six bytes for each of its characters. */
const MAX_PIECE_LENGTH = 100_000
const COUNTS_AT_A_TIME = 250
/** Rough size of a template, a field, a value and a name in memory. */
const ENTRY_BYTES = 120

/** Facts about one event. */
export interface ProfiledEvent {
  readonly bytes: number
  readonly names: Readonly<Partial<Record<CountedRole, string>>>
  /** Line and fields; undefined: they cost too much. */
  readonly content:
    | { readonly line: SplitLine | undefined; readonly fields: readonly LeafField[] }
    | undefined
}

/** Profile of a node, and the run that adds to it. */
export class Profile {
  readonly #bounds: StateBounds
  #totals = noTotals()
  #templates: LineTemplates
  #fields: FieldSummaries
  #counts: Readonly<Record<CountedRole, NameCounts>>

  constructor(bounds: StateBounds = DEFAULT_STATE_BOUNDS) {
    this.#bounds = bounds
    const { maxKeys, maxEntries } = bounds
    this.#templates = new LineTemplates(maxKeys)
    this.#fields = new FieldSummaries({ maxFields: maxKeys, maxValues: maxEntries })
    this.#counts = newCounts(maxKeys)
  }

  /** Empties the profile; the next event begins a run. */
  reset(): void {
    const { maxKeys, maxEntries } = this.#bounds
    this.#totals = { ...noTotals(), options: this.#totals.options }
    this.#templates = new LineTemplates(maxKeys)
    this.#fields = new FieldSummaries({ maxFields: maxKeys, maxValues: maxEntries })
    this.#counts = newCounts(maxKeys)
  }

  /** Whether the run takes no more events. Other options begin a new run, which adds to the profile. */
  isOver(options: string, nowMs: number): boolean {
    return options === this.#totals.options && this.#runAt(nowMs).state === 'ended'
  }

  /** Number of tokens that are compared to find the template of a line. */
  comparisonsFor(line: SplitLine): number {
    return this.#templates.comparisonsFor(line)
  }

  add({ bytes, names, content }: ProfiledEvent, options: string, nowMs: number): void {
    const totals = this.#totals
    if (totals.options !== options) Object.assign(totals, { options, runEvents: 0, startedMs: undefined })
    totals.startedMs ??= nowMs
    totals.runEvents++
    totals.events++
    totals.bytes += bytes
    for (const role of COUNTED_ROLES) {
      const name = names[role]
      if (name !== undefined) this.#counts[role].add(name, bytes)
    }
    if (content === undefined) {
      totals.cutEvents++
      return
    }
    if (content.line !== undefined) this.#templates.add(content.line, bytes, names.apps)
    for (const field of content.fields) this.#fields.add(field, bytes)
  }

  profile(atMs: number): NodeProfile {
    const { events, bytes, cutEvents } = this.#totals
    const [otherEvents, otherBytes] = this.#fields.keptOthers()
    return {
      run: this.#runAt(atMs),
      events,
      bytes,
      cutEvents,
      templates: Array.from(this.#templates, ({ tokens, apps, ...template }) => ({
        template: tokens.join(' '),
        lines: template.lines,
        bytes: template.bytes,
        apps: [...apps],
        samples: [...template.samples],
      })),
      fields: this.#fields.fields(),
      otherFields: { events: otherEvents, bytes: otherBytes },
      counts: recordOf(role => this.#counts[role].names()),
    }
  }

  measure(): Readonly<Record<string, number>> {
    const names = COUNTED_ROLES.reduce((sum, role) => sum + this.#counts[role].size, 0)
    const templates = this.#templates.size
    const fields = this.#fields.size
    const values = this.#fields.values
    return { templates, fields, values, names, bytes: ENTRY_BYTES * (templates + fields + values + names) }
  }

  #runAt(atMs: number): ProfileRun {
    const { runEvents: events, startedMs } = this.#totals
    if (startedMs === undefined) return { state: 'waiting', startedMs, events }
    const isOver = events >= MAX_RUN_EVENTS || atMs - startedMs >= MAX_RUN_MS
    return { state: isOver ? 'ended' : 'running', startedMs, events }
  }

  /** JSON: a list that begins with its format. */
  *snapshot(): Steps<Uint8Array> {
    const parts: Buffer[] = [Buffer.from(`[${PROFILE_FORMAT}`)]
    for (const kept of this.#kept()) {
      parts.push(Buffer.from(`,${JSON.stringify(kept)}`))
      yield
    }
    parts.push(Buffer.from(']'))
    return yield* joined(parts)
  }

  *#kept(): Generator<Kept> {
    const { made } = this.#templates
    yield ['totals', this.#totals]
    yield ['others', ...this.#fields.keptOthers()]
    for (const template of this.#templates) yield ['template', keptTemplate(template), made]
    for (const field of this.#fields.kept()) yield ['field', ...field]
    for (const role of COUNTED_ROLES) {
      const counts = [...this.#counts[role].kept()]
      for (let from = 0; from < counts.length; from += COUNTS_AT_A_TIME)
        yield ['names', role, counts.slice(from, from + COUNTS_AT_A_TIME)]
    }
  }

  /** @throws RangeError when the bytes are not a snapshot */
  static *restore(bytes: Uint8Array, bounds?: StateBounds): Steps<Profile> {
    const profile = new Profile(bounds)
    for (const kept of keptIn(bytes)) {
      profile.#put(kept)
      yield
    }
    return profile
  }

  /** Adds a snapshot, or a piece of one. @throws RangeError when the bytes are not valid */
  absorb(bytes: Uint8Array): void {
    for (const kept of keptIn(bytes)) this.#put(kept)
  }

  /** Removes all of it. @yields pieces of a bounded size, for `absorb` */
  *empty(): Iterable<Uint8Array | undefined> {
    let piece: Kept[] = []
    let length = 0
    for (const kept of this.#kept()) {
      piece.push(kept)
      length += JSON.stringify(kept).length
      if (length < MAX_PIECE_LENGTH) {
        yield undefined
        continue
      }
      yield Buffer.from(JSON.stringify([PROFILE_FORMAT, ...piece]))
      piece = []
      length = 0
    }
    const isUsed = this.#totals.events > 0 || this.#totals.options !== ''
    if (piece.length > 0 && isUsed) yield Buffer.from(JSON.stringify([PROFILE_FORMAT, ...piece]))
    this.reset()
    this.#totals.options = ''
  }

  #put(kept: Kept): void {
    switch (kept[0]) {
      case 'totals':
        this.#totals = sumOfTotals(this.#totals, kept[1])
        break
      case 'others':
        this.#fields.putOthers([kept[1], kept[2]])
        break
      case 'template': {
        const [, { apps, ...template }, made] = kept
        this.#templates.put({ ...template, apps: new Set(apps), samples: [...template.samples] }, made)
        break
      }
      case 'field':
        this.#fields.put([kept[1], kept[2], kept[3]])
        break
      case 'names':
        for (const count of kept[2]) this.#counts[kept[1]].put(count)
    }
  }
}

function noTotals(): Totals {
  return { events: 0, bytes: 0, cutEvents: 0, runEvents: 0, startedMs: undefined, options: '' }
}

/** The run with options counts; both profiles may have events of it. */
function sumOfTotals(one: Totals, other: Totals): Totals {
  return {
    events: one.events + other.events,
    bytes: one.bytes + other.bytes,
    cutEvents: one.cutEvents + other.cutEvents,
    runEvents: one.runEvents + other.runEvents,
    startedMs: one.startedMs ?? other.startedMs,
    options: one.options || other.options,
  }
}

function newCounts(maxNames: number): Readonly<Record<CountedRole, NameCounts>> {
  return recordOf(() => new NameCounts(maxNames))
}

function recordOf<Value>(of: (role: CountedRole) => Value): Record<CountedRole, Value> {
  return {
    apps: of('apps'),
    hosts: of('hosts'),
    levels: of('levels'),
    event_types: of('event_types'),
  }
}
