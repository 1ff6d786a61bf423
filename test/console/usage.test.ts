import { beforeAll, describe, expect, test } from 'vitest'
import { describeConsole } from '../support/browser/describe-console.ts'
import { accessTests } from './access-tests.ts'
import { auditTests } from './audit-tests.ts'
import { rulesTests } from './rules-tests.ts'

const DAY_MS = 86_400_000

interface Series {
  readonly data: {
    readonly series: readonly { readonly name: string; readonly bytes: readonly number[] }[]
  }
}

describeConsole('the usage page', console => {
  beforeAll(() =>
    console.ship(
      Array.from({ length: 60 }, (_, at) => ({
        line: `usage of line ${at}`,
        app: at % 3 === 0 ? 'db' : 'web',
        timestamp: Date.now() - (at % 3) * DAY_MS,
      })),
    ),
  )

  describe('and that about access', () => accessTests(console))
  describe('and that about changes', () => auditTests(console))
  describe('and that about rules', () => rulesTests(console))

  test('shows of each app what the API counts, to the byte, in the table and in the chart', async () => {
    const page = await console.signedIn('/console/usage?days=7')
    await page.getByRole('link', { name: 'web', exact: true }).waitFor()
    const now = Date.now()
    const { data } = await console.weir.get<Series>(
      `/v3/usage/series?kind=apps&from=${now - 8 * DAY_MS}&to=${now}&interval=day`,
    )
    for (const { name, bytes } of data.series) {
      const total = bytes.reduce((sum, each) => sum + each, 0)
      await page
        .getByRole('row')
        .filter({ has: page.getByRole('link', { name, exact: true }) })
        .getByTitle(`${total.toLocaleString('en')} B`)
        .waitFor()
    }
    const chart = page.getByRole('application', { name: 'Usage over time' })
    await chart.press('ArrowLeft')
    const today = data.series.find(({ name }) => name === 'db')?.bytes.at(-1) ?? 0
    await page.locator('figcaption').getByText(`${today} B`).waitFor()
    expect(today).toBeGreaterThan(0)
  })

  test('a name has a chart of its own and a search, and lines can be counted in place of bytes', async () => {
    const page = await console.signedIn('/console/usage')
    await page.getByRole('link', { name: 'db', exact: true }).click()
    await page.waitForURL(/name=db/)
    await page.getByRole('button', { name: 'Lines', exact: true }).click()
    await page.getByRole('row', { name: /^db/ }).getByTitle('20 lines').waitFor()
    expect(await page.getByRole('link', { name: 'web', exact: true }).count()).toBe(0)
    await page.getByRole('link', { name: 'Search db' }).click()
    await page.waitForURL(/\/search\?apps=db/)
  })

  test('a limit is read as a size, and the quota shows it', async () => {
    const page = await console.signedIn('/console/usage')
    await page.getByRole('button', { name: 'Change quotas' }).click()
    const dialog = page.getByRole('dialog')
    const daily = dialog.getByRole('group', { name: 'Today, in UTC' })
    await daily.getByRole('textbox').fill('a lot')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').getByText('Write a size as 500 MB or 2 GB.').waitFor()
    await daily.getByRole('textbox').fill('1 kB')
    await daily.getByLabel('Store nothing once the limit is reached').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(/of 1\.00 kB$/).waitFor()
    expect(await page.getByRole('meter', { name: 'Today, in UTC' }).getAttribute('aria-valuemax')).toBe(
      '1000',
    )
  })

  test('the audit shows who changed the quota, with the value before and after', async () => {
    const page = await console.signedIn('/console/audit')
    const { accessToken } = console.weir.credentials
    const set = async (limit: number) =>
      await fetch(`${console.url}/v1/config/usage-quotas`, {
        method: 'PUT',
        headers: { authorization: `Token ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ daily: { limit, discard: false, rules: [] } }),
      })
    expect([(await set(7_000_001)).status, (await set(8_000_002)).status]).toEqual([200, 200])
    await page.getByLabel('Action').selectOption('changed')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/action=changed/)
    await page.locator('summary').first().click()
    await page.getByRole('row').filter({ hasText: '7000001' }).filter({ hasText: '8000002' }).waitFor()
    await page.getByLabel('Who').fill('nobody')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('heading', { name: 'No change matches' }).waitFor()
    await page.getByRole('button', { name: 'Show all changes' }).click()
    await page.locator('summary').first().waitFor()
  })

  test('ingestion is suspended once it was confirmed, and resumed', async () => {
    const { ingestUrl, ingestionKey } = console.weir.credentials
    const send = async () => {
      const answer = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
        method: 'POST',
        headers: { apikey: ingestionKey, 'content-type': 'application/json' },
        body: JSON.stringify({ lines: [{ line: 'tried' }] }),
      })
      return answer.status
    }
    const page = await console.signedIn('/console/system')
    const part = page.getByRole('region', { name: 'This account' })
    await part.getByRole('button', { name: 'Suspend…' }).click()
    expect(await send()).toBe(200)
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend ingestion' }).click()
    await part.getByText('Suspended: lines of this account are refused.').waitFor()
    expect(await send()).toBe(403)
    await part.getByRole('button', { name: 'Resume ingestion' }).click()
    await part.getByText('Lines are accepted.').waitFor()
    expect(await send()).toBe(200)
    await part.getByRole('switch', { name: 'Spread lines over all partitions' }).waitFor()
  })

  test('a quota in force says what acts and until when', async () => {
    const page = await console.signedIn('/console/pipelines')
    // The engine looks at quotas once a minute: the answer is seeded.
    const daily = { limit: 1_000, discard: true, rules: [], used: 1_500 }
    await page.route('**/v1/config/usage-quotas', route =>
      route.fulfill({
        json: {
          daily: { ...daily, in_force: { until: '2026-12-01T00:00:00.000Z', discard: true, rules: [] } },
          monthly: {
            ...daily,
            rules: [{ percent: 80, apps: ['web'], hosts: [], query: '', indexonly: true, active: true }],
            in_force: { until: '2026-12-01T00:00:00.000Z', discard: false, rules: [1] },
          },
        },
      }),
    )
    await page.goto('/console/usage?tz=UTC')
    await page.getByText('Nothing further is stored until 2026-12-01 00:00.').waitFor()
    await page.getByText('Rules 1 apply until 2026-12-01 00:00.').waitFor()
    await page.getByText('Rule 1, from 80 %: app: web').waitFor()
  })
})
