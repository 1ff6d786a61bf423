import { type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../../engine/clock/clock.ts'
import { SECOND_MS } from '../../../engine/times/duration.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { syncFolder, writeAtomically } from '../../durable-file.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { ownFile } from '../ship/single-owner.ts'
import type { World } from '../world.ts'
import type { ExportState, Target } from './export-target.ts'

/** Pause between two saves, each of which syncs the file. */
const SAVE_EVERY_MS = 2 * SECOND_MS

interface StateFile {
  readonly version: 1
  /** Options by which the export was begun. */
  readonly asked: JsonObject
  readonly state: ExportState
}

/**
 * File that an export writes: `NAME.part` with the lines so far, and `NAME.part.json` with the progress. At the end the
 * former gets its name.
 */
export class ExportFile implements Target {
  readonly isGone = false
  readonly isResumed: boolean
  readonly state: ExportState
  readonly #path: string
  readonly #asked: JsonObject
  readonly #handle: FileHandle
  readonly #clock: Clock
  readonly #release: () => Promise<void>
  #savedMs: number

  private constructor(
    opened: { path: string; handle: FileHandle; release: () => Promise<void> },
    { asked, state }: StateFile,
    isResumed: boolean,
    clock: Clock,
  ) {
    this.#path = opened.path
    this.#handle = opened.handle
    this.#release = opened.release
    this.#asked = asked
    this.state = state
    this.isResumed = isResumed
    this.#clock = clock
    this.#savedMs = clock.monotonicMs()
  }

  /**
   * Begins the file, or continues an interrupted one.
   *
   * @param asked options of the command; another export must not continue the file
   * @param mayContinue false: an interrupted export is begun again
   * @throws CommandError when the name or an interrupted export cannot be used
   */
  static async open(
    name: string,
    { asked, fresh, mayContinue }: { asked: JsonObject; fresh: ExportState; mayContinue: boolean },
    { clock }: World,
  ): Promise<ExportFile> {
    const path = await realpath(name).catch(() => resolve(name))
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && !found.isFile())
      throw new CommandError(
        EXIT.usage,
        `${name} is not a file. Leave out --file to write to standard output.`,
      )
    const release = await ownFile(partOf(path))
    if (release === undefined)
      throw new CommandError(
        EXIT.usage,
        `Another export writes ${name} now. Wait for it, or use another name.`,
      )
    try {
      const earlier = mayContinue ? await earlierState(path, asked) : undefined
      const begun = earlier ?? { version: 1, asked, state: fresh }
      const handle = await open(partOf(path), earlier === undefined ? 'w' : 'r+')
      await handle.truncate(begun.state.bytes)
      return new ExportFile({ path, handle, release }, begun, earlier !== undefined, clock)
    } catch (error) {
      await release()
      throw error
    }
  }

  async write(text: string, lines: number, position: string): Promise<void> {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) {
      const place = this.state.bytes + at
      at += (await this.#handle.write(bytes, at, bytes.length - at, place)).bytesWritten
    }
    this.state.bytes += bytes.length
    this.state.lines += lines
    this.state.position = position
    if (this.#clock.monotonicMs() - this.#savedMs >= SAVE_EVERY_MS) await this.#save()
  }

  /** Gives the file its name. */
  async complete(): Promise<void> {
    await this.#handle.datasync()
    await this.#handle.close()
    await rename(partOf(this.#path), this.#path)
    await rm(stateOf(this.#path), { force: true })
    syncFolder(dirname(this.#path))
    await this.#release()
  }

  /** Keeps the file for the next run; one without lines is removed. */
  async keep(): Promise<boolean> {
    const isKept = this.state.position !== undefined
    try {
      if (isKept) await this.#save()
      await this.#handle.close()
      if (!isKept) for (const path of [partOf, stateOf]) await rm(path(this.#path), { force: true })
    } finally {
      await this.#release()
    }
    return isKept
  }

  async #save(): Promise<void> {
    // The lines come first: the state must never be ahead of them.
    await this.#handle.datasync()
    const content: StateFile = { version: 1, asked: this.#asked, state: this.state }
    writeAtomically(stateOf(this.#path), `${JSON.stringify(content, null, 1)}\n`)
    this.#savedMs = this.#clock.monotonicMs()
  }
}

/** Lines of an export that has not ended. */
export function partOf(path: string): string {
  return `${path}.part`
}

function stateOf(path: string): string {
  return `${partOf(path)}.json`
}

/** @throws CommandError when the state belongs to another export, or does not fit the lines */
async function earlierState(path: string, asked: JsonObject): Promise<StateFile | undefined> {
  const text = await readFile(stateOf(path), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const again = 'Add --restart to begin again.'
  const earlier = stateFile(text)
  if (earlier === undefined)
    throw new CommandError(EXIT.usage, `${stateOf(path)} is not the state of an export. ${again}`)
  if (!isDeepStrictEqual(earlier.asked, asked)) {
    const differing = Object.keys({ ...earlier.asked, ...asked }).filter(
      name => !isDeepStrictEqual(earlier.asked[name], asked[name]),
    )
    throw new CommandError(
      EXIT.usage,
      `${partOf(path)} is of an interrupted export with other options (${differing.join(', ')}). ` +
        `Repeat that command to continue it. ${again}`,
    )
  }
  const size = (await stat(partOf(path)).catch(() => undefined))?.size ?? 0
  if (size < earlier.state.bytes)
    throw new CommandError(EXIT.usage, `${partOf(path)} is shorter than it was. ${again}`)
  return earlier
}

function stateFile(text: string): StateFile | undefined {
  try {
    const content = JSON.parse(text) as Partial<StateFile> | null
    const isWhole = content?.version === 1 && Number.isSafeInteger(content.state?.bytes)
    return isWhole ? (content as StateFile) : undefined
  } catch {
    return undefined
  }
}
