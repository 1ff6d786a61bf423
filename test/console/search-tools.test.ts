import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeConsole } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import { callApi, FEWER } from './published-pipeline.ts'

const rows = (page: Page) => page.getByRole('grid').getByRole('row')
const openRow = (page: Page, text: string) =>
  rows(page).filter({ hasText: text }).first().getByRole('gridcell', { name: 'Open details' }).click()

describeConsole('the tools of the search page', console => {
  const startMs = Date.now() - 20 * 60_000

  test('an account without lines shows commands; one of them, run as printed, brings the page to life', async () => {
    const page = await console.signedIn('/console/search')
    await page.getByRole('heading', { name: 'There are no lines yet' }).waitFor()
    const { ingestUrl, ingestionKey } = console.weir.credentials
    const command = await page.locator('pre').first().textContent()
    expect(command).toContain(`curl '${ingestUrl}/logs/ingest?hostname=my-host' -H 'apikey: ${ingestionKey}'`)
    const body = /-d '(.*)'/.exec(command ?? '')?.[1] ?? ''
    const answer = await fetch(`${ingestUrl}/logs/ingest?hostname=my-host`, {
      method: 'POST',
      headers: { apikey: ingestionKey, 'content-type': 'application/json' },
      body,
    })
    expect(answer.ok).toBe(true)
    await rows(page).filter({ hasText: 'Hello, Weir' }).waitFor()
  })

  test('names, values and keywords complete, and an error is marked at the character that the API names', async () => {
    await console.ship(
      Array.from({ length: 30 }, (_, at) => ({
        line: JSON.stringify({ message: `request ${at} answered`, code: at % 2 === 0 ? 200 : 503 }),
        app: at % 3 === 0 ? 'checkout' : 'payments',
        level: 'info',
        timestamp: startMs + at * 1_000,
        meta: { region: 'eu-1' },
      })),
    )
    const page = await console.signedIn('/console/search')
    const field = page.getByLabel('Query')
    await field.pressSequentially('meta.')
    await page.getByRole('option', { name: 'meta.region' }).waitFor()
    await field.press('ArrowDown')
    await field.press('Tab')
    expect(await field.inputValue()).toBe('meta.region:')
    await page.getByRole('option', { name: 'eu-1' }).waitFor()
    await field.press('ArrowDown')
    await field.press('Enter')
    expect(await field.inputValue()).toBe('meta.region:eu-1')
    await field.press('Enter')
    await page.waitForURL(/q=meta\.region%3Aeu-1/)
    await page.getByText('30 lines').first().waitFor()
    await field.fill('a b OR c')
    await page.getByText('a AND (b OR c)').waitFor()
    await field.fill('request (answered')
    await page.getByText('"query" has an unbalanced parenthesis at character 9').waitFor()
    expect(await page.locator('search mark').textContent()).toBe('(')
    await page.reload()
    expect(await page.getByLabel('Query').inputValue()).toBe('request (answered')
  })

  test('a field becomes a column that the address holds, and its values narrow the search', async () => {
    const page = await console.signedIn('/console/search?q=request')
    const filters = page.getByRole('complementary', { name: 'Filters' })
    await filters.getByRole('button', { name: 'Show code as a column' }).click()
    expect(page.url()).toContain('cols=level%2Capp%2Chost%2Ccode')
    await rows(page)
      .filter({ hasText: 'request 29' })
      .getByRole('gridcell', { name: '503', exact: true })
      .waitFor()
    await filters.getByRole('button', { name: /^code / }).click()
    await filters.getByRole('button', { name: '503 15' }).click()
    await page.getByText('15 lines').first().waitFor()
    expect(await page.getByLabel('Query').inputValue()).toBe('request code:=="503"')
  })

  test('chosen lines are copied byte for byte as they were sent', async () => {
    const page = await console.signedIn('/console/search?q=request&order=oldest', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await rows(page).filter({ hasText: 'request 0 ' }).first().getByText('request 0').click()
    await page.getByRole('grid').press('Shift+ArrowDown')
    await page
      .getByRole('toolbar', { name: 'Chosen lines' })
      .getByRole('button', { name: 'Copy as sent' })
      .click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      '{"message":"request 0 answered","code":200}\n{"message":"request 1 answered","code":503}',
    )
  })

  test('a view that was saved, changed and opened elsewhere is the same', async () => {
    const page = await console.signedIn('/console/search?q=request&apps=checkout')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('button', { name: 'Save as a new view' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Checkout')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Views: Checkout' }).waitFor()
    await page.getByRole('button', { name: 'Remove app: checkout' }).click()
    await page.getByRole('button', { name: 'Views: Checkout' }).click()
    await page.getByRole('button', { name: 'Save changes to Checkout' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const other = await console.signedIn('/console/search?off=apps:web')
    await other.getByRole('button', { name: 'app: web', exact: true, pressed: false }).waitFor()
    await other.getByRole('button', { name: 'Views' }).click()
    await other.getByRole('button', { name: 'Checkout', exact: true }).click()
    await other.waitForURL(/q=request/)
    expect(other.url()).not.toMatch(/(apps|off)=/)
    await other.getByRole('button', { name: 'Views: Checkout' }).click()
    await other.getByRole('button', { name: 'Delete Checkout' }).click()
    await other.getByRole('button', { name: 'Delete', exact: true }).click()
    await other.getByRole('button', { name: 'Views', exact: true }).waitFor()
  })

  test('why a line is here, and why one is missing, names the rule', async () => {
    const page = await console.signedIn('/console/search?q=request')
    await openRow(page, 'request 7 ')
    await page.getByRole('tab', { name: 'Why' }).click()
    await page.getByText('Without a pipeline: stored once.').waitFor()
    const rule = await fetch(`${console.url}/v1/config/ingestion/exclusions`, {
      method: 'POST',
      headers: {
        authorization: `Token ${console.weir.credentials.accessToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ title: 'noise', active: true, query: 'unwanted', indexonly: false }),
    })
    expect(rule.ok).toBe(true)
    await console.ship([{ line: 'an unwanted line', app: 'web' }])
    await page.goto('/console/search?q=unwanted')
    await page.getByRole('heading', { name: 'No line was found' }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Why is a line missing?' }).last().click()
    await page.getByRole('button', { name: 'Look in the log' }).click()
    await page.getByText('1 line is not stored.').waitFor()
    const missing = page.locator('summary').filter({ hasText: 'an unwanted line' })
    const today = new Date().toISOString().slice(0, 10)
    expect(await missing.getByRole('time').textContent()).toContain(today.slice(0, 8))
    await missing.click()
    await page
      .getByText(/^Because .*noise/)
      .first()
      .waitFor()
  })

  test('newer lines are told, and the line that is read stays where it is', async () => {
    const fresh = (from: number, to: number) =>
      console.ship(
        Array.from({ length: to - from }, (_, at) => ({ line: `fresh ${from + at}.`, app: 'web' })),
      )
    await fresh(0, 80)
    const page = await console.signedIn('/console/search')
    await page.clock.install({ time: Date.now() })
    await page.goto('/console/search?q=fresh')
    const grid = page.getByRole('grid')
    await grid.getByText('fresh 79.').waitFor()
    await grid.evaluate(list => list.scrollTo(0, 600))
    const shown = () => grid.locator('[data-text]').allTextContents()
    // It is among the rows only after the list has followed the scroll.
    await grid.getByText('fresh 20.').waitFor()
    const before = await shown()
    await fresh(80, 85)
    await page.clock.fastForward(10_000)
    await page.getByRole('button', { name: '5 newer lines' }).waitFor()
    expect(await shown()).toEqual(before)
    expect(await grid.evaluate(list => list.scrollTop)).toBe(600)
    await page.getByRole('button', { name: '5 newer lines' }).click()
    await grid.getByText('fresh 84.').waitFor()
  })

  test('lines that a query finds become samples, as they were accepted', async () => {
    const title = 'Samples of a search'
    const { id } = await callApi<{ id: string }>(console, 'PUT', '/v3/pipeline/import', { ...FEWER, title })
    await console.ship(
      Array.from({ length: 52 }, (_, at) => ({
        line: `sampled ${at}.`,
        app: 'shop',
        level: at === 51 ? 'info' : 'debug',
        timestamp: Date.now() - 60_000 + at,
        meta: { at },
      })),
    )
    const page = await console.signedIn(`/console/pipelines/${id}?tab=simulate`)
    await page.getByRole('button', { name: 'Samples from a search' }).click()
    const dialog = page.getByRole('dialog')
    const boxes = dialog.getByRole('list', { name: 'Lines found' }).getByRole('checkbox')
    await dialog.getByLabel('Query').fill('nowhere')
    await page.keyboard.press('Enter')
    await dialog.getByRole('heading', { name: 'No line was found' }).waitFor()
    await dialog.getByLabel('Query').fill('level:(')
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').getByText('at character').waitFor()
    await dialog.getByLabel('Query').fill('sampled')
    await page.keyboard.press('Enter')
    await dialog.getByText('These are the newest 50 lines. A narrower query finds others.').waitFor()
    expect(await boxes.count()).toBe(50)
    expect(await dialog.getByRole('button', { name: 'Add 0 samples' }).isDisabled()).toBe(true)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findingsOfPage(page), colorScheme).toEqual([])
    }
    await dialog.getByLabel('All 50 lines').check()
    await dialog.getByRole('button', { name: 'Add 50 samples' }).waitFor()
    await dialog.getByLabel('All 50 lines').uncheck()
    for (const text of ['sampled 51.', 'sampled 50.', 'sampled 48.']) await dialog.getByText(text).click()
    await dialog.getByRole('button', { name: 'Add 3 samples' }).click()
    await dialog.waitFor({ state: 'detached' })
    const lines = page.locator('.cm-content .cm-line')
    await lines.nth(2).waitFor()
    const samples = (await lines.allTextContents()).map(text => JSON.parse(text))
    expect(samples.map(({ message }) => [message.line, message.level, message.meta.at])).toEqual([
      ['sampled 48.', 'debug', 48],
      ['sampled 50.', 'debug', 50],
      ['sampled 51.', 'info', 51],
    ])
    await page.getByRole('button', { name: 'Simulate', exact: true }).click()
    await page.getByText('3 of 3 samples were tried.').waitFor()
    await page.locator('.react-flow').getByLabel('by-level debug to At most two, 2 events').waitFor()
    await page.getByRole('button', { name: 'Samples from a search' }).click()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await lines.count()).toBe(3)
  })

  test('a tail is a log that announces how many lines came, not each of them', async () => {
    const page = await console.signedIn('/console/search')
    await page.clock.install({ time: Date.now() })
    await page.goto('/console/search?q=spoken&live=on')
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    const log = page.getByRole('log', { name: 'Lines of the live tail' })
    await log.getByText('Waiting for lines').waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    const line = { line: 'spoken', app: 'web', level: 'info' }
    await console.ship([line, line, { ...line, level: 'error' }])
    const shown = log.getByRole('row').filter({ hasText: 'spoken' })
    await shown.nth(2).waitFor()
    const announcer = (part: Locator) =>
      part.evaluate(element => element.closest('[aria-live], [role=status], [role=log]')?.ariaLive)
    expect(await announcer(shown.first())).toBe('off')
    expect(await findingsOfPage(page)).toEqual([])
    await page.clock.fastForward(10_000)
    const sentence = page.getByText('3 new lines, 1 error', { exact: true })
    await sentence.waitFor()
    expect(await announcer(sentence)).toBe('polite')
    expect(await log.getByText('3 new lines').count()).toBe(0)
  })

  test('a tail shows lines as they come, stays where one reads, and leaves no gap when the server dies', async () => {
    const page = await console.signedIn('/console/search?q=tailed&live=on')
    const send = (from: number, to: number) =>
      console.ship(
        Array.from({ length: to - from }, (_, at) => ({
          line: `tailed ${from + at}.`,
          app: 'web',
          level: 'info',
        })),
      )
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await send(0, 100)
    await rows(page).filter({ hasText: 'tailed 99.' }).waitFor()
    await page.getByRole('grid').press('Home')
    await page.getByRole('button', { name: /Not following/ }).waitFor()
    await send(100, 200)
    await page.getByRole('button', { name: 'Not following, 100 new lines' }).waitFor()
    expect(await rows(page).filter({ hasText: 'tailed 0.' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Not following, 100 new lines' }).click()
    await rows(page).filter({ hasText: 'tailed 199.' }).waitFor()
    // Another query goes on in the same list.
    await page.getByLabel('Query').fill('tailed OR nothing')
    await page.getByLabel('Query').press('Enter')
    await page.getByText(/^Live since .*: tailed OR nothing$/).waitFor()
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    expect(await rows(page).filter({ hasText: 'tailed 199.' }).count()).toBe(1)
    const other = await console.signedIn('/console/search?q=absent&live=on')
    await other.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await console.kill()
    await page.getByText(/^Lost at/).waitFor()
    await console.weir.start()
    await send(200, 300)
    await rows(page).filter({ hasText: 'tailed 299.' }).waitFor()
    await page.getByText('300 lines', { exact: true }).waitFor()
    // A tail without a line has no place to go on behind, and says so.
    await other.getByText(/Lines between may be missing/).waitFor()
  })
})
