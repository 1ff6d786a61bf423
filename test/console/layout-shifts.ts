import type { Page } from 'playwright-core'

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
    layoutShifts?: string[]
  }
}

/** Notes layout shifts of the page from now on. */
export async function watchLayoutShifts(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: string[] = []
    window.layoutShifts = seen
    const place = ({ x, y, width, height }: DOMRectReadOnly) =>
      [x, y, width, height].map(Math.round).join(' ')
    new PerformanceObserver(list => {
      for (const { value, sources } of list.getEntries() as ShiftEntry[]) {
        const parts = sources.map(
          ({ node, previousRect, currentRect }) =>
            `${node?.nodeName} "${node?.textContent?.slice(0, 40)}" from ${place(previousRect)} to ${place(currentRect)}`,
        )
        seen.push(`score ${value}: ${parts.join(', ')}`)
      }
    }).observe({ type: 'layout-shift', buffered: false })
  })
}

/** Layout shifts since `watchLayoutShifts`, each with the parts that moved, once the page was painted again. */
export function layoutShifts(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(resolve => requestAnimationFrame(resolve))
    // Entries are handed over in a task of their own.
    await new Promise(resolve => setTimeout(resolve, 0))
    return window.layoutShifts ?? []
  })
}
