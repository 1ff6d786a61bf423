import { jsonText } from '../../engine/json-text.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import type { NodeDifference } from '../../schemas/revision-api.ts'
import { jsonDifferences } from './json-difference.ts'

/** How long a value may be in a line for people; what is longer is cut. */
const MAX_SHOWN_CHARACTERS = 80

/** What differs between the nodes of two revisions: those that went, then the others in the order of the later one. */
export function nodeDifferences(
  before: readonly NodeDocument[],
  after: readonly NodeDocument[],
): NodeDifference[] {
  const earlier = new Map(before.map(node => [node.id, node]))
  const later = new Set(after.map(({ id }) => id))
  const removed = before.filter(({ id }) => !later.has(id)).map(node => difference('removed', node, []))
  const others = after.flatMap(node => {
    const old = earlier.get(node.id)
    if (old === undefined) return [difference('added', node, [])]
    const members = jsonDifferences(membersOf(old), membersOf(node))
    return members.length === 0 ? [] : [difference('changed', node, members)]
  })
  return [...removed, ...others]
}

/** One line for people per node and member. */
export function differenceLines(differences: readonly NodeDifference[]): string[] {
  return differences.flatMap(({ change, kind, id, type, title, members }) => {
    const name = `${kind} ${type} ${title === null ? id : `"${title}" (${id})`}`
    if (change !== 'changed') return [`${change === 'added' ? '+' : '-'} ${name}`]
    return [`~ ${name}`, ...members.map(member => `    ${memberLine(member)}`)]
  })
}

function memberLine({ path, before, after }: NodeDifference['members'][number]): string {
  if (before === undefined) return `+ ${path} ${shown(after)}`
  if (after === undefined) return `- ${path} ${shown(before)}`
  return `~ ${path} ${shown(before)} → ${shown(after)}`
}

function shown(value: unknown): string {
  const text = jsonText(value as JsonValue)
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text
}

function difference(
  change: NodeDifference['change'],
  { id, kind, type, title }: NodeDocument,
  members: NodeDifference['members'],
): NodeDifference {
  return { change, kind, id, type, title, members }
}

/** A node without what tells it from others. */
function membersOf({ id: _, kind: __, inputs, ...members }: NodeDocument): JsonObject {
  return { ...members, inputs: [...inputs] } as unknown as JsonObject
}
