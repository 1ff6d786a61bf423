import { Composer, CST, type Document, Lexer, LineCounter, Parser } from 'yaml'
import { MAX_PROBLEMS, type Problem } from '../../../engine/event/problem.ts'
import { type PieceReader, parsingJson } from '../../../engine/json/json-in-steps.ts'
import { nestingOf } from '../../../engine/json/json-source.ts'
import { parseKeptJson } from '../../../engine/json/json-text.ts'
import { finish, type Steps } from '../../../engine/steps.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import { MAX_DEPTH, TOO_DEEP, YamlReader } from './yaml-reader.ts'

export type FileFormat = 'json' | 'yaml'

/** Bounds comments and texts, too, because each is a single part. */
const MAX_YAML_CHARACTERS = 512 * 1024
/**
 * Parts are signs, words, blanks and line ends: about eight per line. The composer takes up to 30 ms for this number, in
 * which nothing else runs.
 */
const MAX_YAML_PARTS = 100_000
/** Parts of one step, half a millisecond. */
const YAML_PARTS_OF_STEP = 500
/**
 * Blank lines, comments, anchors, tags and signs between two values. The parser reads all of them again for some of them,
 * so its time grows with the square of their number.
 */
const MAX_YAML_PARTS_BETWEEN = 2_000
/** Length of a line such as `%TAG`. Each use of a tag repeats its prefix. */
const MAX_YAML_DIRECTIVE_CHARACTERS = 1_000
/** Parts that begin a value: aliases, quoted texts and brackets. A plain text has no such mark. */
const VALUE_STARTS = /^[*"'[{\]}]/
/** Depth far beyond that of a valid file, but small enough for recursion over the text. */
const MAX_TEXT_DEPTH = 4 * MAX_DEPTH
/** A document and a scalar count as well. The composer walks a list that is a key once for each of its levels. */
const MAX_YAML_DEPTH = MAX_DEPTH + 8

const JSON_READER: PieceReader = {
  maxDepth: MAX_TEXT_DEPTH,
  maxMembers: 10_000,
  read: parseKeptJson,
  object: entries => Object.fromEntries(entries),
}

export interface FileText {
  /** Undefined for a damaged text. */
  readonly value: JsonValue | undefined
  readonly problems: readonly Problem[]
  /** Line of a value, counted from 1; for a missing value, the line of the value around it. Undefined if unknown. */
  lineOf(instancePath: string): number | undefined
}

export function parseFile(text: string, format: FileFormat): FileText {
  return finish(parsingFile(text, format))
}

/** Like `parseFile`, in steps: a long text takes a tenth of a second, and one with many names several. */
export function* parsingFile(text: string, format: FileFormat): Steps<FileText> {
  return format === 'json' ? yield* parsingJsonFile(text) : yield* parsingYamlFile(text)
}

function* parsingJsonFile(text: string): Steps<FileText> {
  if (nestingOf(text) > MAX_TEXT_DEPTH) return refusedFile(TOO_DEEP)
  try {
    return { value: yield* parsingJson(text, JSON_READER), problems: [], lineOf: () => undefined }
  } catch (error) {
    return refusedFile(`must be JSON: ${(error as Error).message}`)
  }
}

function refusedFile(message: string): FileText {
  return { value: undefined, problems: [{ instancePath: '', message }], lineOf: () => undefined }
}

function* parsingYamlFile(text: string): Steps<FileText> {
  if (text.length > MAX_YAML_CHARACTERS)
    return refusedFile(
      `must NOT have more than ${MAX_YAML_CHARACTERS} characters as YAML: a larger one may be JSON`,
    )
  const lines = new LineCounter()
  const tokens = yield* yamlTokens(text, lines)
  if (typeof tokens === 'string') return refusedFile(tokens)
  yield
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
  yield
  const reader = new YamlReader(document)
  const { value, problems } = reader.read()
  const lineOf = (instancePath: string): number | undefined => {
    const start = reader.startOf(instancePath)
    return start === undefined ? undefined : lines.linePos(start).line
  }
  return { value, problems, lineOf }
}

/** Returns the tokens of a text, or the reason why the text is too large to read. */
function* yamlTokens(text: string, lines: LineCounter): Steps<CST.Token[] | string> {
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  let parts = 0
  let partsBetween = 0
  lines.addNewLine(0)
  for (const part of new Lexer().lex(text)) {
    if (++parts > MAX_YAML_PARTS)
      return `must NOT have more than ${MAX_YAML_PARTS} signs, words and line ends as YAML: a larger one may be JSON`
    const isWord = part === CST.SCALAR || VALUE_STARTS.test(part)
    partsBetween = isWord ? 0 : partsBetween + 1
    if (partsBetween > MAX_YAML_PARTS_BETWEEN)
      return `must NOT have more than ${MAX_YAML_PARTS_BETWEEN} signs, comments and line ends between two values as YAML`
    if (part.startsWith('%') && part.length > MAX_YAML_DIRECTIVE_CHARACTERS && parser.stack.length === 0)
      return `must NOT have more than ${MAX_YAML_DIRECTIVE_CHARACTERS} characters in a YAML directive`
    for (const token of parser.next(part)) tokens.push(token)
    if (parser.stack.length > MAX_YAML_DEPTH) return TOO_DEEP
    if (parts % YAML_PARTS_OF_STEP === 0) yield
  }
  tokens.push(...parser.end())
  return tokens
}

/** The first document, and the second if there is one; further documents are not read. */
function composed(tokens: readonly CST.Token[], length: number): [Document.Parsed, Document.Parsed?] {
  const composer = new Composer({
    schema: 'core',
    resolveKnownTags: false,
    intAsBigInt: true,
    uniqueKeys: false, // the reader checks this itself, in less than quadratic time
    prettyErrors: false,
  })
  const documents = composer.compose(tokens, true, length)
  const document = documents.next().value as Document.Parsed
  const { value: another } = documents.next()
  return another === undefined ? [document] : [document, another]
}

/** Runs without stack traces. Each mistake in a text creates an error, and most of its cost would be the unused trace. */
function withoutTraces<Result>(run: () => Result): Result {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return run()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
