import { CODEC_PROGRAM } from './codec-program.ts'

/** Functions that the program in assembly/ calls; see assembly/host.ts. */
export interface CodecHost {
  nameOf(parent: number, at: number, length: number): number
  standingOf(name: number): number
  admits(shape: number): boolean
}

interface Global {
  readonly value: number
}

/** Exports of assembly/fill.ts. */
export interface CodecExports {
  readonly memory: { readonly buffer: ArrayBuffer }
  fill(rows: number, root: number, message: number, isSlotted: boolean, block: number): number
  readonly fellBack: Global
  readonly leftOutAt: Global
  readonly textEntries: Global
  readonly textBytes: Global
  readonly numberEntries: Global
  addName(
    parent: number,
    at: number,
    length: number,
    standing: number,
    kind: number,
    own: number,
    collides: number,
    underscored: number,
  ): number
  addRoot(): number
  bucketOf(parent: number, at: number, length: number): number
  forgetNames(): void
  nameCount(): number
  reseed(seed: number): number
  readonly probes: { readonly value: bigint }
}

const REGIONS = [
  'INPUT',
  'STARTS',
  'ENDS',
  'OWN',
  'LEVELS',
  'APPS',
  'APP_LENGTHS',
  'APP_TEXTS',
  'FORMS',
  'TEXT_ENDS',
  'NUMBER_ENDS',
  'TEXT_NAMES',
  'TEXT_VALUES',
  'NUMBER_NAMES',
  'NUMBER_VALUES',
  'OPEN_KEYS',
  'SHAPES',
  'SLOT_COUNTS',
  'SPANS',
  'SLOT_TEXTS',
  'SLOT_TEXT_ENDS',
  'SHAPE_KEY',
  'SHAPE_NAMES',
  'NAMES',
  'NAME_SLOTS',
  'NAME_BYTES',
  'MEMORY_END',
] as const
const CONSTANTS = [
  'INPUT_BYTES',
  'APP_BYTES',
  'GUARD_BYTES',
  'MAX_ROWS',
  'MAX_ROW_BYTES',
  'MAX_NAMES',
  'NAME_SIZE',
  'SLOTS',
  'MAX_LITERAL_BYTES',
] as const

type Layout = Readonly<Record<(typeof REGIONS)[number] | (typeof CONSTANTS)[number], number>>

/** Compiled once per process: it takes about a millisecond. */
const program = new WebAssembly.Module(Buffer.from(CODEC_PROGRAM, 'base64'))

/** An instance of the program with its memory, 5.4 MiB that never grow, so views of it stay valid. */
export class CodecMemory {
  readonly exports: CodecExports
  /** Places of regions, and their bounds. */
  readonly layout: Layout
  readonly bytes: Buffer
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly own: Uint32Array
  readonly levels: Uint32Array
  /** Places and lengths of the apps of rows. */
  readonly apps: Uint32Array
  readonly appLengths: Uint32Array
  readonly forms: Uint8Array
  readonly textEnds: Uint32Array
  readonly numberEnds: Uint32Array
  readonly textNames: Uint32Array
  readonly textValues: Uint8Array
  readonly numberNames: Uint32Array
  readonly numberValues: Float64Array
  readonly shapes: Uint32Array
  readonly slotTextEnds: Uint32Array
  readonly shapeNames: Uint32Array

  constructor(host: CodecHost) {
    const { exports } = new WebAssembly.Instance(program, { host: { ...host } })
    this.exports = exports as CodecExports
    const globals = exports as Readonly<Record<string, Global>>
    const names = [...REGIONS, ...CONSTANTS]
    this.layout = Object.fromEntries(names.map(name => [name, (globals[name] as Global).value])) as Layout
    const { buffer } = this.exports.memory
    const words = (place: number) => new Uint32Array(buffer, place)
    this.bytes = Buffer.from(buffer)
    this.starts = words(this.layout.STARTS)
    this.ends = words(this.layout.ENDS)
    this.own = words(this.layout.OWN)
    this.levels = words(this.layout.LEVELS)
    this.apps = words(this.layout.APPS)
    this.appLengths = words(this.layout.APP_LENGTHS)
    this.forms = new Uint8Array(buffer, this.layout.FORMS)
    this.textEnds = words(this.layout.TEXT_ENDS)
    this.numberEnds = words(this.layout.NUMBER_ENDS)
    this.textNames = words(this.layout.TEXT_NAMES)
    this.textValues = new Uint8Array(buffer, this.layout.TEXT_VALUES)
    this.numberNames = words(this.layout.NUMBER_NAMES)
    this.numberValues = new Float64Array(buffer, this.layout.NUMBER_VALUES)
    this.shapes = words(this.layout.SHAPES)
    this.slotTextEnds = words(this.layout.SLOT_TEXT_ENDS)
    this.shapeNames = words(this.layout.SHAPE_NAMES)
  }

  /** Stretches between regions that nothing may write. */
  guards(): Uint8Array[] {
    const { layout, bytes } = this
    return REGIONS.slice(1).map(name => bytes.subarray(layout[name] - layout.GUARD_BYTES, layout[name]))
  }
}
