import { beforeAll, expect, test } from 'vitest'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import { callApi } from './published-pipeline.ts'

const HOUR_MS = 3_600_000

/** Tests of the page about changes of the configuration. */
export function auditTests(console: ConsoleUnderTest): void {
  let robot = ''

  const config = async <Data>(method: string, path: string, body?: object): Promise<Data> => {
    const answer = await fetch(`${console.url}/v1/config/${path}`, {
      method,
      headers: {
        ...{
          authorization: `Token ${console.weir.credentials.accessToken}`,
          'content-type': 'application/json',
        },
        servicekey: console.weir.credentials.serviceKey,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Data
  }

  beforeAll(async () => {
    const issued = await config<{ id: string; token: string }>('POST', 'tokens', {
      name: 'deploy robot',
      kind: 'service',
    })
    robot = issued.id
    await callApi(console, 'POST', '/v3/pipeline', { title: 'Of the robot' }, { token: issued.token })
    const { id } = await config<{ id: string }>('POST', 'groups', {
      name: 'Night shift',
      accessScopes: 'app:web',
    })
    await config('POST', 'members', { email: 'nia@example.org', role: 'member', groups: [id] })
  })

  test('a range of time narrows the changes, and stays the same on older pages', async () => {
    const page = await console.signedIn('/console/audit')
    const change = page.locator('details')
    const asked: URL[] = []
    page.on('request', request => {
      if (request.url().includes('/v1/config/audit?')) asked.push(new URL(request.url()))
    })
    await change.first().waitFor()
    await page.getByRole('button', { name: 'Time range: All times' }).press('Enter')
    await page.getByRole('button', { name: 'Last hour' }).press('Enter')
    await page.waitForURL(/\?from=1h$/)
    await change.first().waitFor()
    const from = Number(asked.at(-1)?.searchParams.get('from'))
    expect([from > Date.now() - HOUR_MS - 60_000, from <= Date.now() - HOUR_MS]).toEqual([true, true])

    await page.getByRole('button', { name: 'Time range: Last hour' }).click()
    await page.getByLabel('From', { exact: true }).fill('2020-01-01')
    await page.getByLabel('To', { exact: true }).fill('2020-01-02 12:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('heading', { name: 'No change matches' }).waitFor()
    expect([...(asked.at(-1)?.searchParams.entries() ?? [])]).toEqual([
      ['from', String(Date.UTC(2020, 0, 1))],
      ['to', String(Date.UTC(2020, 0, 2, 12))],
    ])
    await page.getByRole('button', { name: 'Show all changes' }).click()
    await change.first().waitFor()
    expect(page.url()).toBe(`${console.url}/console/audit`)

    await page.route('**/v1/config/audit?*', async route => {
      const url = new URL(route.request().url())
      url.searchParams.set('limit', '1')
      await route.continue({ url: url.toString() })
    })
    await page.goto('/console/audit?from=7d')
    await page.getByRole('button', { name: 'Older changes' }).click()
    await expect.poll(() => change.count()).toBe(2)
    expect(asked.at(-1)?.searchParams.get('cursor')).not.toBeNull()
    expect(asked.at(-1)?.searchParams.get('from')).toBe(asked.at(-2)?.searchParams.get('from'))
  })

  test('a kind and a person or key narrow them, by their names', async () => {
    const page = await console.signedIn('/console/audit')
    const changes = page.locator('summary')
    await page.getByLabel('Kind').selectOption('Access token')
    await page.waitForURL(/kind=token/)
    await page.getByText('Created access token deploy robot').waitFor()
    expect(await page.getByText('pipeline Of the robot').count()).toBe(0)
    await page.getByLabel('Kind').selectOption('All kinds')
    await page.getByText('Created pipeline Of the robot').waitFor()

    const names = await page
      .locator('datalist option')
      .evaluateAll(all => all.map(each => each.getAttribute('value')))
    expect(names).toEqual(expect.arrayContaining(['deploy robot', 'nia@example.org', 'first start']))
    await page.getByLabel('Who').fill('deploy robot')
    await page.keyboard.press('Enter')
    await page.waitForURL(/actor=deploy\+robot/)
    await expect.poll(async () => await changes.count()).toBeGreaterThan(0)
    for (const text of await changes.allTextContents()) expect(text).toContain('deploy robot')

    await page.getByText('Created pipeline Of the robot').click()
    await page.getByRole('button', { name: 'Only changes by deploy robot' }).first().click()
    await page.waitForURL(/actor=[0-9a-f-]{36}$/)
    await page.getByText('Only changes by deploy robot').first().waitFor()
    expect(await page.getByLabel('Who').inputValue()).toBe('')
    await page.getByRole('button', { name: 'Show changes by everybody' }).click()
    await page.getByText('Created member nia@example.org').waitFor()
  })

  test('ids within values have names beside them', async () => {
    const page = await console.signedIn('/console/audit?kind=member')
    await page.getByText('Created member nia@example.org').click()
    await page.getByRole('definition').filter({ hasText: 'Night shift' }).waitFor()
    await page.goto(`/console/audit?entity=${robot}`)
    await page.getByText('Only changes of deploy robot').waitFor()
    await page.getByText('Created access token deploy robot').waitFor()
  })

  test('a filter that is none is refused in the words of the server', async () => {
    const page = await console.signedIn('/console/audit?kind=nothing&from=never')
    await page
      .getByRole('alert')
      .getByText(/"from" must be a valid ISO 8601 date or UNIX time/)
      .first()
      .waitFor()
    expect(await page.getByLabel('Kind').inputValue()).toBe('nothing')
    await page.getByLabel('Kind').selectOption('Pipeline')
    await page.getByRole('button', { name: /^Time range/ }).click()
    await page.getByRole('button', { name: 'All times' }).click()
    await page.getByText('Created pipeline Of the robot').waitFor()
  })

  test.each([
    ['light', { width: 320, height: 640 }],
    ['dark', { width: 1_280, height: 800 }],
  ] as const)('have no findings of axe in the %s theme at %o', async (colorScheme, viewport) => {
    const page = await console.signedIn('/console/audit', { colorScheme, viewport })
    await page.getByText('Created pipeline Of the robot').click()
    await page.getByRole('button', { name: 'Only changes by deploy robot' }).first().click()
    await page.locator('summary').first().click()
    expect(await findingsOfPage(page)).toEqual([])
    await page.getByRole('button', { name: /^Time range/ }).click()
    expect(await findingsOfPage(page)).toEqual([])
    const panel = page.getByRole('button', { name: 'Apply' })
    const box = await panel.boundingBox()
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= viewport.width).toBe(true)
  })
}
