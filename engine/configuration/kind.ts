import type { JsonValue } from '../../schemas/json.ts'
import type { Rejection } from './rejection.ts'

/**
 * One kind of configuration entity: what the fold must know of it. Adding a kind is one declaration in
 * entities.ts and its line in `KINDS`.
 */
export interface Kind<Value> {
  /** Name on the log; never changes. */
  readonly name: string
  /** Members that are encrypted at rest, each as a whole. */
  readonly sealed: readonly (keyof Value & string)[]
  /**
   * Whether a member of what is sealed is no secret; absent: all of it may be one. The place is the names that lead to
   * the member, joined by dots; elements of a list have that of the list.
   */
  readonly isHarmless: ((place: string, value: JsonValue) => boolean) | undefined
  /** Texts by which an entity can be found, where it has one. No two entities of the kind share one. */
  readonly unique: Readonly<Record<string, (value: Value) => string | undefined>>
  /** Short id of the account that an entity belongs to; absent for kinds above accounts. */
  readonly account: ((value: Value) => string) | undefined
  /** False: notes of the program itself, which are no change that anybody made. */
  readonly audited: boolean
  /**
   * What people see as things of their own in an entity, by the name of their kind: changes of these are told, not those
   * of the whole. Nothing in them is sealed.
   */
  readonly parts: Readonly<Record<string, (value: Value) => readonly Part[]>>
  /** Checked on the configuration as it would be after the whole event. */
  readonly rules: readonly Rule<Value>[]
}

export interface Part {
  readonly id: string
}

export type Rule<Value> = (change: RuleChange<Value>, after: ConfigurationView) => Rejection | undefined

/** What an event does to one entity: created when there is no `before`, removed when there is no `after`. */
export interface RuleChange<Value> {
  readonly id: string
  readonly before: Value | undefined
  readonly after: Value | undefined
}

/**
 * An entity as it is now. Versions rise over the whole log: the offset of the last change plus one, and plus the shift
 * of losses that were accepted below it.
 */
export interface Entity<Value> {
  readonly id: string
  readonly version: number
  /** Version of the change that created it. */
  readonly createdVersion: number
  readonly value: Value
}

/** Read access to the configuration. */
export interface ConfigurationView {
  get<Value>(kind: Kind<Value>, id: string): Entity<Value> | undefined
  /** The entity whose text of that name (see `Kind.unique`) is `text`. */
  find<Value>(kind: Kind<Value>, name: string, text: string): Entity<Value> | undefined
  /** Oldest first; with an account, only its own. */
  list<Value>(kind: Kind<Value>, account?: string): Entity<Value>[]
  count(kind: AnyKind, account: string): number
}

/** A kind whose values the code at hand does not look into. */
export type AnyKind = Kind<never>

export function defineKind<Value>(
  name: string,
  options: Partial<Omit<Kind<Value>, 'name'>> = {},
): Kind<Value> {
  return {
    name,
    sealed: [],
    isHarmless: undefined,
    unique: {},
    account: undefined,
    audited: true,
    parts: {},
    rules: [],
    ...options,
  }
}
