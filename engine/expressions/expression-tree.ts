import type { CharacterSet } from './character-set.ts'

/** A place between two characters. */
export type Edge = 'text start' | 'text end' | 'line start' | 'line end' | 'word' | 'no word'

/**
 * A regular expression, reduced to the parts that decide whether it matches. Greediness does not matter, and groups only take
 * space.
 */
export type ExpressionTree =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'group'; readonly of: ExpressionTree }
  | { readonly kind: 'sequence'; readonly parts: readonly ExpressionTree[] }
  | { readonly kind: 'choice'; readonly options: readonly ExpressionTree[] }
  | { readonly kind: 'repeat'; readonly of: ExpressionTree; readonly least: number; readonly most: number }
