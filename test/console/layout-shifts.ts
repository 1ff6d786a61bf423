import type { Page } from 'playwright-core'

/** A part of a layout shift, as the browser describes it. */
interface ShiftedPart {
  readonly node: string
  readonly from: string
  readonly to: string
}

/** A movement of content that nobody asked for. */
export interface LayoutShift {
  readonly score: number
  readonly parts: readonly ShiftedPart[]
}

interface ShiftEntry extends PerformanceEntry {
  readonly value: number
  readonly sources: readonly {
    readonly node: Node | null
    readonly previousRect: DOMRectReadOnly
    readonly currentRect: DOMRectReadOnly
  }[]
}

declare global {
  interface Window {
    layoutShifts?: LayoutShift[]
  }
}

/** Notes layout shifts of the page from now on. */
export async function watchLayoutShifts(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: LayoutShift[] = []
    window.layoutShifts = seen
    const place = ({ x, y, width, height }: DOMRectReadOnly) =>
      [x, y, width, height].map(Math.round).join(' ')
    new PerformanceObserver(list => {
      for (const entry of list.getEntries() as ShiftEntry[])
        seen.push({
          score: entry.value,
          parts: entry.sources.map(({ node, previousRect, currentRect }) => ({
            node: `${node?.nodeName} ${node?.textContent?.slice(0, 40)}`,
            from: place(previousRect),
            to: place(currentRect),
          })),
        })
    }).observe({ type: 'layout-shift', buffered: false })
  })
}

/** Layout shifts since `watchLayoutShifts`, once the page was painted again. */
export function layoutShifts(page: Page): Promise<readonly LayoutShift[]> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(resolve => requestAnimationFrame(resolve))
    // Entries are handed over in a task of their own.
    await new Promise(resolve => setTimeout(resolve, 0))
    return window.layoutShifts ?? []
  })
}
