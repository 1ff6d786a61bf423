import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseAst } from 'vitest/node'

/** A module of the project: its path from the root, with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

const ROOT = new URL('../../', import.meta.url).pathname
const FOLDERS = ['schemas', 'engine', 'api', 'console', 'deploy', 'test']

export function projectSources(): SourceFile[] {
  return FOLDERS.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map(entry => {
        const path = join(entry.parentPath, entry.name)
        return { path: path.slice(ROOT.length), text: readFileSync(path, 'utf8') }
      }),
  )
}

export interface Import {
  /** Name of the module. Of a computed name, the text of its expression, which is the name of no module. */
  readonly specifier: string
  /** True: erased before the program runs. */
  readonly typeOnly: boolean
  /** Imported values, by their names in the module; `*`: possibly all of them. None if it is erased. */
  readonly names: readonly string[]
}

/** Node of the syntax tree (ESTree with types). */
interface SyntaxNode {
  readonly type: string
  readonly [member: string]: unknown
}

const known = new WeakMap<SourceFile, readonly Import[]>()

/** Returns the imports and re-exports of a module, at any place of it. @throws if its text is not TypeScript */
export function importsOf(file: SourceFile): readonly Import[] {
  let imports = known.get(file)
  if (imports === undefined) {
    imports = plainImports(file) ?? parsedImports(file)
    known.set(file, imports)
  }
  return imports
}

/** Import statements in the form that the formatter gives them, without comments. */
const PLAIN = /^import (type )?(?:(?:\{([\w$\s,]*)\}|[\w$]+|\* as [\w$]+) from )?'([^'\n]+)'$/gm

/**
 * Returns the imports of a file whose every word `import` begins a plain statement, and that re-exports nothing: most files
 * are of this kind, and to parse all takes seconds. Undefined: only a parser knows the imports.
 */
function plainImports({ text }: SourceFile): Import[] | undefined {
  const words = text.match(/\bimport\b/g) ?? []
  const statements = [...text.matchAll(PLAIN)]
  if (words.length > statements.length || /\bexport\s*(type\s*)?[*{/]/.test(text)) return undefined
  return statements.map(([, type, listed, specifier]) => ({
    specifier: specifier as string,
    typeOnly: type !== undefined,
    names: type !== undefined ? [] : listed === undefined ? ['*'] : listedNames(listed),
  }))
}

function listedNames(listed: string): string[] {
  return listed
    .split(',')
    .map(name => name.trim().replace(/\sas\s.*$/s, ''))
    .filter(name => name !== '' && !name.startsWith('type '))
}

function parsedImports({ path, text }: SourceFile): Import[] {
  const { body } = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path)
  const statements = (body as unknown as readonly SyntaxNode[]).flatMap(node => importOf(node, text) ?? [])
  // All other imports are expressions or types, with a parenthesis behind the word.
  return /\bimport\s*[(/]/.test(text) ? [...statements, ...nestedImports(body, text)] : statements
}

/** Returns what a statement imports; undefined if it is another one. */
function importOf(node: SyntaxNode, text: string): Import | undefined {
  const { type, source, specifiers = [], importKind, exportKind } = node
  if (!isNode(source) || !/^(Import|ExportNamed|ExportAll)Declaration$/.test(type)) return undefined
  const typeOnly = importKind === 'type' || exportKind === 'type'
  const isWhole = type === 'ExportAllDeclaration' || (specifiers as unknown[]).length === 0
  const names = isWhole ? ['*'] : (specifiers as readonly SyntaxNode[]).flatMap(nameOf)
  return { specifier: moduleName(source, text), typeOnly, names: typeOnly ? [] : names }
}

function nameOf({ importKind, exportKind, imported, local, type }: SyntaxNode): string[] {
  if (importKind === 'type' || exportKind === 'type') return []
  const name = type === 'ExportSpecifier' ? local : imported
  return [isNode(name) ? String(name.name ?? name.value) : '*']
}

/** Expressions `import(…)`, and types of this form. */
function nestedImports(within: unknown, text: string): Import[] {
  if (Array.isArray(within)) return within.flatMap(each => nestedImports(each, text))
  if (!isNode(within)) return []
  const { type, source } = within
  const typeOnly = type === 'TSImportType'
  const own =
    isNode(source) && (typeOnly || type === 'ImportExpression')
      ? [{ specifier: moduleName(source, text), typeOnly, names: typeOnly ? [] : ['*'] }]
      : []
  return [...own, ...Object.values(within).flatMap(each => nestedImports(each, text))]
}

function moduleName({ value, quasis, start, end }: SyntaxNode, text: string): string {
  if (typeof value === 'string') return value
  const [only, ...others] = (quasis ?? []) as readonly { readonly value: { readonly cooked: string } }[]
  return only !== undefined && others.length === 0
    ? only.value.cooked
    : text.slice(start as number, end as number)
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** The path of the module that a relative import means; undefined for packages. */
export function importedPath(file: SourceFile, specifier: string): string | undefined {
  return specifier.startsWith('.') ? normalize(join(dirname(file.path), specifier)) : undefined
}

/** Name of the package of an import, without its path: `@scope/name`, `name`, `node:fs`. */
export function importedPackage(specifier: string): string | undefined {
  if (specifier.startsWith('.')) return undefined
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

/** The program text alone: comments and the content of plain strings are gone. */
export function codeOf(file: SourceFile): string {
  return withoutComments(file.text).replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
}
