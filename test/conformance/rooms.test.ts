import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ROOMS, roomOf } from '../support/rooms.ts'
import {
  codeOf,
  importedPackage,
  importedPath,
  importsOf,
  projectSources,
  type SourceFile,
} from '../support/source-files.ts'

/** Maximum number of sources in a folder, without tests: longer lists are hard to read. */
const MOST_SOURCES = 30
/** Folders of one-node files: their list is the list of nodes. */
const MAY_BE_LONG = ['engine/nodes/processors', 'engine/nodes/destinations', 'engine/nodes/sources']

/** Folders whose parts each have a small test beside them: an example of what the part does with a record. */
const WITH_EXAMPLES = ['engine/delivery/', 'engine/fold/', 'engine/worker/']
/** Error classes without behaviour. */
const WITHOUT_EXAMPLE = ['engine/fold/fold-error.ts']

/** Folders without a row: node types, and a program that is compiled by itself. */
const PART_OF_ROOM = /^engine\/(nodes\/(processors|sources|destinations)|lines\/wasm\/assembly)(\/|$)/

/** Node types, which only wiring names: graph, fold and API receive a catalogue of them. */
const NODES = /^engine\/nodes\/(catalogue\.ts|(processors|sources|destinations)\/)/
/** Bounds of the code that a room reaches at run time, by however many steps. */
interface Reach {
  readonly never?: RegExp
  /** Packages and modules of Node; absent: all. */
  readonly packages?: readonly string[]
  /** Global values that the code must not use. */
  readonly globals?: RegExp
  /** Folder of the room to which this does not apply. */
  readonly without?: string
}

/** Global values that a browser lacks; members of other objects may have these names. */
const NODE_GLOBALS = globalNames([
  ...['Buffer', 'process', 'setImmediate', 'clearImmediate', '__dirname', '__filename', 'global', 'require'],
  'globalThis',
])

/**
 * Global values whose results depend on nothing but their arguments. Of `Date` and `Math`, another test forbids the
 * members that read the clock or draw a number.
 */
const PURE_GLOBALS: ReadonlySet<string> = new Set(
  `undefined NaN Infinity isFinite isNaN parseFloat parseInt decodeURIComponent encodeURIComponent Number BigInt Math String RegExp Boolean Symbol Date
  Object Array Map Set WeakMap WeakSet Iterator Promise Proxy Reflect JSON TextEncoder TextDecoder URL URLSearchParams Buffer
  Error AggregateError RangeError SyntaxError TypeError ArrayBuffer DataView Int8Array Uint8Array Int16Array
  Uint16Array Int32Array Uint32Array Float64Array WebAssembly`.split(/\s+/),
)

/** Every other global value of this Node: it leads to the clock, to chance, to the network, or to modules. */
const IMPURE = [
  ...Object.getOwnPropertyNames(globalThis).filter(name => !PURE_GLOBALS.has(name)),
  ...['require', 'module', '__dirname', '__filename', 'import.meta'],
]
const IMPURE_GLOBALS = globalNames(IMPURE)
/** Checks of options come with a node, and keep compiled expressions until the memory is needed. */
const IMPURE_GLOBALS_OF_NODES = globalNames(
  IMPURE.filter(name => name !== 'WeakRef' && name !== 'FinalizationRegistry'),
)

/** Names between the braces of an import, or of a type and its parameters. */
const OWN_NAMES =
  /^import\s+(?:type\s+)?\{([^}]*)\}|^(?:export\s+)?(?:class|interface|type|function)\s+(\w+(?:<[^>]*>)?)/gm

/** Bounds of everything that is a pure function of a log. */
const PURE: Reach = {
  never:
    /^engine\/(nodes\/(catalogue\.ts|(processors|sources|destinations)\/)|(log|store|clock|worker|entropy|outbound|configuration|replay)\/)/,
  packages: ['avsc', 'node:buffer', 'node:zlib', 're2js', 'typebox'],
  globals: IMPURE_GLOBALS,
}

/** Types of nodes. `ajv` and `node:vm` check options; the fold does not call them. */
const NODE_TYPES = {
  packages: ['ajv', 'avsc', 'leven', 'node:buffer', 'node:crypto', 'node:vm', 're2js', 'typebox'],
  globals: IMPURE_GLOBALS_OF_NODES,
}

/**
 * Bounds by room. A way ends at a package: the listed packages are trusted, and the test does not look at the modules that they
 * load. `avsc`, for example, requires `fs`, which the fold does not use: it only calls the codecs of schemas.
 */
const REACH: Readonly<Record<string, Reach>> = {
  // Checks of options come with the catalogue, too: neither ajv nor node:vm.
  'engine/graph': { never: NODES, packages: ['avsc', 'node:buffer', 'node:zlib', 're2js', 'typebox'] },
  'engine/worker': { never: NODES },
  'engine/replay': { never: NODES },
  api: { never: NODES },
  'engine/fold': PURE,
  'engine/delivery/fold': PURE,
  'engine/delivery/sending': { never: NODES },
  // The fold runs them, although it imports none of them.
  'engine/nodes/processors': NODE_TYPES,
  // One reads addresses, by `isIP`.
  'engine/nodes/destinations': { ...NODE_TYPES, packages: [...NODE_TYPES.packages, 'node:net'] },
  'engine/nodes/sources': NODE_TYPES,
  schemas: {
    never: /^(engine|api|deploy)\//,
    packages: ['typebox'],
    globals: NODE_GLOBALS,
    without: 'schemas/log',
  },
  'engine/query-language': { packages: [], globals: NODE_GLOBALS },
  // The page reads queries with the parser of the server.
  console: { never: /^(engine\/(?!query-language\/)|api\/|deploy\/)/, globals: NODE_GLOBALS },
}

const isTest = ({ path }: SourceFile) => path.endsWith('.test.ts') || path.startsWith('test/')

/** Tests may import everything, and nothing but tests imports them. */
function wrongImports(files: readonly SourceFile[]): string[] {
  return files
    .filter(file => !isTest(file))
    .flatMap(file =>
      importsOf(file).flatMap(({ specifier }) => {
        const target = importedPath(file, specifier)
        if (target === undefined) return []
        const from = roomOf(file.path)
        const to = target.endsWith('.test.ts') ? undefined : roomOf(target)
        const allowed: readonly string[] = from === undefined ? [] : [from, ...ROOMS[from]]
        return to !== undefined && allowed.includes(to) ? [] : [`${file.path} imports ${target}`]
      }),
    )
}

/** Circles of a graph, each as the names on its way. */
function circles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const found: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const visit = (name: string, trail: readonly string[]) => {
    if (state.get(name) === 'done') return
    if (state.get(name) === 'open') {
      found.push([...trail.slice(trail.indexOf(name)), name].join(' -> '))
      return
    }
    state.set(name, 'open')
    for (const next of graph.get(name) ?? []) visit(next, [...trail, name])
    state.set(name, 'done')
  }
  for (const name of graph.keys()) visit(name, [])
  return found
}

/** Imports of types count, except in tests: a person who reads one file of a circle must read all of them. */
function circlesOfFiles(files: readonly SourceFile[]): string[] {
  const graph = new Map(
    files.map(file => [
      file.path,
      new Set(
        importsOf(file)
          .filter(({ typeOnly }) => !(typeOnly && isTest(file)))
          .flatMap(({ specifier }) => importedPath(file, specifier) ?? []),
      ),
    ]),
  )
  return circles(graph)
}

/** A folder and one within it may import each other. */
function circlesOfFolders(files: readonly SourceFile[]): string[] {
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    if (isTest(file)) continue
    const folder = folderOf(file.path)
    const others = graph.get(folder) ?? new Set()
    graph.set(folder, others)
    for (const { specifier } of importsOf(file)) {
      const other = folderOf(importedPath(file, specifier) ?? file.path)
      const isNested = `${other}/`.startsWith(`${folder}/`) || `${folder}/`.startsWith(`${other}/`)
      if (!isNested) others.add(other)
    }
  }
  return circles(graph)
}

function crowdedFolders(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const folder = folderOf(file.path)
    if (!isTest(file) && !MAY_BE_LONG.includes(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > MOST_SOURCES)
    .map(([folder, count]) => `${folder} has ${count} sources`)
}

/** Parts that lack a test beside them; a file of types alone needs none. */
function partsWithoutExample(files: readonly SourceFile[]): string[] {
  const paths = new Set(files.map(({ path }) => path))
  return files
    .filter(({ path }) => WITH_EXAMPLES.some(folder => path.startsWith(folder)))
    .filter(file => !isTest(file) && /^export (?:class|const|function)\b/m.test(codeOf(file)))
    .map(({ path }) => path)
    .filter(path => !WITHOUT_EXAMPLE.includes(path) && !paths.has(path.replace(/\.ts$/, '.test.ts')))
}

/** Whether a file declares or registers routes of the HTTP API. Types of nodes and log topics have no such members. */
function hasRoutes(file: SourceFile): boolean {
  const code = codeOf(file)
  return /\bapp\.(?:get|head|post|put|patch|delete|all|route)\b|^export [\w ]+\b\w+Routes\b/m.test(code)
}

/** Files with HTTP routes whose name hides them, and files whose name promises routes that they do not have. */
function misnamedRoutes(files: readonly SourceFile[]): string[] {
  const named = /-routes\.ts$/
  return files
    .filter(file => !isTest(file) && (named.test(file.path) || file.path.startsWith('api/')))
    .filter(file => named.test(file.path) !== (file.path.startsWith('api/') && hasRoutes(file)))
    .map(({ path }) => path)
}

/** Paths from a room to forbidden modules and globals; type-only imports do not count. */
function forbiddenWays(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map(file => [file.path, file]))
  return Object.entries(REACH).flatMap(([room, { never, packages, globals, without = '' }]) => {
    const found: string[] = []
    const isBegun = ({ path }: SourceFile) => path.startsWith(`${room}/`) && roomOf(path) !== without
    const begun = files.filter(file => !isTest(file) && isBegun(file))
    const seen = new Set(begun.map(({ path }) => path))
    const waiting = begun.map(file => ({ file, way: file.path }))
    for (const { file, way } of waiting) {
      for (const name of globalsOf(file, globals)) found.push(`${way} -> ${name}`)
      for (const { specifier, typeOnly } of importsOf(file)) {
        if (typeOnly) continue
        const target = importedPath(file, specifier)
        const name = target ?? (importedPackage(specifier) as string)
        const isForbidden = target === undefined ? packages?.includes(name) === false : never?.test(name)
        if (isForbidden) found.push(`${way} -> ${name}`)
        const next = target === undefined ? undefined : byPath.get(target)
        if (next === undefined || seen.has(next.path)) continue
        seen.add(next.path)
        waiting.push({ file: next, way: `${way} -> ${next.path}` })
      }
    }
    return found
  })
}

function globalNames(names: readonly string[]): RegExp {
  const pattern = names.map(name => name.replace('.', '\\.')).join('|')
  return new RegExp(`(?<![\\w$#]|(?<!\\.\\.)\\.)(?:${pattern})(?![\\w$])(?!\\??:)`, 'g')
}

/** Global values that a file uses. Imported names and own types, such as `Event`, are not among them. */
function globalsOf(file: SourceFile, globals: RegExp | undefined): Set<string> {
  const used = new Set<string>(globals && codeOf(file).match(globals))
  for (const [, imported = '', declared = ''] of file.text.matchAll(OWN_NAMES))
    for (const name of `${imported},${declared}`.split(/[<>,]/))
      used.delete(name.trim().replace(/^type\s|^.*\sas\s|[\s=].*$/g, ''))
  return used
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

describe('the project', () => {
  const files = projectSources()

  test('has rooms, and each imports only the rooms in its row', () => {
    expect(wrongImports(files)).toEqual([])
  })

  test('has only sources that these rules read', () => {
    const root = new URL('../../', import.meta.url).pathname
    const names = ['schemas', 'engine', 'api'].flatMap(folder =>
      readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }),
    )
    expect(names.filter(name => /\.(?:[cm]?jsx?|[cm]tsx?)$/.test(name))).toEqual([])
  })

  test('has a row for every folder', () => {
    const folders = new Set(files.filter(file => !isTest(file)).map(({ path }) => folderOf(path)))
    const others = [...folders].filter(folder => !Object.hasOwn(ROOMS, folder) && !PART_OF_ROOM.test(folder))
    expect(others).toEqual([])
  })

  test('has no row with an unused import', () => {
    const imported = new Set(
      files
        .filter(file => !isTest(file))
        .flatMap(file =>
          importsOf(file).map(
            ({ specifier }) => `${roomOf(file.path)} ${roomOf(importedPath(file, specifier) ?? '')}`,
          ),
        ),
    )
    const unused = Object.entries(ROOMS).flatMap(([room, others]) =>
      others.filter(other => !imported.has(`${room} ${other}`)).map(other => `${room} -> ${other}`),
    )
    expect(unused).toEqual([])
  })

  test('has rows whose imports are in order', () => {
    expect(Object.entries(ROOMS).filter(([, others]) => others.join() !== others.toSorted().join())).toEqual(
      [],
    )
  })

  test('has no circle of imports, including types', () => {
    expect(circlesOfFiles(files)).toEqual([])
  })

  test('has no circle of folders', () => {
    expect(circlesOfFolders(files)).toEqual([])
  })

  test(`has at most ${MOST_SOURCES} sources in a folder`, () => {
    expect(crowdedFolders(files)).toEqual([])
  })

  test('has a test beside each part of the fold and of its workers', () => {
    expect(partsWithoutExample(files)).toEqual([])
  })

  test('has HTTP routes in files that end in -routes.ts, and nothing else there', () => {
    expect(misnamedRoutes(files)).toEqual([])
  })

  test('keeps the fold away from log, store, clock and network, and browser code away from Node', () => {
    expect(forbiddenWays(files)).toEqual([])
  })
})

describe('these checks find', () => {
  const file = (path: string, text: string): SourceFile => ({ path, text })

  test.each([
    ["import { a } from '../../api/server.ts'", 'api/server.ts'],
    ["import type { A } from '../../deploy/settings.ts'", 'deploy/settings.ts'],
    ["import {\n  a,\n  b,\n} from '../store/store.ts'", 'engine/store/store.ts'],
    ["export * from '../../api/server.ts'", 'api/server.ts'],
    ["import '../../api/server.ts'", 'api/server.ts'],
    ["const a = await import('../../api/server.ts')", 'api/server.ts'],
    ['const a = await import(`../../api/server.ts`)', 'api/server.ts'],
    ["import {\n  a, // the server's\n} from '../../api/server.ts'", 'api/server.ts'],
    ["import { a } from './event.test.ts'", 'engine/event/event.test.ts'],
    ["import { a } from '../../test/support/a.ts'", 'test/support/a.ts'],
  ])('a wrong import in: %s', (text, target) => {
    expect(wrongImports([file('engine/event/event.ts', text)])).toEqual([
      `engine/event/event.ts imports ${target}`,
    ])
  })

  test('nothing wrong in a test or in a comment', () => {
    const text = "import { a } from '../../api/server.ts'"
    expect(wrongImports([file('engine/event/event.test.ts', text)])).toEqual([])
    expect(wrongImports([file('engine/event/event.ts', `// ${text}`)])).toEqual([])
  })

  test('a circle of three files, also among types, and none in a diamond', () => {
    const link = (from: string, ...to: string[]) =>
      file(`engine/${from}.ts`, to.map(name => `import type { A } from './${name}.ts'\n`).join(''))
    expect(circlesOfFiles([link('a', 'b'), link('b', 'c'), link('c', 'a')])).toEqual([
      'engine/a.ts -> engine/b.ts -> engine/c.ts -> engine/a.ts',
    ])
    expect(circlesOfFiles([link('a', 'b', 'c'), link('b', 'd'), link('c', 'd'), link('d')])).toEqual([])
  })

  test('a circle of folders, and none between a folder and one within it', () => {
    const back = [file('engine/a/x.ts', "import '../b/y.ts'"), file('engine/b/z.ts', "import '../a/v.ts'")]
    expect(circlesOfFolders(back)).toEqual(['engine/a -> engine/b -> engine/a'])
    const nested = [file('engine/a/x.ts', "import './b/y.ts'"), file('engine/a/b/z.ts', "import '../v.ts'")]
    expect(circlesOfFolders(nested)).toEqual([])
  })

  test('a crowded folder', () => {
    const many = Array.from({ length: 31 }, (_, index) => file(`engine/log/a${index}.ts`, ''))
    expect(crowdedFolders(many)).toEqual(['engine/log has 31 sources'])
    expect(crowdedFolders(many.slice(1))).toEqual([])
  })

  test('a part of the fold without a test beside it, and no file of types', () => {
    const part = file('engine/fold/cuts/a.ts', 'export function* a() {}')
    const types = file('engine/fold/b.ts', 'export interface B {}')
    expect(partsWithoutExample([part, types])).toEqual(['engine/fold/cuts/a.ts'])
    expect(partsWithoutExample([part, file('engine/fold/cuts/a.test.ts', '')])).toEqual([])
  })

  test.each([
    ['api/log/logs.ts', "app.get('/v1/log', () => [])"],
    ['api/log/logs.ts', 'export const logRoutes = []'],
    ['api/log/log-routes.ts', 'export const logs = []'],
    ['engine/log/log-routes.ts', 'export const logRoutes = []'],
  ])('a file with a wrong name for its routes: %s with %s', (path, text) => {
    expect(misnamedRoutes([file(path, text)])).toEqual([path])
  })

  test('an indirect way from the fold to the log, and none through types', () => {
    const way = (statement: string) => [
      file('engine/fold/fold.ts', "import { a } from '../graph/run.ts'"),
      file('engine/graph/run.ts', `${statement} '../log/log.ts'`),
    ]
    expect(forbiddenWays(way('import { b } from'))).toEqual([
      'engine/fold/fold.ts -> engine/graph/run.ts -> engine/log/log.ts',
    ])
    expect(forbiddenWays(way('import type { B } from'))).toEqual([])
  })

  test.each([
    ['engine/fold/fold.ts', "import { Kafka } from 'kafkajs'"],
    ['engine/fold/fold.ts', "import { setTimeout } from 'node:timers/promises'"],
    ['engine/fold/fold.ts', "const ask = () => globalThis.fetch('http://127.0.0.1')"],
    ['engine/fold/fold.ts', "const { connect } = process.getBuiltinModule('node:net')"],
    ['engine/fold/fold.ts', 'const { now } = performance'],
    ['engine/fold/fold.ts', 'const all = { ...process }'],
    ['engine/nodes/processors/a.ts', "process.getBuiltinModule('node:fs')"],
    ['engine/nodes/processors/a.ts', "import { readFileSync } from 'node:fs'"],
    ['engine/nodes/destinations/a.ts', "import { spawn } from 'node:child_process'"],
    ['engine/nodes/sources/a.ts', "import { connect } from 'node:net'"],
    ['schemas/http/a.ts', "import { hash } from 'node:crypto'"],
    ['schemas/http/a.ts', 'export const size = globalThis.Buffer.byteLength'],
    ['schemas/a.ts', "import { event } from '../engine/event/event.ts'"],
    ['schemas/http/a.ts', 'export const root = __dirname'],
    ['engine/query-language/a.ts', 'const size = (text: string) => Buffer.byteLength(text)'],
    ['engine/query-language/a.ts', 'setImmediate(process.exit)'],
  ])('a package or global that %s must not use: %s', (path, text) => {
    expect(forbiddenWays([file(path, text)])).not.toEqual([])
  })

  test.each([
    ['schemas/log/a.ts', "import { gzipSync } from 'node:zlib'\ngzipSync(Buffer.alloc(1))"],
    [
      'engine/fold/fold.ts',
      "import { Event } from '../event/event.ts'\nEvent.of(Buffer.alloc(1), this.process)",
    ],
    ['schemas/a.ts', '// Buffer\nconst a = { process: 1 }, b = a.process'],
  ])('nothing forbidden of %s in: %s', (path, text) => {
    expect(forbiddenWays([file(path, text)])).toEqual([])
  })
})
