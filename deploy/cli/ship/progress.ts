import { byteSize, grouped } from '../byte-size.ts'
import type { World } from '../world.ts'
import type { Totals } from './totals.ts'

const REFRESH_MS = 200

export interface Progress {
  stop(): void
}

/**
 * Shows progress, only on a terminal: a bar if the size is known, otherwise a counter.
 *
 * @param expectedBytes  total number of bytes to read; undefined when unknown
 */
export async function showProgress(
  totals: Totals,
  expectedBytes: number | undefined,
  world: World,
): Promise<Progress> {
  if (!world.stderr.isTTY || world.quiet) return { stop: () => {} }
  const { default: cliProgress } = await import('cli-progress')
  const bar = new cliProgress.SingleBar({
    stream: world.stderr,
    format: expectedBytes === undefined ? '{counters}' : '{bar} {percentage}% | {counters}',
    barCompleteChar: '━',
    barIncompleteChar: '·',
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
  })
  const startMs = world.clock.monotonicMs()
  const refresh = () =>
    bar.update(Math.min(totals.readBytes, expectedBytes ?? 0), {
      counters: counters(totals, world.clock.monotonicMs() - startMs),
    })
  // A total of 0 would be shown as 100 % from the start.
  bar.start(Math.max(1, expectedBytes ?? 1), 0, { counters: '' })
  const timer = setInterval(refresh, REFRESH_MS)
  return {
    stop: () => {
      clearInterval(timer)
      refresh()
      bar.stop()
    },
  }
}

function counters(totals: Totals, elapsedMs: number): string {
  const perSecond = (totals.lines / Math.max(1, elapsedMs)) * 1000
  const refused = totals.refused > 0 ? ` | ${grouped(totals.refused)} refused` : ''
  return `${grouped(totals.lines)} lines | ${byteSize(totals.bytes)} | ${grouped(perSecond)} lines/s${refused}`
}
