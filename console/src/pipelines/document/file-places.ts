import type { Node } from 'yaml'

type Yaml = typeof import('yaml')

/** A finding of the server. */
interface Finding {
  /** JSON pointer without its first slash. */
  readonly place: string
  readonly message: string
}

/** A finding at the characters of the text that it is about. */
export interface PlacedFinding {
  /** Offset of the first character. */
  readonly from: number
  /** Offset behind the last one. */
  readonly to: number
  /** Number of its line, from 1 on. */
  readonly line: number
  readonly message: string
}

/** Line that the server names in a finding about the form of the text. */
const NAMED_LINE = /\(line (\d+)\)$/
/** Member that the server names in a finding about the object around it. */
const NAMED_MEMBER = /must NOT have additional properties: ['"]([^'"]+)['"]/

/** Finds the places of findings in a file of YAML or JSON, in the order of the text. */
export function placedFindings(
  yaml: Yaml,
  text: string,
  findings: readonly Finding[],
): readonly PlacedFinding[] {
  const document = yaml.parseDocument(text, { logLevel: 'silent' })
  const placed = findings.map(({ place, message }) => {
    const [, line] = NAMED_LINE.exec(message) ?? []
    const from =
      line === undefined ? offsetOf(yaml, document, stepsOf(place, message)) : startOfLine(text, Number(line))
    return { from, to: endOfLine(text, from), line: lineOf(text, from), message: sentenceOf(place, message) }
  })
  return placed.toSorted((a, b) => a.from - b.from)
}

/** Steps from the document to a value. @param place JSON pointer without its first slash */
function stepsOf(place: string, message: string): readonly string[] {
  const steps = place === '' ? [] : place.split('/')
  const [, member] = NAMED_MEMBER.exec(message) ?? []
  return [...steps, ...(member === undefined ? [] : [member])].map(each =>
    each.replaceAll('~1', '/').replaceAll('~0', '~'),
  )
}

/** Offset at which a value begins; without it, that of the value around it. A member begins at its key. */
function offsetOf(yaml: Yaml, document: ReturnType<Yaml['parseDocument']>, steps: readonly string[]): number {
  let node: unknown = document.contents
  let offset = startOf(node) ?? 0
  for (const step of steps) {
    if (yaml.isAlias(node)) node = node.resolve(document)
    const pair = yaml.isMap(node)
      ? node.items.find(({ key }) => String(yaml.isScalar(key) ? key.value : key) === step)
      : undefined
    const next = yaml.isSeq(node) ? node.items[Number(step)] : pair?.value
    if (pair === undefined && next === undefined) break
    offset = startOf(pair?.key ?? next) ?? offset
    node = next
  }
  return offset
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0]
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function startOfLine(text: string, line: number): number {
  const before = text.split('\n').slice(0, line - 1)
  const start = before.reduce((sum, { length }) => sum + length + 1, 0)
  const indent = /^ */.exec(text.slice(start))?.[0].length ?? 0
  return Math.min(start + indent, text.length)
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end
}

/** The finding with the name of the member that it is about. */
function sentenceOf(place: string, message: string): string {
  return place === '' ? message : `${place.replaceAll('~1', '/').replaceAll('~0', '~')}: ${message}`
}
