import { bindParameters, textLiteral } from '../sql-text.ts'
import { notImplemented } from './engine-error.ts'

/** Rows of a statement, in a file that the engine can read. */
export interface RowsFile {
  readonly path: string
  readonly format: string
}

/** Texts, quoted names and comments, in which nothing is replaced, and then the parts that are. */
const OTHER = /'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|--[^\n]*|\/\*[\s\S]*?\*\//
const INPUT = new RegExp(`${OTHER.source}|\\binput\\s*\\(\\s*('(?:[^'\\\\]|\\\\.)*')\\s*\\)`, 'gi')
const LAST_FORMAT = /\s+FORMAT\s+(\w+)\s*;?\s*$/i

/**
 * Makes the function `input(structure)` of a statement read a file: the embedded engine accepts no rows beside a
 * statement.
 */
export function readingInput(sql: string, path: string): string {
  const format = LAST_FORMAT.exec(sql)?.[1]
  if (format === undefined) throw notImplemented('rows need a FORMAT at the end of their statement')
  return sql
    .replace(LAST_FORMAT, '')
    .replace(INPUT, (token: string, structure: string | undefined) =>
      structure === undefined ? token : fileTable({ path, format }, structure),
    )
}

/** Whether the statement reads rows that are sent with it. */
export function readsInput(sql: string): boolean {
  return [...sql.matchAll(INPUT)].some(([, structure]) => structure !== undefined)
}

/** Makes a statement read a file wherever it names an external table. */
export function readingTable(sql: string, name: string, structure: string, file: RowsFile): string {
  const names = new RegExp(`${OTHER.source}|\\b(${name})\\b`, 'g')
  return sql.replace(names, (token: string, found: string | undefined) =>
    found === undefined ? token : fileTable(file, textLiteral(structure)),
  )
}

function fileTable({ path, format }: RowsFile, structure: string): string {
  return `file(${textLiteral(path)}, ${textLiteral(format)}, ${structure})`
}

/** Parameters as HTTP gives them: escaped as in tab-separated files; the elements of lists within their quotes. */
export function bindHttpParameters(sql: string, parameters: Readonly<Record<string, string>>): string {
  return bindParameters({ sql, parameters }, (value, type) =>
    /^(?:Array|Map|Tuple)\(/.test(type) ? value : unescaped(value as string),
  )
}

const ESCAPED: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  b: '\b',
  f: '\f',
  a: '\x07',
  v: '\v',
  '0': '\0',
}

function unescaped(text: string): string | null {
  if (text === '\\N') return null
  return text.replace(/\\(.)/gs, (_, character: string) => ESCAPED[character] ?? character)
}
