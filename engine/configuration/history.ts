import { hash } from 'node:crypto'
import type { JsonObject } from '../../schemas/json.ts'
import {
  type ConfigurationChange,
  type ConfigurationEvent,
  configurationEventOf,
} from '../../schemas/log/configuration.ts'
import { jsonText, parseJson } from '../json/json-text.ts'
import { LogError, type Topic } from '../log/log.ts'
import { LONG_READ_BYTES } from '../log/records-between.ts'
import { type AcceptedLoss, acceptedLosses } from './accepted-losses.ts'
import { ConfigurationFold } from './configuration-fold.ts'
import { accounts, enterprises } from './entities.ts'
import { clearValue, valueOpenedLate } from './entity-text.ts'
import type { AnyKind, Part } from './kind.ts'
import { KINDS } from './kinds.ts'
import { RecentEvents } from './recent-events.ts'
import type { Seal } from './seal.ts'
import { isSnapshotPart } from './snapshot.ts'
import { Subjects } from './subjects.ts'

/** Maximum bytes of one look-up. Neighbouring events are read together. */
const LOOK_UP_BYTES = 65_536

export type ChangeAction = 'created' | 'changed' | 'removed'

/** An accepted change of the configuration without its values, which are read from the log. */
export interface PastChange {
  readonly offset: bigint
  /** Position among the changes of its event; each changed part counts. */
  readonly index: number
  readonly atMs: number
  /** Subject id of the author. */
  readonly actor: string
  /** Kind of the entity on the log. */
  readonly kind: AnyKind
  /** Name of the kind of the changed object: the entity, or a part of it. */
  readonly kindName: string
  /** Id of the changed object. */
  readonly entity: string
  /** Position of the entity among the changes of its event, and its id. */
  readonly whole: { readonly at: number; readonly entity: string }
  readonly action: ChangeAction
  /** The previous change of the same object. */
  readonly previous: PastChange | undefined
  /** Accounts and enterprises that the change belongs to. */
  readonly places: readonly string[]
}

export interface ChangedValues {
  /** Previous value in plain text; undefined: it did not exist. */
  readonly before: unknown
  readonly after: unknown
}

export interface HistoryPorts {
  readonly topic: Topic
  readonly seal: Seal
  /** Range of offsets that the process has folded. */
  folded(): { readonly from: bigint; readonly next: bigint }
  /** Whether the event at a folded offset was ignored. */
  isIgnored(offset: bigint): boolean
}

type EventPlace = Pick<PastChange, 'offset' | 'index' | 'kind' | 'whole'>

interface Aside {
  readonly fold: ConfigurationFold
  readonly recent: RecentEvents
}

export function placeOfAccount(account: string): string {
  return `account ${account}`
}

export function placeOfEnterprise(enterprise: string): string {
  return `enterprise ${enterprise}`
}

/**
 * History of the configuration, from its log. The first use reads the log once from its beginning, in pieces, and keeps the place
 * of each change: about a hundred bytes. Values are read on demand. The process knows which of the events it folded were ignored.
 * Events before its snapshot are folded once more in a separate fold, which is then dropped.
 */
export class ConfigurationHistory {
  readonly #ports: HistoryPorts
  readonly #kinds = new Map(KINDS.map(kind => [kind.name, kind]))
  readonly #byPlace = new Map<string, PastChange[]>()
  /** Accepted losses before which the log contained no accounts: all later accounts see them. */
  readonly #ofEverybody: PastChange[] = []
  /** The newest change of each entity, by kind and id. */
  readonly #newest = new Map<string, PastChange>()
  /** Digests of the present parts of entities that have parts, by kind and id. */
  readonly #parts = new Map<string, ReadonlyMap<string, string>>()
  readonly subjects = new Subjects()
  /** Fold that decides which events were ignored, up to the first offset that the process folded. */
  #aside: Aside | undefined
  #next = 0n
  #reading: Promise<void> | undefined

  constructor(ports: HistoryPorts) {
    this.#ports = ports
    this.#aside = {
      fold: new ConfigurationFold(KINDS, ports.seal, valueOpenedLate),
      recent: new RecentEvents(),
    }
  }

  /** Reads up to the last offset that the process has folded. @throws LogError like `Topic.read` */
  async catchUp(): Promise<void> {
    while (this.#next < this.#ports.folded().next) {
      this.#reading ??= this.#readOn().finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
  }

  /** Changes of an account or enterprise, newest first, older than the given position. */
  *newestFirst(place: string, before?: { offset: bigint; index: number }): Iterable<PastChange> {
    const changes = this.#byPlace.get(place) ?? []
    for (let at = before === undefined ? changes.length : countBelow(changes, before); at > 0; at--)
      yield changes[at - 1] as PastChange
  }

  /** The values of changes, in the same order. @throws LogError like `Topic.read`; SealError */
  async valuesOf(changes: readonly PastChange[]): Promise<ChangedValues[]> {
    const offsets = changes.flatMap(({ offset, previous }) =>
      previous === undefined ? [offset] : [offset, previous.offset],
    )
    const events = await this.#eventsAt(offsets)
    const clear = ({ offset, kind, kindName, entity, whole }: PastChange) => {
      const { value = '' } = events.get(offset)?.changes[whole.at] ?? {}
      if (value === '') return undefined
      const clearWhole = clearValue(kind, whole.entity, value, this.#ports.seal)
      const partsOf = kind.parts[kindName]
      return partsOf === undefined ? clearWhole : partsOf(clearWhole as never).find(({ id }) => id === entity)
    }
    return changes.map(change => ({
      before: change.previous && clear(change.previous),
      after: clear(change),
    }))
  }

  /** See `Seal.mark`. */
  mark(text: string, place: string): string {
    return this.#ports.seal.mark(text, place)
  }

  async #eventsAt(offsets: readonly bigint[]): Promise<Map<bigint, ConfigurationEvent>> {
    const wanted = new Set(offsets)
    const events = new Map<bigint, ConfigurationEvent>()
    for (const offset of [...wanted].sort((a, b) => (a < b ? -1 : 1))) {
      if (events.has(offset)) continue
      for (const record of await this.#ports.topic.read(0, offset, LOOK_UP_BYTES))
        if (wanted.has(record.offset) && !isSnapshotPart(record))
          events.set(record.offset, configurationEventOf(record.value))
    }
    return events
  }

  async #readOn(): Promise<void> {
    const { topic, folded } = this.#ports
    const { next } = folded()
    const { first } = await topic.bounds(0)
    if (this.#next < first) this.#next = first
    const records = await topic.read(0, this.#next, LONG_READ_BYTES)
    if (records.length === 0)
      throw new LogError('LOG_UNAVAILABLE', `the configuration log ends before offset ${next}`, {
        retriable: true,
      })
    for (const record of records) {
      // Events that the process has not folded yet have no verdict.
      if (record.offset >= next) return
      if (!isSnapshotPart(record)) this.#take(configurationEventOf(record.value), record.offset)
      this.#next = record.offset + 1n
    }
  }

  #take(event: ConfigurationEvent, offset: bigint): void {
    if (this.#wasIgnored(event, offset)) return
    let index = 0
    for (const [at, change] of event.changes.entries()) {
      const kind = this.#kinds.get(change.kind)
      const whole = { at, entity: change.entity }
      if (kind === undefined || !kind.audited) index++
      else if (Object.keys(kind.parts).length === 0)
        this.#note(event, change, { offset, index: index++, kind, whole })
      else index += Math.max(1, this.#noteParts(event, change, { offset, index, kind, whole }))
    }
  }

  #wasIgnored(event: ConfigurationEvent, offset: bigint): boolean {
    if (offset >= this.#ports.folded().from) {
      this.#aside = undefined
      return this.#ports.isIgnored(offset)
    }
    const { fold, recent } = this.#aside as Aside
    return !recent.note(event.id, offset) || fold.apply(event, offset) !== undefined
  }

  #note(
    { atMs, actor, account }: ConfigurationEvent,
    { entity, value }: ConfigurationChange,
    at: EventPlace,
  ): void {
    const key = `${at.kind.name} ${entity}`
    const previous = this.#previous(key)
    const action = value === '' ? 'removed' : previous === undefined ? 'created' : 'changed'
    // The removal of a missing object is not a change.
    if (action === 'removed' && previous === undefined) return
    const stored = value !== '' && this.#isLookedInto(at.kind, account) ? parsedObject(value) : undefined
    if (stored !== undefined) this.subjects.learn(at.kind, entity, stored)
    const places =
      stored === undefined
        ? (previous?.places ?? [placeOfAccount(account)])
        : placesOf(at.kind, entity, stored)
    this.#add(key, { ...at, kindName: at.kind.name, atMs, actor, entity, action, previous, places })
  }

  /** @returns the number of changed parts */
  #noteParts(
    { atMs, actor, account }: ConfigurationEvent,
    { entity, value }: ConfigurationChange,
    { index, ...at }: EventPlace,
  ): number {
    const stored = value === '' ? undefined : parsedObject(value)
    let changed = 0
    for (const [kindName, partsOf] of Object.entries(at.kind.parts)) {
      const name = `${kindName} ${entity}`
      const before = this.#parts.get(name) ?? new Map<string, string>()
      const after = stored === undefined ? new Map<string, string>() : digestsOf(partsOf(stored as never))
      this.#parts.set(name, after)
      for (const id of new Set([...before.keys(), ...after.keys()])) {
        if (before.get(id) === after.get(id)) continue
        const key = `${name} ${id}`
        const previous = this.#previous(key)
        const action = !after.has(id) ? 'removed' : previous === undefined ? 'created' : 'changed'
        const places =
          stored === undefined
            ? (previous?.places ?? [placeOfAccount(account)])
            : placesOf(at.kind, entity, stored)
        const common = { ...at, atMs, actor, action, previous, places } as const
        this.#add(key, { ...common, index: index + changed++, kindName, entity: id })
      }
    }
    return changed
  }

  #previous(key: string): PastChange | undefined {
    const last = this.#newest.get(key)
    return last?.action === 'removed' ? undefined : last
  }

  #add(key: string, change: PastChange): void {
    this.#newest.set(key, change)
    if (change.kind.name === acceptedLosses.name && change.places.length === 0) this.#ofEverybody.push(change)
    for (const place of change.places) {
      const changes = this.#byPlace.get(place)
      if (changes === undefined) this.#byPlace.set(place, [...this.#ofEverybody, change])
      else changes.push(change)
    }
  }

  /**
   * Whether a value must be read to find its account. Most events name their account, so long texts such as drafts are not read.
   */
  #isLookedInto(kind: AnyKind, account: string): boolean {
    return account === '' || kind.name === accounts.name || this.subjects.areNamedBy(kind)
  }
}

/** Digests of parts, by id. */
function digestsOf(parts: readonly Part[]): Map<string, string> {
  return new Map(parts.map(part => [part.id, hash('sha256', jsonText(part))]))
}

function parsedObject(text: string): JsonObject {
  return parseJson(text) as JsonObject
}

function placesOf(kind: AnyKind, entity: string, value: JsonObject): string[] {
  if (kind.name === enterprises.name) return [placeOfEnterprise(entity)]
  if (kind.name === acceptedLosses.name) {
    const loss = value as unknown as AcceptedLoss
    return [...loss.accounts.map(placeOfAccount), ...loss.enterprises.map(placeOfEnterprise)]
  }
  const account = kind.name === accounts.name ? entity : (kind.account?.(value as never) ?? '')
  const isAboveAccounts = account === '' || kind.name === accounts.name
  const enterprise = isAboveAccounts ? (value.enterprise ?? '') : ''
  return [
    ...(account === '' ? [] : [placeOfAccount(account)]),
    ...(typeof enterprise === 'string' && enterprise !== '' ? [placeOfEnterprise(enterprise)] : []),
  ]
}

/** Number of the changes, in log order, that lie before a position. */
function countBelow(changes: readonly PastChange[], position: { offset: bigint; index: number }): number {
  let low = 0
  let high = changes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const { offset, index } = changes[middle] as PastChange
    const isBelow = offset < position.offset || (offset === position.offset && index < position.index)
    if (isBelow) low = middle + 1
    else high = middle
  }
  return low
}
