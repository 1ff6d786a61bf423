import { type World, write } from '../world.ts'

/** Progress of an export. */
export interface ExportState {
  /** Bounds of the period, UNIX ms, inclusive: relative times keep their first meaning. */
  readonly from: number
  readonly to: number
  /** Position of the last line that was written. */
  position?: string | undefined
  lines: number
  bytes: number
}

/** Place to which an export writes its lines. */
export interface Target {
  readonly state: ExportState
  /** True if an earlier run began it. */
  readonly isResumed: boolean
  /** True once nobody reads the lines. */
  readonly isGone: boolean
  /** Appends lines. @param position of the last one */
  write(text: string, lines: number, position: string): Promise<void>
  complete(): Promise<void>
  /** Ends an incomplete export. @returns whether another run can continue it */
  keep(): Promise<boolean>
}

/** Standard output as the target of an export. */
export class StandardOutput implements Target {
  readonly isResumed = false
  readonly state: ExportState
  readonly #world: World

  constructor(state: ExportState, world: World) {
    this.state = state
    this.#world = world
  }

  get isGone(): boolean {
    return this.#world.stdout.destroyed
  }

  async write(text: string, lines: number, position: string): Promise<void> {
    await write(this.#world.stdout, text)
    this.state.bytes += Buffer.byteLength(text)
    this.state.lines += lines
    this.state.position = position
  }

  async complete(): Promise<void> {}

  async keep(): Promise<boolean> {
    return this.state.lines > 0
  }
}
