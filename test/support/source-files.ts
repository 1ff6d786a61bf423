import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A module of the project: its path from the root, with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

const ROOT = new URL('../../', import.meta.url).pathname
const FOLDERS = ['schemas', 'engine', 'api', 'deploy', 'test']

export function projectSources(): SourceFile[] {
  return FOLDERS.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
      .map(entry => {
        const path = join(entry.parentPath, entry.name)
        return { path: path.slice(ROOT.length), text: readFileSync(path, 'utf8') }
      }),
  )
}

export interface Import {
  readonly specifier: string
  /** True: erased before the program runs. */
  readonly typeOnly: boolean
}

const IMPORTS =
  /^(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm

export function importsOf(file: SourceFile): Import[] {
  return [...withoutComments(file.text).matchAll(IMPORTS)].map(match => ({
    specifier: (match[2] ?? match[3]) as string,
    typeOnly: match[1] !== undefined,
  }))
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
