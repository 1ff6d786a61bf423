import { byteSize, grouped } from '../byte-size.ts'
import type { World } from '../world.ts'

export interface TaskProgress {
  /** @param total total amount in the unit of `update` */
  begin(total: number): void
  update(done: number, counters: string): void
  stop(): void
}

/** Shows the progress of a task, only on a terminal. */
export async function taskProgress(world: World): Promise<TaskProgress> {
  if (!world.stderr.isTTY || world.quiet) return { begin: () => {}, update: () => {}, stop: () => {} }
  const { default: cliProgress } = await import('cli-progress')
  const bar = new cliProgress.SingleBar({
    stream: world.stderr,
    format: '{bar} {percentage}% | {counters}',
    barCompleteChar: '━',
    barIncompleteChar: '·',
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
  })
  let most = 1
  return {
    begin: total => {
      // A total of 0 would be shown as 100 % from the start.
      most = Math.max(1, total)
      bar.start(most, 0, { counters: '' })
    },
    update: (done, counters) => bar.update(Math.min(done, most), { counters }),
    stop: () => bar.stop(),
  }
}

/** `1.2 GB in 3.4 s`. */
export function inTime(bytes: number, tookMs: number): string {
  return `${byteSize(bytes)} in ${(tookMs / 1000).toFixed(1)} s`
}

export function perSecond(count: number, tookMs: number): string {
  return grouped((count / Math.max(1, tookMs)) * 1000)
}
