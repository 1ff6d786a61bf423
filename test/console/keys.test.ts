import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { KEY_TEXT } from '../../console/src/key-texts.ts'
import { describeConsole } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import { callApi, publishedPipeline } from './published-pipeline.ts'

const LINES = 45

const grid = (page: Page) => page.getByRole('grid')
const cursor = (page: Page) => grid(page).locator('[data-cursor=true]')
const details = (page: Page) => page.getByRole('region', { name: 'Details' })
const panel = (page: Page) => page.getByRole('complementary', { name: 'Node' })
const canvas = (page: Page) => page.locator('.react-flow')
const dialog = (page: Page) => page.getByRole('dialog')

describeConsole('keys', console => {
  let pipeline = ''
  /** Keys that were pressed, as the list behind `?` has them. */
  const pressed = new Set<string>()

  beforeAll(async () => {
    const atMs = Date.now() - 60_000
    await console.ship(
      Array.from({ length: LINES }, (_, at) => ({
        ...{ line: at % 10 === 3 ? `needle ${at}` : `straw ${at}`, app: at < 20 ? 'barn' : 'field' },
        ...{ level: 'info', timestamp: atMs + at, meta: { door: at % 2 } },
      })),
    )
    pipeline = await publishedPipeline(console)
    const view = { name: 'Barn lines', query: 'barn' }
    const answer = await fetch(`${console.url}/v1/config/view`, {
      method: 'POST',
      headers: {
        authorization: `Token ${console.weir.credentials.accessToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(view),
    })
    if (!answer.ok) throw new Error(await answer.text())
  })

  /** Presses a key as the browser names it. @param listed as the list of keys names it */
  async function press(page: Page, group: string, listed: string, key = listed): Promise<void> {
    pressed.add(`${group}: ${listed}`)
    await page.keyboard.press(key)
  }

  test('that follow no g lead nowhere, also just after the page was opened', async () => {
    const page = await console.signedIn('/console/none')
    await page.addInitScript(() => {
      performance.now = () => 1
    })
    await page.goto('/console/search?q=straw')
    await cursor(page).waitFor()
    await page.keyboard.press('u')
    await page.keyboard.press('?')
    await dialog(page).getByText('find in the loaded lines').waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/search')
  })

  test('of every page lead to pages, pipelines, nodes and views, and change the look', async () => {
    const page = await console.signedIn('/console/search?q=straw')
    await cursor(page).waitFor()
    const everywhere = (listed: string, key?: string) => press(page, 'Everywhere', listed, key)
    const goTo = async (words: string) => {
      await everywhere('Ctrl K', 'Control+k')
      await dialog(page).getByRole('combobox').fill(words)
      await dialog(page).getByRole('option').first().waitFor()
    }
    for (const [letter, path] of [
      ['u', 'usage'],
      ['p', 'pipelines'],
      ['y', 'system'],
      ['s', 'search'],
    ] as const) {
      await page.keyboard.press('g')
      await everywhere(`g ${letter}`, letter)
      await page.waitForURL(new RegExp(`/console/${path}`))
    }
    await page.keyboard.press('g')
    await everywhere('g t', 't')
    await page.getByRole('dialog', { name: 'Go to a time' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await everywhere('?', '?')
    await dialog(page).getByText('find in the loaded lines').waitFor()
    await page.keyboard.press('Escape')
    await everywhere('t')
    await page.locator('html[data-theme=dark]').waitFor()
    const filters = page.getByRole('complementary', { name: 'Filters' })
    await filters.waitFor()
    await everywhere('m')
    await filters.waitFor({ state: 'hidden' })
    await page.reload()
    await grid(page).waitFor()
    expect(await filters.isVisible()).toBe(false)
    await everywhere('m')
    await filters.waitFor()
    await goTo('audit')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findingsOfPage(page), colorScheme).toEqual([])
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/console\/audit/)
    await goTo('fewer lin')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(pipeline))
    await canvas(page).waitFor()
    await goTo('at most node')
    await page.keyboard.press('Enter')
    await panel(page).getByRole('heading', { name: 'At most two' }).waitFor()
    await goTo('barn')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=barn/)
    await goTo('pipeline')
    const options = dialog(page).getByRole('option')
    await page.keyboard.press('ArrowDown')
    expect(await options.nth(1).getAttribute('aria-selected')).toBe('true')
    await dialog(page).getByRole('combobox').fill('no such place')
    await dialog(page).getByText('Nothing has this name.').waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
  })

  test('of the lines move, choose, open, close, copy and find', async () => {
    const page = await console.signedIn('/console/search?order=oldest&from=1h', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const lines = (listed: string, key?: string) => press(page, 'Lines', listed, key)
    const at = (text: string) => cursor(page).getByText(text, { exact: true }).waitFor()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await grid(page).getByText('straw 0', { exact: true }).waitFor()
    await lines('j k', 'j')
    await at('straw 0')
    await page.keyboard.press('j')
    await at('straw 1')
    await page.keyboard.press('k')
    await at('straw 0')
    await lines('\u2191 \u2193', 'ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await at('straw 1')
    await lines('PgUp PgDn', 'PageDown')
    await at('straw 21')
    await page.keyboard.press('PageUp')
    await at('straw 1')
    await lines('Home End', 'End')
    await at(`straw ${LINES - 1}`)
    await page.keyboard.press('Home')
    await at('straw 0')
    await lines('Shift \u2193', 'Shift+ArrowDown')
    await lines('Ctrl C', 'Control+c')
    await expect.poll(copied).toMatch(/straw 0.*\n.*straw 1/)
    await page.keyboard.press('Escape')
    await lines('=', '=')
    const find = page.getByRole('searchbox', { name: 'Find in the loaded lines' })
    await find.fill('NEEDLE')
    await page.keyboard.press('Enter')
    await at('needle 3')
    await page.keyboard.press('Shift+Enter')
    await at('needle 43')
    expect(await findingsOfPage(page)).toEqual([])
    await page.keyboard.press('Escape')
    await find.waitFor({ state: 'detached' })
    await lines('n N', 'n')
    await at('needle 3')
    await page.keyboard.press('n')
    await at('needle 13')
    await page.keyboard.press('N')
    await at('needle 3')
    await page.keyboard.press('=')
    await find.fill('no such text')
    await page.keyboard.press('Enter')
    await page.getByText('No loaded line contains it.').waitFor()
    await page.keyboard.press('Escape')
    await lines('y Y', 'y')
    await expect.poll(copied).toBe('needle 3')
    await page.keyboard.press('Y')
    await expect.poll(copied).toMatch(/line=/)
    await lines('Enter')
    await details(page).getByRole('tab', { name: 'Fields', selected: true }).waitFor()
    await lines('c w', 'c')
    await details(page).getByRole('tab', { name: 'Context', selected: true }).waitFor()
    await page.keyboard.press('w')
    await details(page).getByRole('tab', { name: 'Why', selected: true }).waitFor()
    await lines('x')
    await details(page).waitFor({ state: 'detached' })
    await lines('z')
    await page.waitForURL(/wrap=on/)
    await lines('o')
    await page.waitForURL(address => !address.search.includes('order='))
  })

  test('of the query, of values and of a tail', async () => {
    const page = await console.signedIn('/console/search?from=1h&q=barn')
    const query = page.getByRole('combobox', { name: 'Query' }).or(page.getByLabel('Query')).first()
    const ofQuery = (listed: string, key?: string) => press(page, 'Query', listed, key)
    await cursor(page).waitFor()
    await ofQuery('/')
    await query.fill('')
    await query.pressSequentially('app:ba')
    await page.getByRole('option', { name: 'barn' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await ofQuery('Tab')
    await expect.poll(() => query.inputValue()).toContain('barn')
    await ofQuery('Enter')
    await page.waitForURL(/q=app/)
    await ofQuery('Esc', 'Escape')
    await page.locator('[role=grid]:focus').waitFor()
    for (const [listed, key, changes] of [
      ['[ ]', '[', /from=\d+/],
      ['[ ]', ']', /from=\d+/],
      ['-', '-', /from=\d+/],
    ] as const) {
      const before = page.url()
      await ofQuery(listed, key)
      await page.waitForURL(address => address.href !== before && changes.test(address.href))
    }
    await page.goto('/console/search?from=1h&q=straw&order=oldest')
    await grid(page).getByText('straw 0', { exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await details(page)
      .getByRole('button', { name: /^Add to the query: .*door/ })
      .focus()
    await press(page, 'Value of a field', '+')
    await page.waitForURL(/door/)
    await page.goto('/console/search?from=1h&q=straw')
    const level = page.getByRole('complementary', { name: 'Filters' }).getByRole('button', { name: /^barn/ })
    await level.focus()
    await press(page, 'Value of a field', '_')
    await page.waitForURL(address => decodeURIComponent(address.search).includes('-app'))
    await page.goto('/console/search')
    await cursor(page).waitFor()
    const live = (listed: string, key?: string) => press(page, 'Live', listed, key)
    await live('l')
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await live('Space', ' ')
    await page.getByRole('status').getByText('Paused', { exact: true }).waitFor()
    await page.keyboard.press(' ')
    await live('f')
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await page.keyboard.press('l')
    await page.waitForURL(address => !address.search.includes('live'))
  })

  test('of the graph walk, open, add, connect, remove, undo, save and simulate', async () => {
    const page = await console.signedIn(`/console/pipelines/${pipeline}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const graph = (listed: string, key?: string) => press(page, 'Graph of a pipeline', listed, key)
    const edges = canvas(page).locator('.react-flow__edge')
    const node = (name: RegExp) => canvas(page).getByRole('button', { name })
    await node(/^lines/).waitFor()
    const outline = page.getByRole('navigation', { name: 'Outline' })
    await page.keyboard.press('m')
    await outline.waitFor({ state: 'hidden' })
    await page.keyboard.press('m')
    await outline.waitFor()
    await outline.getByRole('button').last().focus()
    await graph('Tab')
    await page.locator('[data-node=lines]:focus').waitFor()
    await graph('Enter')
    await panel(page).getByRole('heading', { name: 'lines' }).waitFor()
    await graph('Arrows', 'ArrowRight')
    await panel(page).getByRole('heading', { name: 'by-level' }).waitFor()
    const before = await edges.count()
    await graph('e')
    await dialog(page).getByRole('heading', { name: 'Connect by-level with' }).waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    await dialog(page).getByLabel('Find a node').fill('hook unmatched')
    await page.keyboard.press('Enter')
    await dialog(page).waitFor({ state: 'detached' })
    await expect.poll(() => edges.count()).toBe(before + 1)
    await graph('Ctrl Z', 'Control+z')
    await expect.poll(() => edges.count()).toBe(before)
    await graph('Ctrl Y', 'Control+y')
    await expect.poll(() => edges.count()).toBe(before + 1)
    await node(/^by-level/).focus()
    await graph('a')
    await dialog(page).getByRole('heading', { name: 'Add a node' }).waitFor()
    await page.keyboard.press('Escape')
    await node(/^hook/).press('Enter')
    await graph('Ctrl C', 'Control+c')
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('name: hook')
    await graph('Ctrl V', 'Control+v')
    await page.waitForURL(/node=hook-2/)
    await node(/^hook.*added/)
      .first()
      .focus()
    await graph('Delete')
    await page.waitForURL(address => !address.search.includes('node='))
    await node(/^At most two/).press('Enter')
    await panel(page).getByLabel('threshold').fill('-1')
    await page.keyboard.press('Escape')
    await node(/^At most two .*1 finding/).waitFor()
    await graph('F8')
    await panel(page).getByRole('heading', { name: 'At most two' }).waitFor()
    await page.keyboard.press('Control+z')
    await panel(page).getByLabel('threshold').fill('3')
    await graph('Ctrl S', 'Control+s')
    await page
      .getByRole('button', { name: 'Save draft', disabled: true })
      .and(page.locator('.button'))
      .waitFor()
    expect(
      (await callApi<{ document: object }>(console, 'GET', `/v3/pipeline/${pipeline}/graph`)).document,
    ).toMatchObject({ processors: [{}, { name: 'calm', config: { threshold: 3 } }] })
    await page.getByRole('tab', { name: 'Simulate' }).click()
    await page.getByRole('textbox', { name: 'Samples' }).fill('{"line":"a","level":"debug"}')
    await page.getByRole('tab', { name: 'Graph' }).click()
    await node(/^by-level/).focus()
    await graph('Ctrl Enter', 'Control+Enter')
    await page.getByText('1 of 1 samples were tried.').waitFor()
    await page.waitForURL(address => !address.search.includes('run='))
  })

  test('are all those of the list', () => {
    const listed = KEY_TEXT.keyGroups.flatMap(({ title, keys }) => keys.map(([key]) => `${title}: ${key}`))
    expect([...pressed].toSorted()).toEqual(listed.toSorted())
  })
})
