import { Document, Scalar, visit } from 'yaml'
import {
  type Collection,
  isLarge,
  membersOf,
  printingJson,
  sizeOf,
} from '../../../engine/json/json-printing.ts'
import { finish, type Steps } from '../../../engine/steps.ts'
import type { PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import type { FileFormat } from './file-text.ts'

/** Size of values that are printed as YAML at once, in characters: a millisecond. */
const YAML_AT_ONCE = 2_048
/** Indentation of the elements of a list or an object. */
const STEP = '  '

/**
 * Keeps every line of a text on one line: unchanged in blocks, and as in JSON within quotes. Folding could change the
 * meaning of a line, and the change of one word would then change many lines.
 */
const PLAIN = {
  lineWidth: 0,
  blockQuote: 'literal',
  doubleQuotedAsJSON: true,
  singleQuote: false,
} as const

/** Prints a file; the same file always gives the same bytes. */
export function printFile(file: PipelineFile, format: FileFormat): string {
  return finish(printingFile(file, format))
}

/**
 * Prints a file in steps: a long one takes more than a second.
 *
 * @param atOnce size of values that are printed at once; the text does not depend on it
 */
export function* printingFile(file: PipelineFile, format: FileFormat, atOnce?: number): Steps<string> {
  if (format === 'json') return `${yield* printingJson(file, { step: STEP, atOnce })}\n`
  const pieces: string[] = []
  // A file consists of JSON values.
  for (const piece of yamlPieces(file as unknown as JsonObject, '', atOnce ?? YAML_AT_ONCE)) {
    pieces.push(piece)
    yield
  }
  return `${pieces.join('')}\n`
}

type Members = (readonly [name: string | undefined, member: JsonValue])[]

/** Prints a collection that is not empty. Its first line begins where the text before ends, and its last line has no end. */
function* yamlPieces(value: Collection, indent: string, atOnce: number): Iterable<string> {
  let before = ''
  let together: Members = []
  let size = 0
  const printTogether = () => {
    const text = before + yamlOf(together, indent)
    before = `\n${indent}`
    together = []
    size = 0
    return text
  }
  for (const [name, member] of membersOf(value)) {
    const start = isLarge(member, atOnce) ? yamlStart(name, indent) : undefined
    if (start === undefined) {
      together.push([name, member])
      size += sizeOf(member, atOnce)
      if (size >= atOnce) yield printTogether()
      continue
    }
    if (together.length > 0) yield printTogether()
    yield before + start
    yield* yamlPieces(member as Collection, indent + STEP, atOnce)
    before = `\n${indent}`
  }
  if (together.length > 0) yield printTogether()
}

/** Prints members of one object, or elements of one list, whose lines after the first are indented. */
function yamlOf(members: Members, indent: string): string {
  const isList = members[0]?.[0] === undefined
  return yamlText(isList ? members.map(([, member]) => member) : new Map(members), indent)
}

/** Text before the lines of a large value; undefined for a name so long that YAML writes the value in another way. */
function yamlStart(name: string | undefined, indent: string): string | undefined {
  if (name === undefined) return '- '
  const text = yamlText({ [name]: null }, indent)
  return text.startsWith('? ') ? undefined : `${text.slice(0, -' null'.length)}\n${indent}${STEP}`
}

/** Some names are only quoted in the outermost object, so that other objects are printed within a list. */
function yamlText(value: object, indent: string): string {
  if (indent === '') return documentText(value)
  return documentText([value]).slice(STEP.length).replaceAll(`\n${STEP}`, `\n${indent}`)
}

function documentText(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false, version: '1.2' })
  visit(document, { Scalar: (_key, scalar) => quoteBlank(scalar) })
  return document.toString(PLAIN).slice(0, -'\n'.length)
}

/** Quotes blank lines, because a block would lose their blanks. */
function quoteBlank(scalar: Scalar): void {
  if (typeof scalar.value === 'string' && scalar.value.trim() === '') scalar.type = Scalar.QUOTE_DOUBLE
}
