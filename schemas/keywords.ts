import Type, { type Static, type TObject, type TProperties } from 'typebox'

/**
 * Rules of request bodies that JSON Schema has no words for, or none whose findings name the member at fault. The
 * validator of the API carries them out; to everybody else they are documentation.
 */
export interface Keywords {
  readonly reads?: Reads
  /** At least one of these members must be there. */
  readonly needsOneOf?: readonly string[]
  /** The same of members that say which lines are meant: empty ones do not, nor does a query of blanks alone. */
  readonly needsConditionOf?: readonly string[]
  /** At most one of these members may be there; an empty list counts as none. */
  readonly exclusivePeers?: readonly string[]
  /** No two elements share what they have in this member. */
  readonly distinctBy?: string
  /** A query of the search language. */
  readonly searchQuery?: true
}

/** What a text, or a number, may stand for where older clients send it instead. */
export type Reads =
  | { readonly type: 'integer'; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'boolean' }
  /** One of these words, of which some are digits. */
  | { readonly type: 'word'; readonly words: readonly string[] }
  /** Texts, or one text with commas. */
  | { readonly type: 'list' }
  /** An object, or a text that holds JSON; with tokens, no others stand in double braces within it. */
  | { readonly type: 'json'; readonly tokens?: readonly string[] }

type Description = { readonly description?: string }

/** A member that may be sent as a text, too; handlers see what the text stands for. */
export function readsInteger({
  description,
  ...bounds
}: { readonly minimum?: number; readonly maximum?: number } & Description = {}) {
  return reading<number>({ type: 'integer', ...bounds }, { description })
}

/** The same of `true` and `false`. */
export function readsBoolean(options: Description = {}) {
  return reading<boolean>({ type: 'boolean' }, options)
}

export function readsWord<Word extends string>(words: readonly Word[]) {
  return reading<Word>({ type: 'word', words })
}

/** A list that may be sent as one text with commas. */
export function readsList<Element>(items: object, options: Description = {}) {
  return reading<Element[]>({ type: 'list' }, { ...options, items, minItems: 1 })
}

/** An object that may be sent as JSON in a text. */
export function readsJson<Value>({ tokens, ...options }: { tokens?: readonly string[] } & Description = {}) {
  return reading<Value>(tokens === undefined ? { type: 'json' } : { type: 'json', tokens }, options)
}

function reading<Value>(reads: Reads, options: object = {}) {
  return Type.Unsafe<Value>({ ...options, reads } satisfies Keywords)
}

/** The common members, those of one word, and that word. */
type WithWord<Member extends string, Common extends TProperties, Variants extends Record<string, TObject>> = {
  [Word in keyof Variants & string]: Omit<Static<TObject<Common>>, Member> & {
    [key in Member]: Word
  } & Static<Variants[Word]>
}[keyof Variants & string]

/**
 * An object with more members according to the word that one of its members holds. Members of other words are unknown
 * ones, whatever they hold.
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

/** Of an object whose member holds the value; for the `if` of a schema. */
export function holds(member: string, value: string | boolean): object {
  return { type: 'object', required: [member], properties: { [member]: { const: value } } }
}
