import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeConsole, signIn } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import { searchPageTests } from './search-page-tests.ts'

const EXACT = '9007199254740993'
const HOSTILE = '\u001b[31m<img src=x onerror=alert(1)>\u202e<script>document.title="x"</script>'

const rows = (page: Page) => page.getByRole('grid').getByRole('row')
const openRow = (page: Page, text: string) =>
  rows(page).filter({ hasText: text }).first().getByRole('gridcell', { name: 'Open details' }).click()

/** Answer of a search with one line: of 1 MB, or with 2,000 fields. */
function longAnswers({ isLong, timeMs }: { readonly isLong: boolean; readonly timeMs: number }): string {
  const fields = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`field_${at}`, at]))
  const line = isLong ? { _line: `long ${'x'.repeat(1_000_000)} end` } : { _line: 'wide', ...fields }
  const record = { _id: '1', _ts: timeMs, _app: 'web', ...line }
  return [{ lines: [record] }, { end: { next: null, access: 'order' } }]
    .map(piece => `${JSON.stringify(piece)}\n`)
    .join('')
}

describeConsole('the search page', console => {
  const startMs = Date.now() - 30 * 60_000

  beforeAll(async () => {
    const many = Array.from({ length: 120 }, (_, at) => ({
      line: `request ${at} answered`,
      app: at % 3 === 0 ? 'db' : 'web',
      level: at % 10 === 0 ? 'error' : 'info',
      timestamp: startMs + at * 1_000,
      meta: { number: at },
    }))
    const special = [
      { line: `{"exact":${EXACT},"name":"needle"}`, app: 'web', level: 'info', timestamp: startMs + 200_000 },
      { line: HOSTILE, app: 'web', level: 'warn', timestamp: startMs + 201_000 },
    ]
    await console.ship([...many, ...special])
  })

  test('shows the newest lines first, and after the other button the oldest', async () => {
    const page = await console.signedIn('/console/search')
    await rows(page).nth(3).waitFor()
    expect(await rows(page).nth(3).textContent()).toContain('request 119 answered')
    await page.getByRole('button', { name: 'Newest first' }).click()
    await rows(page).nth(1).filter({ hasText: 'request 0 answered' }).waitFor()
    expect(page.url()).toContain('order=oldest')
  })

  test('reload, Back and a second tab show the same query, range, order and line', async () => {
    const page = await console.signedIn('/console/search')
    await page.getByLabel('Query').fill('request')
    await page.getByLabel('Query').press('Enter')
    await page.getByText('120 lines').first().waitFor()
    await openRow(page, 'request 107 ')
    await page.getByRole('tab', { name: 'JSON' }).click()
    const state = async (shown: Page) => {
      const panel = shown.getByRole('tabpanel', { name: 'JSON' })
      await panel.getByText('request 107 answered').waitFor()
      return [await shown.getByLabel('Query').inputValue(), await panel.textContent()]
    }
    const before = await state(page)
    await page.reload()
    expect(await state(page)).toEqual(before)
    const second = await page.context().newPage()
    await second.goto(page.url())
    expect(await state(second)).toEqual(before)
    await page.goBack()
    await page.getByRole('region', { name: 'Details of the line' }).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Query').inputValue()).toBe('request')
    await page.goBack()
    await page.waitForURL(/\/search$/)
    expect(await page.getByLabel('Query').inputValue()).toBe('')
  })

  test('the counts of values are what a search with that filter finds', async () => {
    const page = await console.signedIn('/console/search?q=request')
    const filters = page.getByRole('complementary', { name: 'Filters' })
    await filters.getByRole('button', { name: 'db 40' }).click()
    await page.getByText('40 lines').first().waitFor()
    expect(page.url()).toContain('apps=db')
    expect(await rows(page).filter({ hasText: 'web' }).count()).toBe(
      await rows(page).filter({ hasText: 'web-1' }).count(),
    )
    await page.getByRole('button', { name: 'Remove app: db' }).click()
    for (const [value, lines, chip] of [
      ['ERROR', 12, 'level: ERROR'],
      ['web-1', 120, 'host: web-1'],
    ] as const) {
      await page.getByText('120 lines').first().waitFor()
      await filters.getByRole('button', { name: `${value} ${lines}`, exact: true }).click()
      const removal = page.getByRole('button', { name: `Remove ${chip}`, exact: true })
      await removal.waitFor()
      await page.getByText(`${lines} lines`).first().waitFor()
      await removal.click()
    }
  })

  test('Alt and a click leave a value out', async () => {
    const page = await console.signedIn('/console/search?q=request')
    const filters = page.getByRole('complementary', { name: 'Filters' })
    await filters.getByRole('button', { name: 'db 40' }).click({ modifiers: ['Alt'] })
    await page.getByText('80 lines').first().waitFor()
    expect(await page.getByLabel('Query').inputValue()).toBe('request -app:=="db"')
  })

  test('the bars of the histogram add up to the lines, and keys and a drag narrow the same time', async () => {
    // The bars of the last hour would be other ones a minute later.
    const hour = `from=${startMs - 1_800_000}&to=${startMs + 1_800_000}`
    const page = await console.signedIn(`/console/search?q=request&${hour}`)
    const isNarrowed = ({ search }: URL) => /from=\d+&to=\d+/.test(search) && !search.includes(hour)
    const panel = page.getByRole('region', { name: 'Lines over time' })
    await panel.getByText('120 lines').waitFor()
    await panel.getByRole('button', { name: 'Show as table' }).click()
    const totals = await panel.locator('tbody td:last-child').allTextContents()
    expect(totals.reduce((sum, text) => sum + Number(text), 0)).toBe(120)
    const from = totals.findIndex(text => text !== '0')
    const to = totals.findLastIndex(text => text !== '0')
    await panel.getByRole('button', { name: 'Show as chart' }).click()
    const bars = panel.getByRole('application')
    await bars.focus()
    for (let at = 0; at <= from; at++) await bars.press('ArrowRight')
    for (let at = from; at < to - 1; at++) await bars.press('Shift+ArrowRight')
    await bars.press('Enter')
    await page.waitForURL(isNarrowed)
    const expected = totals.slice(from, to).reduce((sum, text) => sum + Number(text), 0)
    await panel.getByText(`${expected} lines`).waitFor()
    const byKeys = new URL(page.url()).search
    await page.goBack()
    await panel.getByText('120 lines').waitFor()
    const { x, y, width, height } = (await bars.boundingBox())!
    const placeOf = (bucket: number) =>
      [x + ((bucket + 0.5) / totals.length) * width, y + height / 2] as const
    await page.mouse.move(...placeOf(from))
    await page.mouse.down()
    await page.mouse.move(...placeOf(to - 1), { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(isNarrowed)
    expect(new URL(page.url()).search).toBe(byKeys)
  })

  test('the list begins at a time that was typed, or at a bar that was clicked, and the bars stay', async () => {
    const hour = `from=${startMs - 1_800_000}&to=${startMs + 1_800_000}`
    const page = await console.signedIn(`/console/search?q=request&${hour}`)
    const panel = page.getByRole('region', { name: 'Lines over time' })
    const begins = (text: string) => rows(page).nth(1).filter({ hasText: text }).waitFor()
    await panel.getByText('120 lines').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Time').fill('noon')
    await page.keyboard.press('Enter')
    await dialog.getByText('Write a time as').waitFor()
    const atMs = startMs + 60_500
    await dialog.getByLabel('Time').fill(new Date(atMs).toISOString())
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`at=${atMs}`))
    await page.getByText(/^Lines up to /).waitFor()
    await begins('request 60 ')
    await panel.getByText('120 lines').waitFor()
    expect(await findingsOfPage(page)).toEqual([])

    await page.getByRole('button', { name: 'Newest first' }).click()
    await page.getByText(/^Lines from .* on$/).waitFor()
    await begins('request 61 ')
    await page.getByRole('button', { name: 'Begin with the oldest' }).click()
    await begins('request 0 ')
    expect(page.url()).not.toContain('at=')

    await panel.getByRole('button', { name: 'Show as table' }).click()
    const totals = await panel.locator('tbody td:last-child').allTextContents()
    await panel.getByRole('button', { name: 'Show as chart' }).click()
    const last = totals.findLastIndex(text => text !== '0')
    const { x, y, width, height } = (await panel.getByRole('application').boundingBox())!
    await page.mouse.click(x + ((last + 0.5) / totals.length) * width, y + height / 2)
    await page.waitForURL(/at=\d+/)
    await page.locator(`[role=grid][aria-rowcount="${1 + Number(totals[last])}"]`).waitFor()
    await panel.getByText('120 lines').waitFor()
    await page.goto(`/console/search?q=request&${hour}`)
    await panel.getByText('120 lines').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await dialog.getByLabel('Time').fill(new Date(startMs - 7_200_000).toISOString())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'No line was found' }).waitFor()
    const { searchParams } = new URL(page.url())
    expect(Number(searchParams.get('from'))).toBe(startMs - 9_000_000)
  })

  test('a level above the bars becomes a filter, and is given up again', async () => {
    const page = await console.signedIn('/console/search?q=request')
    const panel = page.getByRole('region', { name: 'Lines over time' })
    const levels = panel.getByRole('button', { name: /^[A-Z]+ \d+$/ })
    await panel.getByText('120 lines').waitFor()
    const text = (await levels.first().textContent()) ?? ''
    const [, name, lines] = /^(\S+) (\d+)$/.exec(text) ?? []
    await levels.first().click()
    await page.waitForURL(new RegExp(`levels=${name}`))
    await panel.getByText(`${lines} lines`).first().waitFor()
    await panel.getByRole('button', { name: text, pressed: true }).click()
    await panel.getByText('120 lines').waitFor()
    expect(page.url()).not.toContain('levels=')
  })

  test('a filter that is switched off stays as a chip, also after a reload, and is switched on again', async () => {
    const page = await console.signedIn('/console/search?q=request&apps=db,web&levels=info')
    const chips = page.getByRole('list', { name: 'Filters' })
    const panel = page.getByRole('region', { name: 'Lines over time' })
    const isOn = async () =>
      chips
        .getByRole('button', { name: /^\w+: / })
        .evaluateAll(all => all.map(each => `${each.textContent} ${each.ariaPressed}`))
    await panel.getByText('108 lines').first().waitFor()
    expect(await isOn()).toEqual(['app: db true', 'app: web true', 'level: info true'])
    await chips.getByRole('button', { name: 'app: db', exact: true }).click()
    await panel.getByText('72 lines').first().waitFor()
    await page.reload()
    await panel.getByText('72 lines').first().waitFor()
    expect(await isOn()).toEqual(['app: db false', 'app: web true', 'level: info true'])
    expect(new URL(page.url()).searchParams.get('apps')).toBe('web')
    expect(await findingsOfPage(page)).toEqual([])
    await chips.getByRole('button', { name: 'app: db', exact: true, pressed: false }).click()
    await panel.getByText('108 lines').first().waitFor()
    await chips.getByRole('button', { name: 'level: info', exact: true }).press('Enter')
    await panel.getByText('120 lines').first().waitFor()
    await chips.getByRole('button', { name: 'Remove level: info' }).click()
    expect(await isOn()).toEqual(['app: db true', 'app: web true'])
    expect(page.url()).not.toContain('off=')
  })

  test('an error of the query stands there once, in the words of the server', async () => {
    const page = await console.signedIn('/console/search?q=level:(error')
    const alerts = page.getByRole('alert').filter({ hasText: 'unbalanced parenthesis at character 7' })
    await alerts.waitFor()
    expect(await alerts.count()).toBe(1)
    expect(await page.getByLabel('Query').getAttribute('aria-invalid')).toBe('true')
  })

  test('a search without lines says so, and offers a longer time', async () => {
    const page = await console.signedIn('/console/search?q=absent&from=5min')
    await page.getByRole('heading', { name: 'No line was found' }).waitFor()
    await page.getByRole('button', { name: 'Search the last 30 days' }).click()
    await page.waitForURL(/from=30d/)
  })

  test('a search without lines counts each of its conditions alone, and goes on without one', async () => {
    const page = await console.signedIn('/console/search?q=request+nowhere&apps=db,web')
    await page.getByRole('heading', { name: 'No line was found' }).waitFor()
    const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })
    await row('request').getByText('120 lines').waitFor()
    await row('nowhere').getByText('0 lines').waitFor()
    await row('apps: db, web').getByText('122 lines').waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    await row('nowhere').getByRole('button', { name: 'Search without it nowhere' }).click()
    await page.getByText('120 lines').first().waitFor()
    expect(await page.getByLabel('Query').inputValue()).toBe('request')
    await page.goto('/console/search?q=nowhere')
    await page.getByRole('heading', { name: 'No line was found' }).waitFor()
    expect(await page.getByRole('rowheader').count()).toBe(0)
  })

  test('a large integer stays itself', async () => {
    const page = await console.signedIn('/console/search?q=needle')
    await openRow(page, 'needle')
    await page.getByRole('tabpanel').getByText(EXACT, { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.getByRole('tabpanel', { name: 'JSON' }).getByText(EXACT).waitFor()
  })

  test('markup, escapes and bidirectional characters of a line are only seen', async () => {
    const page = await console.signedIn('/console/search?q=onerror')
    await page.getByText('\u241b[31m<img src=x onerror=alert(1)>\u27e8U+202E\u27e9').first().waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.title()).toBe('Weir')
  })

  searchPageTests(console)

  test('the context of a line are its neighbours, and the keys walk through the list', async () => {
    const page = await console.signedIn('/console/search?q=request')
    await openRow(page, 'request 100 ')
    await page.getByRole('tab', { name: 'Context' }).click()
    await page.getByLabel('Same app').uncheck()
    const panel = page.getByRole('tabpanel', { name: 'Context' })
    await panel.getByText('request 99 answered').waitFor()
    const texts = await panel.getByRole('listitem').allTextContents()
    const numbers = texts.map(text => Number(/request (\d+)/.exec(text)?.[1]))
    expect(numbers.filter(number => number >= 60 && number < 120)).toEqual(
      Array.from({ length: 60 }, (_, at) => at + 60),
    )
    await page.getByRole('grid').press('j')
    await panel.locator('[aria-current=true]').getByText('request 99 answered').waitFor()
  })

  test('words of the query are marked in the lines found and in the context of one of them', async () => {
    const page = await console.signedIn('/console/search?q=ANSWERED+119')
    const marked = (part: Locator) =>
      part.evaluate(element =>
        [...(CSS.highlights.get('query-term') ?? [])]
          .filter(({ startContainer }) => element.contains(startContainer))
          .map(range => String(range)),
      )
    await openRow(page, 'request 119 ')
    await page.getByRole('tab', { name: 'Context' }).click()
    const panel = page.getByRole('tabpanel', { name: 'Context' })
    await panel.getByText('request 118 answered').waitFor()
    expect((await marked(panel)).slice(-3)).toEqual(['answered', 'answered', '119'])
    expect(await marked(page.getByRole('grid'))).toEqual(['answered', '119'])
    await page.getByRole('tab', { name: 'Fields' }).click()
    expect(await marked(page.getByRole('grid'))).toEqual(['answered', '119'])
    await page.getByRole('tab', { name: 'Context' }).click()
    await page.getByLabel('Same app').uncheck()
    await panel.getByText('request 117 answered').waitFor()
    expect(await marked(panel)).toHaveLength(52)
  })

  test('selecting text opens nothing, and the details open by their own button', async () => {
    const page = await console.signedIn('/console/search?q=request')
    await rows(page).filter({ hasText: 'request 110 ' }).getByText('request 110').dblclick()
    expect(await page.evaluate(() => String(getSelection()).trim())).not.toBe('')
    expect(await page.getByRole('region', { name: 'Details of the line' }).count()).toBe(0)
  })

  test('a session that ends leaves the query and the place in the list', async () => {
    const page = await console.signedIn('/console/search?q=request')
    const grid = page.getByRole('grid')
    await rows(page).filter({ hasText: 'request 119 ' }).waitFor()
    await grid.evaluate(list => list.scrollTo(0, 1_200))
    await rows(page).filter({ hasText: 'request 60 ' }).waitFor()
    await page.context().clearCookies()
    // Completions are asked for.
    await page.getByLabel('Query').fill('request unsent')
    await page.getByRole('dialog').getByText('Your session has ended').waitFor()
    await signIn(page, console.weir.credentials.accessToken)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Query').inputValue()).toBe('request unsent')
    expect(await grid.evaluate(list => list.scrollTop)).toBe(1_200)
  })

  test('a line of 1 MB and one of 2,000 fields open, and all of them can be reached', async () => {
    const page = await console.signedIn('/console/usage')
    // Ingestion takes no such lines, pipelines may make them: the answer is seeded.
    await page.route(/\/v3\/search\?.*query=(long|wide)/, route => {
      const isLong = route.request().url().includes('query=long')
      const body = longAnswers({ isLong, timeMs: startMs })
      return route.fulfill({ contentType: 'application/x-ndjson', body })
    })
    await page.goto('/console/search?q=long&open=raw')
    await openRow(page, 'long')
    const raw = page.getByRole('tabpanel', { name: 'Raw' }).locator('pre')
    await raw.waitFor()
    for (let step = 0; step < 10; step++)
      await page
        .getByRole('tabpanel')
        .getByRole('button', { name: /^Show .* more of 1\.00 MB$/ })
        .click()
    expect((await raw.textContent())?.length).toBe('long '.length + 1_000_000 + ' end'.length)
    await page.goto('/console/search?q=wide')
    await openRow(page, 'wide')
    const filter = page.getByRole('tabpanel').getByLabel('Filter fields')
    await filter.fill('field_1999')
    await page.getByRole('tabpanel').getByText('1999', { exact: true }).waitFor()
    await filter.fill('field_')
    await page.getByRole('button', { name: 'Show 1,900 further fields' }).click()
    expect(await page.getByRole('tabpanel').locator('dt').count()).toBe(2_000)
  })

  test('a permalink opens its line amid ten thousand of one millisecond, among its neighbours', async () => {
    const atMs = startMs - 3 * 86_400_000
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      line: `same ${at}`,
      app: 'web',
      timestamp: atMs,
    }))
    await console.ship(many)
    const atS = Math.floor(atMs / 1_000)
    const { lines } = await console.weir.get<{ lines: readonly { _id: string; _line: string }[] }>(
      `/v2/export?from=${atS - 1}&to=${atS + 1}&query=same&size=10000&prefer=head`,
    )
    expect(lines).toHaveLength(10_000)
    const page = await console.signedIn(`/console/search?line=${lines[5_000]!._id}&open=context`)
    const panel = page.getByRole('tabpanel', { name: 'Context' })
    await panel.locator('[aria-current=true]').getByText(lines[5_000]!._line, { exact: false }).waitFor()
    const texts = await panel.getByRole('listitem').allTextContents()
    expect(texts.map(text => /same \d+/.exec(text)?.[0])).toEqual(
      lines.slice(4_950, 5_051).map(({ _line }) => _line),
    )
  })

  test('a search that takes long says how long, and cancelling it ends the request', async () => {
    const page = await console.signedIn('/console/usage')
    await page.route(/\/v3\/search\?/, () => {})
    await page.goto('/console/search?q=request')
    const ended = page.waitForEvent('requestfailed', request => request.url().includes('/v3/search?'))
    const list = page.getByRole('status').filter({ has: page.getByRole('button', { name: 'Cancel' }) })
    await list.getByText(/^[2-9]\.\d s$/).waitFor()
    await list.getByRole('button', { name: 'Cancel' }).click()
    expect((await ended).failure()?.errorText).toBe('net::ERR_ABORTED')
    await list.waitFor({ state: 'detached' })
  })

  test('a permalink to a line that is gone says so', async () => {
    const page = await console.signedIn('/console/search?line=123')
    await page.getByText('The line is not kept any more').waitFor()
  })

  test('times are those of the zone of the address, and typed ones are read in it', async () => {
    const page = await console.signedIn('/console/search?q=needle&tz=Asia/Kolkata')
    const utc = new Date(startMs + 200_000)
    const shown = new Date(utc.getTime() + 5.5 * 3_600_000).toISOString().slice(11, 23)
    await rows(page).filter({ hasText: shown }).waitFor()
    await page.getByRole('button', { name: /^Time range/ }).click()
    await page.getByLabel('From').fill('2026-01-01 05:30')
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('now')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(new RegExp(`from=${Date.parse('2026-01-01T00:00:00Z')}`))
  })
})
