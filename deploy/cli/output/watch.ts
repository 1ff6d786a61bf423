import { Writable } from 'node:stream'
import { type Command, InvalidArgumentError } from 'commander'
import { timeSpanMs } from '../../../engine/times/time-span.ts'
import { EXIT } from '../command-error.ts'
import { type Screen, type World, write } from '../world.ts'

const EVERY = '2s'
const SHORTEST_MS = 100
/** Height of a terminal that does not say it. */
const USUAL_ROWS = 24
const WRAPS_OFF = '\u001b[?7l'
const WRAPS_ON = '\u001b[?7h'

export interface WatchOptions {
  readonly watch?: true
  /** Milliseconds. */
  readonly every?: number
}

/** Adds the options by which a command shows its result again and again. The program itself acts on them. */
export function watchable(command: Command): Command {
  return command
    .option('--watch', 'show the result again and again, until Ctrl+C')
    .option('--every <time>', `pause between two results with --watch; default: ${EVERY}`, readPause)
}

function readPause(text: string): number {
  const ms = timeSpanMs(text)
  if (ms === undefined || ms < SHORTEST_MS) throw new InvalidArgumentError('Write it like 5s or 1m.')
  return ms
}

/** Milliseconds between two results; undefined for a command that shows its result once. */
export function pauseOf({ watch, every }: WatchOptions): number | undefined {
  return watch ? (every ?? (timeSpanMs(EVERY) as number)) : undefined
}

/** End of one run of a command. */
export interface RunEnd {
  readonly code: number
  /** True if it ended with an error instead of a result. */
  readonly isFailed: boolean
}

/**
 * Runs a command again and again: on a terminal its output takes the place of the output before, elsewhere it follows.
 * Ends at an error of the first run, and later at one that waiting does not mend.
 *
 * @param runOnce runs the command in the given world
 * @returns exit code; 0 after an interruption
 */
export async function runWatched(
  everyMs: number,
  runOnce: (world: World) => Promise<RunEnd>,
  world: World,
): Promise<number> {
  const { stdout, stderr, stop, clock } = world
  let [isFirst, shownRows] = [true, 0]
  if (stdout.isTTY) await write(stdout, WRAPS_OFF)
  try {
    while (!stop.aborted && !stdout.destroyed) {
      const [out, err] = [new Kept(stdout), new Kept(stderr)]
      const { code, isFailed } = await runOnce({ ...world, stdout: out, stderr: err })
      if (stop.aborted) break
      const isOver = isFailed && (isFirst || code !== EXIT.unreachable)
      if (stdout.isTTY && !isOver) shownRows = await redraw(out.text + err.text, shownRows, stdout)
      else {
        await write(stdout, out.text)
        await write(stderr, err.text)
      }
      if (isOver) return code
      isFirst = false
      await clock.sleep(everyMs, stop)
    }
  } finally {
    if (stdout.isTTY) await write(stdout, WRAPS_ON)
  }
  return EXIT.done
}

/** @returns number of rows that the text takes; a text that is higher than the terminal is cut */
async function redraw(text: string, before: number, screen: Screen): Promise<number> {
  const lines = text.replace(/\n$/, '').split('\n')
  // The row below the text holds the cursor.
  const shown = lines.slice(0, (screen.rows ?? USUAL_ROWS) - 1)
  const upwards = before === 0 ? '' : `\u001b[${before}A`
  await write(screen, `\r${upwards}\u001b[J${shown.map(line => `${line}\n`).join('')}`)
  return shown.length
}

/** Output of one run, in the form that the real stream would get. */
class Kept extends Writable {
  text = ''
  readonly isTTY: boolean
  readonly columns?: number

  constructor({ isTTY, columns }: Screen) {
    super({ decodeStrings: false })
    this.isTTY = isTTY === true
    if (columns !== undefined) this.columns = columns
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += String(chunk)
    done()
  }
}
