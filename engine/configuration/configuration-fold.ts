import type {
  ConfigurationChange,
  ConfigurationEvent,
  SnapshotEntity,
} from '../../schemas/log/configuration.ts'
import type { Steps } from '../steps.ts'
import { acceptedLosses, versionShiftOf } from './accepted-losses.ts'
import { clearValue, readingValue } from './entity-text.ts'
import type { AnyKind, ConfigurationView, Entity, Kind } from './kind.ts'
import type { Rejection } from './rejection.ts'
import type { Seal } from './seal.ts'

interface Row extends Entity<unknown> {
  readonly stored: string
  /** Texts that no other entity of the kind may share, by name; see `Kind.unique`. */
  readonly unique: readonly (readonly [name: string, text: string])[]
}

interface Table {
  /** Kind of the rows; absent for kinds of a newer program, whose rows are kept so that every program folds alike. */
  readonly kind: AnyKind | undefined
  readonly rows: Map<string, Row>
  readonly unique: Map<string, Map<string, string>>
  readonly byAccount: Map<string, Set<string>>
  /** Sum of the lengths of stored texts per account, of a kind whose entities users size. */
  readonly characters: Map<string, number>
  /** Sum of the lengths of all stored texts. */
  allCharacters: number
}

/** Characters of a text that is read at once: at most a few milliseconds. */
const READ_AT_ONCE = 65_536

/** Long values of an event that were read before it is judged, by the position of their change. */
export type ReadValues = ReadonlyMap<number, unknown>

const NOTHING_READ: ReadValues = new Map()

interface ReadEvent {
  /** Version of the entities that it writes. */
  readonly version: number
  readonly values: ReadValues
}

interface Undo {
  readonly table: Table
  readonly id: string
  readonly before: Row | undefined
}

/**
 * The configuration as a fold of the events of its log, in offset order. It depends on nothing else, so every process reaches the
 * same configuration and the same verdict on every event.
 */
export class ConfigurationFold implements ConfigurationView {
  readonly #tables = new Map<string, Table>()
  readonly #seal: Seal
  readonly #read: typeof clearValue
  #versionShift = 0

  /** @param read reads a value from its text */
  constructor(kinds: readonly AnyKind[], seal: Seal, read: typeof clearValue = clearValue) {
    this.#seal = seal
    this.#read = read
    for (const kind of kinds) this.#tables.set(kind.name, newTable(kind))
  }

  get<Value>(kind: Kind<Value>, id: string): Entity<Value> | undefined {
    return this.#table(kind.name).rows.get(id) as Entity<Value> | undefined
  }

  find<Value>(kind: Kind<Value>, name: string, text: string): Entity<Value> | undefined {
    const id = this.#table(kind.name).unique.get(name)?.get(text)
    return id === undefined ? undefined : this.get(kind, id)
  }

  list<Value>(kind: Kind<Value>, account?: string): Entity<Value>[] {
    const { rows, byAccount } = this.#table(kind.name)
    const ids = account === undefined ? rows.keys() : (byAccount.get(account) ?? [])
    return [...ids]
      .map(id => rows.get(id) as Entity<Value>)
      .sort((a, b) => a.createdVersion - b.createdVersion)
  }

  count(kind: AnyKind, account: string): number {
    return this.#table(kind.name).byAccount.get(account)?.size ?? 0
  }

  /** Summed length of the stored texts of an account, of the kinds whose entities users size. */
  storedCharacters(account: string): number {
    let sum = 0
    for (const { characters } of this.#tables.values()) sum += characters.get(account) ?? 0
    return sum
  }

  /** Summed length of all stored texts, which is about the size of a snapshot. */
  get allCharacters(): number {
    let sum = 0
    for (const { allCharacters } of this.#tables.values()) sum += allCharacters
    return sum
  }

  /** Stored text of an entity; empty without one. */
  textOf(kind: AnyKind, id: string): string {
    return this.#table(kind.name).rows.get(id)?.stored ?? ''
  }

  /** Reads the long values of an event in steps, for `apply` and `check`, which are a single step. @throws SealError */
  *reading({ changes }: ConfigurationEvent): Steps<ReadValues> {
    const values = new Map<number, unknown>()
    for (const [index, { kind, entity, value }] of changes.entries()) {
      if (value.length < READ_AT_ONCE) continue
      values.set(index, yield* readingValue(this.#table(kind).kind, entity, value, this.#seal))
    }
    return values
  }

  /**
   * Applies an event, as a whole or not at all.
   *
   * @param values those that were read before; the others are read now
   * @returns the reason when it is ignored
   */
  apply(event: ConfigurationEvent, offset: bigint, values = NOTHING_READ): Rejection | undefined {
    const undo: Undo[] = []
    const shift = Math.max(
      this.#versionShift,
      ...event.changes.map(({ kind, value }) => versionShiftOf(kind, value) ?? 0),
    )
    const rejection =
      this.#put(event.changes, { version: Number(offset) + 1 + shift, values }, undo) ?? this.#broken(undo)
    if (rejection !== undefined) this.#takeBack(undo)
    else this.#versionShift = shift
    return rejection
  }

  /** Number of losses of the log accepted so far. */
  get losses(): number {
    return this.#table(acceptedLosses.name).rows.size
  }

  /** Highest version that an entity can have when the log ends before this offset. */
  versionBelow(next: bigint): number {
    return Number(next) + this.#versionShift
  }

  /** Result that `apply` would give for the event as the next one; changes nothing. */
  check(event: ConfigurationEvent, values = NOTHING_READ): Rejection | undefined {
    const undo: Undo[] = []
    const version = Number.MAX_SAFE_INTEGER
    const rejection = this.#put(event.changes, { version, values }, undo) ?? this.#broken(undo)
    this.#takeBack(undo)
    return rejection
  }

  /** All entities, for a snapshot. */
  *entities(): Iterable<SnapshotEntity> {
    for (const [kind, { rows }] of this.#tables) {
      for (const { id, createdVersion, version, stored } of rows.values()) {
        yield { kind, entity: id, createdVersion, version, value: stored }
      }
    }
  }

  /** Restores an entity from a snapshot. Its rules were checked when its events were applied. */
  restore({ kind, entity, createdVersion, version, value: stored }: SnapshotEntity): void {
    const table = this.#table(kind)
    const value = this.#read(table.kind, entity, stored, this.#seal)
    const unique = uniqueTexts(table.kind, value)
    replaceRow(table, entity, { id: entity, version, createdVersion, value, stored, unique })
    this.#versionShift = Math.max(this.#versionShift, versionShiftOf(kind, stored) ?? 0)
  }

  #put(
    changes: readonly ConfigurationChange[],
    { version, values }: ReadEvent,
    undo: Undo[],
  ): Rejection | undefined {
    for (const [index, change] of changes.entries()) {
      const table = this.#table(change.kind)
      const before = table.rows.get(change.entity)
      if (change.expectedVersion !== -1 && change.expectedVersion !== (before?.version ?? 0)) {
        return changedMeanwhile(change, before)
      }
      const row = this.#rowOf(table, change, before, { version, value: values.get(index) })
      const taken = row === undefined ? undefined : takenText(table, row)
      if (taken !== undefined) return taken
      undo.push({ table, id: change.entity, before })
      replaceRow(table, change.entity, row)
    }
    return undefined
  }

  #rowOf(
    table: Table,
    change: ConfigurationChange,
    before: Row | undefined,
    read: { readonly version: number; readonly value: unknown },
  ): Row | undefined {
    if (change.value === '') return undefined
    const { version } = read
    const value = read.value ?? this.#read(table.kind, change.entity, change.value, this.#seal)
    const createdVersion = before?.createdVersion ?? version
    const unique = uniqueTexts(table.kind, value)
    return { id: change.entity, version, createdVersion, value, stored: change.value, unique }
  }

  #broken(done: readonly Undo[]): Rejection | undefined {
    for (const { table, id, before } of done) {
      const after = table.rows.get(id)
      for (const rule of table.kind?.rules ?? []) {
        const change = { id, before: before?.value as never, after: after?.value as never }
        const rejection = rule(change, this)
        if (rejection !== undefined) return rejection
      }
    }
    return undefined
  }

  #takeBack(undo: readonly Undo[]): void {
    for (const { table, id, before } of undo.toReversed()) replaceRow(table, id, before)
  }

  #table(name: string): Table {
    let table = this.#tables.get(name)
    if (table === undefined) {
      table = newTable(undefined)
      this.#tables.set(name, table)
    }
    return table
  }
}

function newTable(kind: AnyKind | undefined): Table {
  const unique = new Map(Object.keys(kind?.unique ?? {}).map(name => [name, new Map<string, string>()]))
  return { kind, rows: new Map(), unique, byAccount: new Map(), characters: new Map(), allCharacters: 0 }
}

function changedMeanwhile(change: ConfigurationChange, before: Row | undefined): Rejection {
  const message =
    before === undefined
      ? `${change.kind} ${change.entity} no longer exists`
      : change.expectedVersion === 0
        ? `${change.kind} ${change.entity} exists already`
        : `${change.kind} ${change.entity} was changed by another request in the meantime`
  return { code: 'CHANGED_MEANWHILE', message }
}

function uniqueTexts(kind: AnyKind | undefined, value: unknown): Row['unique'] {
  return Object.entries(kind?.unique ?? {}).flatMap(([name, textOf]) => {
    const text = textOf(value as never)
    return text === undefined ? [] : [[name, text] as const]
  })
}

function takenText({ kind, unique }: Table, row: Row): Rejection | undefined {
  for (const [name, text] of row.unique) {
    const holder = unique.get(name)?.get(text)
    if (holder !== undefined && holder !== row.id) {
      return { code: 'TAKEN', message: `another ${kind?.name} has the same ${name}` }
    }
  }
  return undefined
}

function replaceRow(table: Table, id: string, row: Row | undefined): void {
  const before = table.rows.get(id)
  table.allCharacters += (row?.stored.length ?? 0) - (before?.stored.length ?? 0)
  if (before !== undefined) unlink(table, before)
  if (row === undefined) {
    table.rows.delete(id)
    return
  }
  table.rows.set(id, row)
  link(table, row)
}

function link(table: Table, { id, value, unique: texts, stored }: Row): void {
  const { kind, unique, byAccount, characters } = table
  for (const [name, text] of texts) unique.get(name)?.set(text, id)
  if (kind?.account === undefined) return
  const account = kind.account(value as never)
  const ids = byAccount.get(account)
  if (ids === undefined) byAccount.set(account, new Set([id]))
  else ids.add(id)
  if (kind.isUserSized) characters.set(account, (characters.get(account) ?? 0) + stored.length)
}

function unlink(table: Table, { id, value, unique: texts, stored }: Row): void {
  const { kind, unique, byAccount, characters } = table
  for (const [name, text] of texts) unique.get(name)?.delete(text)
  if (kind?.account === undefined) return
  const account = kind.account(value as never)
  const ids = byAccount.get(account)
  ids?.delete(id)
  if (ids?.size === 0) byAccount.delete(account)
  if (!kind.isUserSized) return
  const rest = (characters.get(account) ?? 0) - stored.length
  if (rest === 0) characters.delete(account)
  else characters.set(account, rest)
}
