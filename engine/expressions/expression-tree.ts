import type { CharacterSet } from './character-set.ts'

/** A place between two characters. */
export type Edge = 'text start' | 'text end' | 'line start' | 'line end' | 'word' | 'no word'

/**
 * A regular expression, reduced to the parts that decide whether and where it matches. Only captures depend on the order in which
 * repeats try their copies, and on the numbers of groups; groups that are not captured are left out.
 */
export type ExpressionTree =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | {
      readonly kind: 'group'
      readonly of: ExpressionTree
      /** Number of the group, from 1, by opening parentheses. */
      readonly number: number
      readonly name: string | undefined
    }
  | { readonly kind: 'sequence'; readonly parts: readonly ExpressionTree[] }
  | { readonly kind: 'choice'; readonly options: readonly ExpressionTree[] }
  | {
      readonly kind: 'repeat'
      readonly of: ExpressionTree
      readonly least: number
      readonly most: number
      /** Whether fewer copies are tried before more. */
      readonly isLazy: boolean
    }
