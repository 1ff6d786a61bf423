import { LISTS, type Selection } from '../api/searches.ts'
import { allOf, conditionsOf } from '../query/read-query.ts'
import type { AddressChange } from './search-address.ts'

/** Parts of a search that are counted one by one. */
export const MOST_PARTS = 8

/** A condition of a search that must hold together with the others. */
export interface SearchPart {
  /** The condition, as it is shown. */
  readonly text: string
  /** The search for this condition alone, in the same time. */
  readonly alone: Selection
  /** Change of the address that leaves the condition out. */
  readonly without: AddressChange
}

/** Conditions of a search; none where there is only one, since that alone finds nothing. */
export function partsOf(selection: Selection): readonly SearchPart[] {
  const { fromMs, toMs } = selection
  const alone = (members: Partial<Selection>): Selection => ({
    ...{ query: '', hosts: [], apps: [], levels: [], tags: [], fromMs, toMs },
    ...members,
  })
  const conditions = conditionsOf(selection.query)
  const ofQuery =
    selection.query.trim() === '' ? [] : conditions.length === 0 ? [selection.query.trim()] : conditions
  const parts = [
    ...ofQuery.map((text, at) => ({
      text,
      alone: alone({ query: text }),
      without: { q: allOf(ofQuery.toSpliced(at, 1)) },
    })),
    ...LISTS.filter(name => selection[name].length > 0).map(name => ({
      text: `${name}: ${selection[name].join(', ')}`,
      alone: alone({ [name]: selection[name] }),
      without: { [name]: undefined },
    })),
  ]
  return parts.length < 2 ? [] : parts
}
