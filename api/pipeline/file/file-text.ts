import {
  type Alias,
  Composer,
  type CST,
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  Scalar,
  visit,
} from 'yaml'
import { MAX_PROBLEMS, type Problem, pointerTo } from '../../../engine/event/problem.ts'
import { nestingOf } from '../../../engine/json/json-source.ts'
import { parseKeptJson } from '../../../engine/json/json-text.ts'
import type { PipelineFile } from '../../../schemas/http/pipeline-file.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'

export type FileFormat = 'json' | 'yaml'

/** Also of a comment or a text, which are one part. */
const MAX_YAML_CHARACTERS = 512 * 1024
/** Signs, words, blanks and line ends: some eight to a line. These take 0.1 s, and nothing else is done meanwhile. */
const MAX_YAML_PARTS = 100_000
/** As for JSON: deeper than any document, and an alias inside of what it stands for ends there. */
const MAX_DEPTH = 64
/** Far beyond, and low enough that whoever walks the text by recursion does not run out of stack. */
const MAX_TEXT_DEPTH = 4 * MAX_DEPTH
const TOO_DEEP = `must NOT be nested more than ${MAX_DEPTH} levels deep`
/** Aliases that stand for what holds aliases grow without bounds. */
const MAX_VALUES = 200_000

/**
 * Folding can change what a line says, and a change of one word would be a change of many lines: every line is one
 * line, in blocks as they are, in quotes as in JSON.
 */
const PLAIN = {
  lineWidth: 0,
  blockQuote: 'literal',
  doubleQuotedAsJSON: true,
  singleQuote: false,
} as const

export interface FileText {
  /** Undefined when the text is damaged. */
  readonly value: JsonValue | undefined
  readonly problems: readonly Problem[]
  /** Line of a value, counted from 1; of what holds it when it is not there. Undefined where nobody knows. */
  lineOf(instancePath: string): number | undefined
}

export function parseFile(text: string, format: FileFormat): FileText {
  return format === 'json' ? parseJsonFile(text) : parseYamlFile(text)
}

/** The bytes of the same file are always the same. */
export function printFile(file: PipelineFile, format: FileFormat): string {
  if (format === 'json') return `${JSON.stringify(file, asRawJson, 2)}\n`
  const document = new Document(file, { aliasDuplicateObjects: false, version: '1.2' })
  visit(document, { Scalar: (_key, scalar) => quoteBlank(scalar) })
  return document.toString(PLAIN)
}

/** A block of blank lines would lose its blanks. */
function quoteBlank(scalar: Scalar): void {
  if (typeof scalar.value === 'string' && scalar.value.trim() === '') scalar.type = Scalar.QUOTE_DOUBLE
}

function asRawJson(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(value.toString())
}

function parseJsonFile(text: string): FileText {
  if (nestingOf(text) > MAX_TEXT_DEPTH) return refusedFile(TOO_DEEP)
  try {
    return { value: parseKeptJson(text), problems: [], lineOf: () => undefined }
  } catch (error) {
    return refusedFile(`must be JSON: ${(error as Error).message}`)
  }
}

function refusedFile(message: string): FileText {
  return { value: undefined, problems: [{ instancePath: '', message }], lineOf: () => undefined }
}

function parseYamlFile(text: string): FileText {
  if (text.length > MAX_YAML_CHARACTERS)
    return refusedFile(
      `must NOT have more than ${MAX_YAML_CHARACTERS} characters as YAML: a larger one may be JSON`,
    )
  const lines = new LineCounter()
  const tokens = yamlTokens(text, lines)
  if (typeof tokens === 'string') return refusedFile(tokens)
  const [document, another] = withoutTraces(() => composed(tokens, text.length))
  if (another !== undefined) {
    const { line } = lines.linePos(another.range[0])
    return refusedFile(`must be YAML with one document: there are multiple documents (line ${line})`)
  }
  const broken = [...document.errors, ...document.warnings]
    .slice(0, MAX_PROBLEMS)
    .map(({ message, pos: [at] }) => ({
      instancePath: '',
      message: `must be YAML: ${message} (line ${lines.linePos(at).line})`,
    }))
  if (broken.length > 0) return { value: undefined, problems: broken, lineOf: () => undefined }
  const reader = new YamlReader(document)
  const value = reader.read(document.contents, '')
  const { problems, starts } = reader
  const lineOf = (instancePath: string): number | undefined => {
    for (let pointer = instancePath; ; pointer = pointer.slice(0, pointer.lastIndexOf('/'))) {
      const start = starts.get(pointer)
      if (start !== undefined) return lines.linePos(start).line
      if (pointer === '') return undefined
    }
  }
  return { value: problems.length > 0 ? undefined : value, problems, lineOf }
}

/** The syntax of a text, or why there is too much of it to be looked at. */
function yamlTokens(text: string, lines: LineCounter): CST.Token[] | string {
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  let parts = 0
  lines.addNewLine(0)
  for (const part of new Lexer().lex(text)) {
    if (++parts > MAX_YAML_PARTS)
      return `must NOT have more than ${MAX_YAML_PARTS} signs, words and line ends as YAML: a larger one may be JSON`
    for (const token of parser.next(part)) tokens.push(token)
    if (parser.stack.length > MAX_TEXT_DEPTH) return TOO_DEEP
  }
  tokens.push(...parser.end())
  return tokens
}

/** One document, and a further one when there is one: nobody reads more. */
function composed(tokens: readonly CST.Token[], length: number): [Document.Parsed, Document.Parsed?] {
  const composer = new Composer({
    schema: 'core',
    resolveKnownTags: false,
    intAsBigInt: true,
    uniqueKeys: false, // The reader looks at it, and takes no quadratic time for it.
    prettyErrors: false,
  })
  const documents = composer.compose(tokens, true, length)
  const document = documents.next().value as Document.Parsed
  const { value: another } = documents.next()
  return another === undefined ? [document] : [document, another]
}

/** Each mistake of a text is an error object, and the trace of the stack, which nobody sees, most of its cost. */
function withoutTraces<Result>(run: () => Result): Result {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return run()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Makes JSON of YAML: every alias becomes a copy, and what JSON cannot say is a finding. */
class YamlReader {
  readonly problems: Problem[] = []
  /** Where each value begins, by its pointer; a member begins at its key. */
  readonly starts = new Map<string, number>()
  readonly #document: Document
  #left = MAX_VALUES

  constructor(document: Document) {
    this.#document = document
  }

  read(node: unknown, pointer: string, depth = 0, start?: number): JsonValue {
    const at = start ?? (node as Scalar | null)?.range?.[0]
    if (at !== undefined) this.starts.set(pointer, at)
    this.#left--
    if (this.#left === 0) this.#refused('', `must NOT have more than ${MAX_VALUES} values`)
    if (this.#left <= 0) return null
    if (depth > MAX_DEPTH) return this.#refused(pointer, TOO_DEEP)
    if (isAlias(node)) return this.#aliased(node, pointer, depth, at)
    if (isSeq(node))
      return node.items.map((item, index) => this.read(item, pointerTo(pointer, index), depth + 1))
    if (isMap(node)) return this.#object(node.items, pointer, depth)
    return this.#scalar(isScalar(node) ? node.value : null, pointer)
  }

  #aliased(alias: Alias, pointer: string, depth: number, start: number | undefined): JsonValue {
    const meant = alias.resolve(this.#document)
    if (meant === undefined) return this.#refused(pointer, `must be an anchor from before: *${alias.source}`)
    return this.read(meant, pointer, depth + 1, start)
  }

  #object(
    items: readonly { readonly key: unknown; readonly value: unknown }[],
    pointer: string,
    depth: number,
  ): JsonObject {
    const object: JsonObject = {}
    for (const { key, value: member } of items) {
      const name = isScalar(key) ? String(key.value) : undefined
      if (name === undefined) {
        this.#refused(pointer, 'must have plain texts for names of members')
        continue
      }
      const place = pointerTo(pointer, name)
      if (Object.hasOwn(object, name)) this.#refused(place, 'must NOT be there twice')
      const value = this.read(member, place, depth + 1, (key as Scalar).range?.[0])
      // A definition, not an assignment: a member may be named `__proto__`.
      Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
    }
    return object
  }

  #scalar(value: unknown, pointer: string): JsonValue {
    switch (typeof value) {
      case 'bigint':
      case 'number': {
        const number = Number(value)
        if (!Number.isFinite(number)) return this.#refused(pointer, 'must be a number that JSON can hold')
        return Number.isSafeInteger(number) ? number : (value as number | bigint)
      }
      case 'string':
      case 'boolean':
        return value
      default:
        return value === null ? null : this.#refused(pointer, 'must be a value that JSON can hold')
    }
  }

  #refused(instancePath: string, message: string): null {
    this.problems.push({ instancePath, message })
    return null
  }
}
