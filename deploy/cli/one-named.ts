import { suggestion } from '../../engine/nearest-word.ts'
import { CommandError, EXIT } from './command-error.ts'

/** Objects of one kind, which users name by an id, by a name, or by the beginning of an id. */
export interface NamedObjects<Item> {
  /** Noun of one object, for sentences. */
  readonly called: string
  /** Command that lists all of them. */
  readonly listedBy: string
  readonly idOf: (item: Item) => string
  readonly nameOf: (item: Item) => string
}

/** Resolves the text by which a user names one object. @throws CommandError unless it names exactly one */
export function oneNamed<Item>(
  all: readonly Item[],
  wanted: string,
  { called, listedBy, idOf, nameOf }: NamedObjects<Item>,
): Item {
  const named = all.filter(item => idOf(item) === wanted || nameOf(item) === wanted)
  // Each id begins with an empty text.
  const begun = wanted === '' ? [] : all.filter(item => idOf(item).startsWith(wanted))
  const matching = named.length > 0 ? named : begun
  if (matching.length === 1) return matching[0] as Item
  throw new CommandError(
    EXIT.usage,
    matching.length === 0
      ? `There is no ${called} "${wanted}"${suggestion(wanted, all.map(nameOf)) || '.'} "${listedBy}" shows all.`
      : `"${wanted}" can be any of ${matching.map(idOf).join(', ')}: give the id.`,
  )
}
