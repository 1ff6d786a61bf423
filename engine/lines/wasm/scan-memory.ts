import { SCAN_PROGRAM } from './scan-program.ts'

/** Function that the program of the reader calls; see assembly/scan-host.ts. */
export interface ScanHost {
  timeOfText(at: number, length: number): number
}

interface Global {
  readonly value: number
}

/** Exports of assembly/scan.ts. */
export interface ScanExports {
  readonly memory: { readonly buffer: ArrayBuffer }
  begin(length: number, receivedAtMs: number, earliestMs: number, latestMs: number, spareBytes: number): void
  scan(): number
  slotOf(at: number, length: number): number
  readonly state: Global
  readonly lineBytes: Global
  readonly metaBytes: Global
  readonly restBytes: Global
  readonly words: Global
  readonly retimed: Global
  readonly spareLeft: Global
}

/** Values of `state`. */
export const SCAN_STATE = { more: 0, read: 1, unread: 2 } as const

const REGIONS = [
  'LINES',
  'METAS',
  'RESTS',
  'HOSTS',
  'APPS',
  'LEVELS',
  'ENVS',
  'FILES',
  'TIMES',
  'TIME_KINDS',
  'WORDS',
  'SLOTS',
  'WORD_TEXTS',
  'BODY',
  'MEMORY_END',
] as const
const CONSTANTS = ['BODY_BYTES', 'GUARD_BYTES', 'MAX_ROWS', 'MAX_WORDS'] as const

type Layout = Readonly<Record<(typeof REGIONS)[number] | (typeof CONSTANTS)[number], number>>

let program: WebAssembly.Module | undefined

/** An instance of the program with its memory, which never grows. Pages that no body has reached take no memory. */
export class ScanMemory {
  readonly exports: ScanExports
  /** Places of regions, and their bounds. */
  readonly layout: Layout
  readonly bytes: Buffer
  readonly hosts: Uint32Array
  readonly apps: Uint32Array
  readonly levels: Uint32Array
  readonly envs: Uint32Array
  readonly files: Uint32Array
  readonly times: Float64Array
  readonly timeKinds: Uint8Array
  /** First byte and length of each word. */
  readonly words: Uint32Array

  constructor(host: ScanHost) {
    program ??= new WebAssembly.Module(Buffer.from(SCAN_PROGRAM, 'base64'))
    const { exports } = new WebAssembly.Instance(program, { 'scan-host': { ...host } })
    this.exports = exports as ScanExports
    const globals = exports as Readonly<Record<string, Global>>
    const names = [...REGIONS, ...CONSTANTS]
    const layout = Object.fromEntries(names.map(name => [name, (globals[name] as Global).value])) as Layout
    this.layout = layout
    const { buffer } = this.exports.memory
    const numbers = (place: number) => new Uint32Array(buffer, place, layout.MAX_ROWS)
    this.bytes = Buffer.from(buffer)
    this.hosts = numbers(layout.HOSTS)
    this.apps = numbers(layout.APPS)
    this.levels = numbers(layout.LEVELS)
    this.envs = numbers(layout.ENVS)
    this.files = numbers(layout.FILES)
    this.times = new Float64Array(buffer, layout.TIMES, layout.MAX_ROWS)
    this.timeKinds = new Uint8Array(buffer, layout.TIME_KINDS, layout.MAX_ROWS)
    this.words = new Uint32Array(buffer, layout.WORDS, (layout.MAX_WORDS + 1) * 2)
  }

  /** Stretches between regions that nothing may write. */
  guards(): Uint8Array[] {
    const { layout, bytes } = this
    return REGIONS.slice(1).map(name => bytes.subarray(layout[name] - layout.GUARD_BYTES, layout[name]))
  }
}
