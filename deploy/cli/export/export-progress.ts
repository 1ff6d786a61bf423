import { byteSize, grouped } from '../byte-size.ts'
import { taskProgress } from '../output/task-progress.ts'
import type { World } from '../world.ts'
import type { ExportState } from './export-target.ts'

/** Steps of the bar. */
const STEPS = 1_000

export interface ShownProgress {
  show(position: string, state: ExportState, linesPerSecond: string): void
  stop(): void
}

/**
 * Shows which part of the time from the first line to the last one is covered. The number of lines would have to be
 * counted first.
 *
 * @param lastMs time of the last line, UNIX ms, once it is known
 */
export async function shownProgress(
  { file, limit }: { readonly file?: string; readonly limit?: number },
  lastMs: () => Promise<number>,
  world: World,
): Promise<ShownProgress> {
  // Lines and a bar on the same terminal would overwrite each other.
  const isShown = world.stderr.isTTY === true && !world.quiet && !(file === undefined && world.stdout.isTTY)
  if (!isShown) return { show: () => {}, stop: () => {} }
  const progress = await taskProgress(world)
  progress.begin(STEPS)
  let [firstMs, endMs] = [undefined as number | undefined, Number.POSITIVE_INFINITY]
  // The bar remains empty if this fails: the export itself shows why.
  void lastMs().then(
    ms => {
      endMs = ms
    },
    () => {},
  )
  return {
    show: (position, { lines, bytes }, rate) => {
      const ms = Number(position.slice(0, position.indexOf('-')))
      firstMs ??= ms
      const share = limit === undefined ? (ms - firstMs) / Math.max(1, endMs - firstMs) : lines / limit
      progress.update(share * STEPS, `${grouped(lines)} lines | ${byteSize(bytes)} | ${rate} lines/s`)
    },
    stop: () => progress.stop(),
  }
}
