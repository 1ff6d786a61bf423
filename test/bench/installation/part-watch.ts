import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'

/** Name of a part: its day, its first and last block, its level, and the number of a mutation. */
const PART = /^[^_]+_\d+_\d+_(\d+)(_\d+)?$/
const IN_PROGRESS = /^tmp_/

/** Watches the folder of a table from outside: counts the rows that merges and mutations write again. */
export class PartWatch {
  readonly #folder: string
  readonly #watcher: FSWatcher
  /** Rows of each part that was ever seen; undefined: it went before its rows could be read. */
  readonly #rows = new Map<string, number | undefined>()

  constructor(folder: string) {
    this.#folder = folder
    this.#watcher = watch(folder, (_, name) => {
      if (name !== null) this.#note(name)
    })
    this.#noteAll()
  }

  /** Rows of all parts that stem from other parts. */
  rewrittenRows(): number {
    this.#noteAll()
    let sum = 0
    for (const [name, rows] of this.#rows) {
      if (rows === undefined) throw new Error(`part ${name} went before its rows were counted`)
      if (isRewritten(name)) sum += rows
    }
    return sum
  }

  /** Whether a part is being written. */
  get isBusy(): boolean {
    return readdirSync(this.#folder).some(name => IN_PROGRESS.test(name))
  }

  close(): void {
    this.#watcher.close()
  }

  #noteAll(): void {
    for (const name of readdirSync(this.#folder)) this.#note(name)
  }

  #note(name: string): void {
    if (!PART.test(name) || this.#rows.get(name) !== undefined) return
    this.#rows.set(name, rowsOf(join(this.#folder, name)))
  }
}

function isRewritten(name: string): boolean {
  const [, level, mutation] = PART.exec(name) as RegExpExecArray
  return Number(level) > 0 || mutation !== undefined
}

function rowsOf(part: string): number | undefined {
  try {
    return Number(readFileSync(join(part, 'count.txt'), 'utf8'))
  } catch {
    return undefined
  }
}
