import type { JsonValue } from '../../schemas/json.ts'
import type { Rejection } from './rejection.ts'

/** One kind of configuration entity, as the fold needs it. A new kind is one declaration in entities.ts and a line in `KINDS`. */
export interface Kind<Value> {
  /** Name on the log, which never changes. */
  readonly name: string
  /** Members that are encrypted at rest, each as a whole. */
  readonly sealed: readonly (keyof Value & string)[]
  /**
   * Whether a sealed member may be shown; absent: no sealed member may. The place is the path of names to the member, joined by
   * dots; elements of a list have the place of the list.
   */
  readonly isHarmless: ((place: string, value: JsonValue) => boolean) | undefined
  /** Texts by which an entity can be found, if it has them. Two entities of the kind never share one. */
  readonly unique: Readonly<Record<string, (value: Value) => string | undefined>>
  /** Short id of the account that an entity belongs to; absent for kinds above accounts. */
  readonly account: ((value: Value) => string) | undefined
  /** Whether the audit shows changes. It does not show records of the program itself, which no user made. */
  readonly audited: boolean
  /**
   * Parts of an entity that people regard as separate objects, by the name of their kind. The audit shows changes of the
   * parts, not of the whole. Parts contain no sealed members.
   */
  readonly parts: Readonly<Record<string, (value: Value) => readonly Part[]>>
  /**
   * Whether users decide how large its entities are. Their stored texts count against the limit of their account. That limit is
   * not a rule of the fold. It is a setting of the process that writes, so that a log always has the same meaning.
   */
  readonly isUserSized: boolean
  /**
   * Whether new values are refused first when space or the account's budget for changes runs out; absent: as `isUserSized`.
   * Removals and shorter values continue longer: see `urgencyOf`.
   */
  readonly isDeferrable: boolean
  /** Maximum length of a stored text, like that limit; undefined: only the limit of the account. */
  readonly maxCharacters: number | undefined
  /** Rules that are checked on the configuration after the whole event. */
  readonly rules: readonly Rule<Value>[]
}

export interface Part {
  readonly id: string
}

export type Rule<Value> = (change: RuleChange<Value>, after: ConfigurationView) => Rejection | undefined

/** Effect of an event on one entity: `before` is absent when it was created, `after` when it was removed. */
export interface RuleChange<Value> {
  readonly id: string
  readonly before: Value | undefined
  readonly after: Value | undefined
}

/**
 * Present state of an entity. Versions rise over the whole log: the offset of the last change plus one, plus the shift of losses
 * that were accepted below it.
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
  /** Returns the entity whose unique text of that name (see `Kind.unique`) is `text`. */
  find<Value>(kind: Kind<Value>, name: string, text: string): Entity<Value> | undefined
  /** Lists the entities of a kind, the oldest first; with `account`, only those of the account. */
  list<Value>(kind: Kind<Value>, account?: string): Entity<Value>[]
  count(kind: AnyKind, account: string): number
}

/** Kind whose values the caller does not read. It hands them to functions of the kind `as never`, since only these know their type. */
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
    isUserSized: false,
    isDeferrable: options.isUserSized ?? false,
    maxCharacters: undefined,
    rules: [],
    ...options,
  }
}
