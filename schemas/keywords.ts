import Type, { type Static, type TObject, type TProperties } from 'typebox'

/**
 * Rules of request bodies that JSON Schema cannot express, or whose findings would not name the faulty member. The validator of
 * the API applies them; other readers treat them as documentation.
 */
export interface Keywords {
  readonly reads?: Reads
  /** Requires at least one of these members. */
  readonly needsOneOf?: readonly string[]
  /** Requires at least one member that selects lines. An empty member selects nothing, nor does a query of blanks. */
  readonly needsConditionOf?: readonly string[]
  /** Allows at most one of these members; an empty list counts as absent. */
  readonly exclusivePeers?: readonly string[]
  /** Elements must differ in this member. */
  readonly distinctBy?: string
  /** A query of the search language. */
  readonly searchQuery?: true
}

/** Other forms that older clients send in place of the declared type: a string, or a number. */
export type Reads =
  | { readonly type: 'integer'; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'boolean' }
  /** One of these words, some of which consist of digits. */
  | { readonly type: 'word'; readonly words: readonly string[] }
  /** A list of strings, or one string with commas. */
  | { readonly type: 'list' }
  /** An object, or a string that contains JSON. With `tokens`, only these names are allowed in double braces. */
  | { readonly type: 'json'; readonly tokens?: readonly string[] }

type Description = { readonly description?: string }

/** A member that may also be sent as a string; handlers receive the number. */
export function readsInteger({
  description,
  ...bounds
}: { readonly minimum?: number; readonly maximum?: number } & Description = {}) {
  return reading<number>({ type: 'integer', ...bounds }, { description })
}

/** A boolean member that may also be sent as the string `true` or `false`. */
export function readsBoolean(options: Description = {}) {
  return reading<boolean>({ type: 'boolean' }, options)
}

export function readsWord<Word extends string>(words: readonly Word[]) {
  return reading<Word>({ type: 'word', words })
}

/** A list that may also be sent as one string with commas. */
export function readsList<Element>(items: object, options: Description = {}) {
  return reading<Element[]>({ type: 'list' }, { ...options, items, minItems: 1 })
}

/** An object that may also be sent as a string that contains JSON. */
export function readsJson<Value>({ tokens, ...options }: { tokens?: readonly string[] } & Description = {}) {
  return reading<Value>(tokens === undefined ? { type: 'json' } : { type: 'json', tokens }, options)
}

function reading<Value>(reads: Reads, options: object = {}) {
  return Type.Unsafe<Value>({ ...options, reads } satisfies Keywords)
}

/** The common members, the members of one word, and the word itself. */
type WithWord<Member extends string, Common extends TProperties, Variants extends Record<string, TObject>> = {
  [Word in keyof Variants & string]: Omit<Static<TObject<Common>>, Member> & {
    [key in Member]: Word
  } & Static<Variants[Word]>
}[keyof Variants & string]

/**
 * An object whose further members depend on the word in one of its members. Members of other words count as unknown,
 * whatever their values.
 */
export function byWord<
  Member extends string,
  Common extends TProperties,
  Variants extends Record<string, TObject>,
>(member: Member, common: TObject<Common>, variants: Variants) {
  const allOf = Object.entries(variants).map(([word, variant]) => ({
    if: holds(member, word),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: variant,
  }))
  return Type.Unsafe<WithWord<Member, Common, Variants>>({ ...common, allOf })
}

/** Schema of an object whose member has the given value, for the `if` of another schema. */
export function holds(member: string, value: string | boolean): object {
  return { type: 'object', required: [member], properties: { [member]: { const: value } } }
}
