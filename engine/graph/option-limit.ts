import { isJsonObject, type JsonValue } from '../../schemas/json.ts'
import { operatorNamed } from '../conditions/operators.ts'

/** Maximum number of entries in one list of a node's options. */
export const MAX_LIST_ENTRIES = 1_000
/** Maximum number of address blocks in one comparison: reading them takes some ten milliseconds. */
export const MAX_ADDRESS_BLOCKS = 10_000

/** A list among the options of a node. */
interface OptionList {
  readonly name: string
  readonly entries: number
  readonly most: number
}

/**
 * Checks parts as they were sent, before any other check, which may take long on long lists.
 *
 * @param parts options of the nodes of a pipeline after the change
 * @param before the present options; a list that was saved with more entries stays valid unless lists of its name grow
 * @returns the reason, if a list is too long
 */
export function optionLimitProblem(
  parts: readonly JsonValue[],
  before: readonly JsonValue[] = [],
): string | undefined {
  const known = new Map<string, number>()
  const longest = longestLists(parts)
  if (longest.length === 0) return undefined
  for (const { name, entries } of longestLists(before)) known.set(name, entries)
  const found = longest.find(({ name, entries }) => entries > (known.get(name) ?? 0))
  if (found === undefined) return undefined
  const [entries, most] = [found.entries, found.most].map(count => count.toLocaleString('en-US'))
  return `the list "${found.name}" has ${entries} entries: it may have at most ${most}. Use several nodes`
}

/** The longest of the lists of each name that exceed their limit. */
function longestLists(parts: readonly JsonValue[]): OptionList[] {
  const longest = new Map<string, OptionList>()
  const note = (list: OptionList) => {
    if (list.entries > Math.max(list.most, longest.get(list.name)?.entries ?? 0)) longest.set(list.name, list)
  }
  const waiting = [...parts]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) {
      for (const each of value) waiting.push(each)
    } else if (isJsonObject(value)) {
      const { str_operator: operator, value: operand } = value
      if (typeof operand === 'string' && operatorNamed(String(operator))?.operand === 'blocks')
        note({ name: 'value', entries: blocksIn(operand), most: MAX_ADDRESS_BLOCKS })
      for (const name in value) {
        const member = value[name] as JsonValue
        if (Array.isArray(member)) note({ name, entries: member.length, most: MAX_LIST_ENTRIES })
        if (typeof member === 'object') waiting.push(member)
      }
    }
  }
  return [...longest.values()]
}

function blocksIn(text: string): number {
  let blocks = 1
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) blocks++
  return blocks
}
