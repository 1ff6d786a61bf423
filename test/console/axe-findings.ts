import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[] }[]
}

declare const axe: { run(): Promise<{ violations: readonly Violation[] }> }

/** Findings of axe-core, whose script the driver runs in the page; and whether the page is wider than the window. */
export async function findingsOfPage(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const violations = await page.evaluate(async () => (await axe.run()).violations)
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`)),
    ...(isWide ? ['wider than the window'] : []),
  ]
}
