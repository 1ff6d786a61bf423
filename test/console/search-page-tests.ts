import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'

const WIDTHS = [1_280, 1_000, 768, 320]

/** Number of a row that the cursor is at. */
const cursorOf = (page: Page) => page.locator('[data-cursor=true]').getAttribute('data-index')

/** Answers counts as if they had covered the newest part of the range alone, in the usual time and in all of it. */
async function withPartialCounts(page: Page, fromMs: number): Promise<(string | null)[]> {
  const budgets: (string | null)[] = []
  await page.route(/\/v3\/search\/histogram\?.*by=level/, async route => {
    budgets.push(new URL(route.request().url()).searchParams.get('budget_ms'))
    const answer = await route.fetch()
    const { data } = (await answer.json()) as { data: object }
    await route.fulfill({ json: { data: { ...data, complete: false, covered_from: fromMs } } })
  })
  await page.route(/\/v3\/search\/facet\?/, async route => {
    const answer = await route.fetch()
    const { data } = (await answer.json()) as { data: readonly { field: string }[] }
    const partial = { complete: false, exact: false, covered_from: fromMs }
    await route.fulfill({
      json: { data: data.map(each => (each.field === 'host' ? { ...each, ...partial } : each)) },
    })
  })
  return budgets
}

/**
 * Tests of the keys, the counts and the layout of the search page. The account has 120 lines "request N answered", of which
 * the newest is 119.
 */
export function searchPageTests(console: ConsoleUnderTest): void {
  test('keys of the list act wherever the focus is, and not while one types', async () => {
    const page = await console.signedIn('/console/search?q=request')
    const value = page.getByRole('complementary', { name: 'Filters' }).getByRole('button', { name: 'db 40' })
    await value.focus()
    await value.press('j')
    expect(await cursorOf(page)).toBe('0')
    await page.getByLabel('Query').focus()
    await page.keyboard.press('j')
    expect(await page.getByLabel('Query').inputValue()).toContain('j')
    await page.getByLabel('Query').fill('request')
    await value.focus()
    await page.keyboard.press('j')
    expect(await cursorOf(page)).toBe('1')
    await value.focus()
    await page.keyboard.press('c')
    const panel = page.getByRole('tabpanel', { name: 'Context' })
    await panel.locator('[aria-current=true]').getByText('request 118 answered').waitFor()
    await page.keyboard.press('k')
    await panel.locator('[aria-current=true]').getByText('request 119 answered').waitFor()
  })

  test('counts of a part say from when they are, and lead to the rest or to that part', async () => {
    const page = await console.signedIn('/console/usage')
    const fromMs = Date.now() - 45 * 60_000
    const time = new Date(fromMs).toISOString().slice(11, 19)
    const budgets = await withPartialCounts(page, fromMs)
    await page.goto('/console/search?q=request')
    const chart = page.getByRole('region', { name: 'Lines over time' })
    await chart.getByText('\u2265 120 lines').waitFor()
    await chart.getByText(`from ${time}`).waitFor()
    const hosts = page.getByRole('complementary').getByRole('heading', { name: /^Host/ })
    await hosts.getByText(`from ${time}`).waitFor()
    expect(await page.getByRole('complementary').getByText(`from ${time}`).count()).toBe(1)
    await chart.getByRole('button', { name: 'Count the rest' }).click()
    await chart.getByRole('button', { name: `Search from ${time} on` }).click()
    await page.waitForURL(new RegExp(`from=${fromMs}&to=\\d+`))
    expect(budgets.slice(0, 2)).toEqual([null, '30000'])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('nothing moves when the counts come', async () => {
    const page = await console.signedIn('/console/usage')
    let show: () => void = () => {}
    const isAllowed = new Promise<void>(resolve => {
      show = resolve
    })
    await page.route(/\/v3\/search\/(histogram|facet|field)\?/, async route => {
      await isAllowed
      await route.continue()
    })
    await page.goto('/console/search?q=request')
    const row = page.getByRole('grid').getByText('request 119 answered')
    await row.waitFor()
    const before = await row.boundingBox()
    const filters = page.getByRole('complementary', { name: 'Filters' })
    expect(await filters.getByRole('button').count()).toBe(0)
    show()
    await filters.getByRole('button', { name: 'db 40' }).waitFor()
    await page.getByRole('region', { name: 'Lines over time' }).getByText('120 lines').waitFor()
    expect(await row.boundingBox()).toEqual(before)
  })

  test('from 320 px on the query and all of its tools are in sight, also beside the details', async () => {
    const page = await console.signedIn('/console/search?q=request')
    await page.getByRole('grid').getByText('request 119 answered').waitFor()
    const inSight = async (width: number) => {
      await page.setViewportSize({ width, height: 700 })
      const field = await page.getByRole('textbox', { name: 'Query' }).boundingBox()
      expect(field!.width, `${width} px`).toBeGreaterThan(200)
      for (const name of [/^Time range/, 'Views', 'Newest first', 'Share']) {
        const box = await page.getByRole('main').getByRole('button', { name }).first().boundingBox()
        expect(box!.x + box!.width, `${name} at ${width} px`).toBeLessThanOrEqual(width)
        expect(box!.width, `${name} at ${width} px`).toBeGreaterThanOrEqual(24)
      }
    }
    for (const width of WIDTHS) await inSight(width)
    await page.getByRole('gridcell', { name: 'Open details' }).first().click()
    const details = page.getByRole('region', { name: 'Details of the line' })
    const table = page.getByRole('region', { name: 'Lines over time' }).getByRole('button', { name: /table/ })
    for (const width of WIDTHS) {
      await inSight(width)
      const [panel, button] = [await details.boundingBox(), await table.boundingBox()]
      expect(panel!.width).toBeGreaterThanOrEqual(320)
      // Where the chart stands beside the details, its head ends before them.
      if (width > 1_000) expect(button!.x + button!.width).toBeLessThanOrEqual(panel!.x)
    }
  })
}
