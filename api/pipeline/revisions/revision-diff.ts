import type { TSchema } from 'typebox'
import { AlertWrite } from '../../../engine/alerts/check-alert.ts'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import { replaceSecrets, type SecretSchema, schemaAt } from '../../../engine/nodes/contract/secret.ts'
import type { Steps } from '../../../engine/steps.ts'
import type { AlertDifference, NodeDifference } from '../../../schemas/http/pipeline/revision-api.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import type { AlertDocument, NodeDocument } from '../../../schemas/pipeline.ts'
import { jsonDifferences } from './json-difference.ts'

/** Maximum length of a value in a line for people; longer ones are cut. */
const MAX_SHOWN_CHARACTERS = 80
const MASK = '***'

/** Difference between two revisions in one part. */
interface Difference<Part> {
  readonly change: NodeDifference['change']
  readonly part: Part
  readonly members: NodeDifference['members']
}

/** Finds the differences of nodes. Secret options are masked: the change is visible, the values are not. */
export function* comparingNodes(
  catalogue: Catalogue,
  before: readonly NodeDocument[],
  after: readonly NodeDocument[],
): Steps<NodeDifference[]> {
  const found: NodeDifference[] = []
  for (const { change, part, members } of yield* comparing(before, after, nodeMembers)) {
    const { id, kind, type, title } = part
    const options = catalogue.declarationOf(kind, type)?.config
    const shown = members.map(member => maskedMember(options, member))
    found.push({ change, kind, id, type, title, members: shown })
    yield
  }
  return found
}

function maskedMember(
  options: TSchema | undefined,
  { path, ...values }: NodeDifference['members'][number],
): NodeDifference['members'][number] {
  const [, member, ...tokens] = path.split('/')
  if (member !== 'user_config' || options === undefined) return { path, ...values }
  return masked(schemaAt(options, tokens), { path, ...values })
}

function masked(
  schema: SecretSchema | undefined,
  { path, ...values }: NodeDifference['members'][number],
): NodeDifference['members'][number] {
  const shown = Object.entries(values).map(([name, value]) => {
    return [name, replaceSecrets(schema, value as JsonValue, () => MASK)] as const
  })
  return { path, ...Object.fromEntries(shown) }
}

/** Finds the differences of alerts. Secrets of their services are masked like those of nodes. */
export function* comparingAlerts(
  before: readonly AlertDocument[] = [],
  after: readonly AlertDocument[] = [],
): Steps<AlertDifference[]> {
  const found = yield* comparing(before, after, alertMembers)
  return found.map(({ change, part, members }) => ({
    change,
    id: part.id,
    name: String((part.alert_config.general as JsonObject).name),
    members: members.map(member => masked(schemaAt(AlertWrite, member.path.split('/').slice(1)), member)),
  }))
}

/** Prints one line for people per node, alert and member. */
export function* printingDifferences(
  nodes: readonly NodeDifference[],
  alerts: readonly AlertDifference[],
): Steps<string[]> {
  const lines: string[] = []
  for (const node of nodes) {
    for (const line of linesOf(node, `${node.kind} ${node.type}`, node.title)) lines.push(line)
    yield
  }
  for (const alert of alerts) {
    for (const line of linesOf(alert, 'alert', alert.name)) lines.push(line)
    yield
  }
  return lines
}

function linesOf(
  { change, id, members }: NodeDifference | AlertDifference,
  what: string,
  title: string | null,
): string[] {
  const name = `${what} ${title === null ? id : `"${title}" (${id})`}`
  if (change !== 'changed') return [`${change === 'added' ? '+' : '-'} ${name}`]
  return [`~ ${name}`, ...members.map(member => `    ${memberLine(member)}`)]
}

/** Finds parts that disappeared, then the others in the order of the later revision. */
function* comparing<Part extends { readonly id: string }>(
  before: readonly Part[],
  after: readonly Part[],
  membersOf: (part: Part) => JsonObject,
): Steps<Difference<Part>[]> {
  const earlier = new Map(before.map(part => [part.id, part]))
  const later = new Set(after.map(({ id }) => id))
  const found: Difference<Part>[] = before
    .filter(({ id }) => !later.has(id))
    .map(part => ({ change: 'removed', part, members: [] }))
  for (const part of after) {
    const old = earlier.get(part.id)
    if (old === undefined) found.push({ change: 'added', part, members: [] })
    else {
      const members = jsonDifferences(membersOf(old), membersOf(part))
      if (members.length > 0) found.push({ change: 'changed', part, members })
    }
    yield
  }
  return found
}

/** Describes the change of a member in a line for people. */
export function memberLine({ path, before, after }: NodeDifference['members'][number]): string {
  if (before === undefined) return `+ ${path} ${shown(after)}`
  if (after === undefined) return `- ${path} ${shown(before)}`
  return `~ ${path} ${shown(before)} → ${shown(after)}`
}

function shown(value: unknown): string {
  const text = jsonText(value as JsonValue)
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text
}

/** Members of a node without those that identify it. */
function nodeMembers({ id: _, kind: __, inputs, ...members }: NodeDocument): JsonObject {
  return { ...members, inputs: [...inputs] } as unknown as JsonObject
}

function alertMembers({ id: _, inputs, ...members }: AlertDocument): JsonObject {
  return { ...members, inputs: [...inputs] }
}
