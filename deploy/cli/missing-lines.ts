import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import type { ListedColumn, Listing } from './output/output.ts'
import type { Times } from './times/times.ts'

/** The table shows so many characters of a line. */
const LINE_CHARACTERS = 80
const ENDS: ReadonlySet<unknown> = new Set(['dropped', 'failed'])

interface MissingLine {
  readonly time: string
  readonly app: string
  /** Nodes and rules that kept it out of the store. */
  readonly endedBy: string
  /** Key of the throttle that dropped it. */
  readonly key: string
  /** Time from which the next event with the key passes. */
  readonly freeFrom: string
  readonly line: string
}

const COLUMNS: readonly ListedColumn<MissingLine>[] = [
  { title: 'TIME', text: ({ time }) => time },
  { title: 'APP', text: ({ app }) => app },
  { title: 'ENDED BY', text: ({ endedBy }) => endedBy },
  { title: 'KEY', text: ({ key }) => key },
  { title: 'FREE FROM', text: ({ freeFrom }) => freeFrom },
  { title: 'LINE', text: ({ line }) => line },
]

/** Forms of lines of which nothing is in the store. */
export const MISSING_LINES: Listing<MissingLine> = {
  columns: COLUMNS,
  rawFields: ['line'],
  none: 'No such line is missing from the store.',
}

/** The row of an explained line. */
export function missingLine(explained: JsonObject, times: Times): MissingLine {
  const { message } = explained.event as { readonly message: JsonValue }
  const sent = isJsonObject(message) ? message : {}
  const ends = stepsOf(explained).filter(isEnd)
  const rules = (explained.excluded ?? []) as JsonObject[]
  const bucket = ends
    .map(({ reason }) => reason)
    .find(reason => isJsonObject(reason) && 'free_from' in reason)
  const { bucket: key, free_from: freeFrom } = (bucket ?? {}) as JsonObject
  const named = [...ends.map(nameOf), ...rules.map(({ reason }) => textOf((reason as JsonObject).rule))]
  return {
    time: times.text(Date.parse(String(explained.handled_at))),
    app: textOf(sent.app),
    endedBy: named.length === 0 ? String(explained.summary) : [...new Set(named)].join('; '),
    key: textOf(key),
    freeFrom: typeof freeFrom === 'string' ? times.text(Date.parse(freeFrom)) : '',
    line: cut(textOf(sent.line ?? message)),
  }
}

function stepsOf({ pipeline, pipelines }: JsonObject): readonly JsonObject[] {
  const ways = [pipeline, ...((pipelines ?? []) as readonly JsonValue[])]
  return ways.filter(isJsonObject).flatMap(({ steps }) => (steps ?? []) as JsonObject[])
}

/** A destination that a rule on lines kept out is named by that rule. */
function isEnd({ kind, outcome, reason }: JsonObject): boolean {
  const isOfRule = kind === 'sink' && isJsonObject(reason) && 'rule' in reason
  return ENDS.has(outcome) && !isOfRule
}

function nameOf({ type, title, node_id: id, outcome, errors }: JsonObject): string {
  const name = `${String(type)} ${title === null ? String(id) : `"${String(title)}"`}`
  const [error] = (errors ?? []) as readonly JsonObject[]
  return outcome === 'failed' && error !== undefined ? `${name}: ${String(error.code)}` : name
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function cut(text: string): string {
  return text.length > LINE_CHARACTERS ? `${text.slice(0, LINE_CHARACTERS)}…` : text
}
