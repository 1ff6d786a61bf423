import { beforeAll, expect, test } from 'vitest'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'
import { confirm } from './confirm.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const ACCESS = '/console/access'

/** Tests of the page about people and keys. */
export function accessTests(console: ConsoleUnderTest): void {
  beforeAll(() =>
    console.ship([
      ...Array.from({ length: 7 }, (_, at) => ({ line: `paid ${at}`, app: 'shop' })),
      { line: 'of no group', app: 'till' },
    ]),
  )

  const status = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${console.url}${path}`, { headers })).status

  test('a secret is shown once, rotated and revoked, and the audit shows who did it without the secret', async () => {
    const page = await console.signedIn(ACCESS)
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill(HOSTILE)
    await dialog.getByLabel('May').selectOption('readonly')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const secret = await dialog.getByLabel('Access token').inputValue()
    const isValid = (token: string) => status('/v3/auth/token', { authorization: `Token ${token}` })
    expect([secret, await isValid(secret)]).toEqual([expect.stringMatching(/^sts_[0-9a-f]{40}$/), 200])
    await confirm(page, 'Done')
    const row = page.getByRole('row').filter({ hasText: HOSTILE })
    await row.getByText('Read', { exact: true }).waitFor()
    await row.getByRole('button', { name: `Give ${HOSTILE} a new secret` }).click()
    await dialog.getByLabel('The old secret works on for').selectOption('An hour')
    await dialog.getByRole('button', { name: 'Make a new secret' }).click()
    const second = await dialog.getByLabel('Access token').inputValue()
    expect([second === secret, await isValid(secret), await isValid(second)]).toEqual([false, 200, 200])
    await confirm(page, 'Done')
    await row.getByText(/^Its old secret works until /).waitFor()
    await row.getByRole('button', { name: `Revoke ${HOSTILE}` }).click()
    await confirm(page, 'Revoke')
    await row.waitFor({ state: 'detached' })
    expect([await isValid(secret), await isValid(second)]).toEqual([401, 401])
    await page.goto('/console/audit')
    const changes = page.locator('details').filter({ hasText: HOSTILE })
    await changes.first().waitFor()
    for (const change of await changes.all()) await change.locator('summary').click()
    expect(await changes.count()).toBe(3)
    const seen = await page.content()
    expect([seen.includes(secret), seen.includes(second)]).toEqual([false, false])
  })

  test('an ingestion key is shown on purpose, and asked for before it is deleted', async () => {
    const page = await console.signedIn(`${ACCESS}?tab=keys`)
    await page.getByRole('button', { name: 'New ingestion key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('spare')
    await confirm(page, 'Create')
    const row = page.getByRole('row').filter({ hasText: 'spare' })
    await row.getByText('\u2022\u2022\u2022\u2022').waitFor()
    await row.getByRole('button', { name: 'Show the key spare' }).click()
    const key = (await row.locator('code').textContent()) ?? ''
    const send = async () => {
      const { ingestUrl } = console.weir.credentials
      const url = `${ingestUrl}/logs/ingest?hostname=web-1`
      return (
        await fetch(url, { method: 'POST', headers: { apikey: key }, body: '{"lines":[{"line":"a"}]}' })
      ).status
    }
    expect(await send()).not.toBe(401)
    await row.getByRole('button', { name: 'Delete the key spare' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await row
      .locator('button:focus')
      .and(page.getByRole('button', { name: 'Delete the key spare' }))
      .waitFor()
    await row.getByRole('button', { name: 'Delete the key spare' }).click()
    await confirm(page, 'Delete')
    await row.waitFor({ state: 'detached' })
    // The focus is not lost with the row.
    await page.locator('main:focus').waitFor()
    expect(await send()).toBe(401)
  })

  test('an administrator makes a group without a service key, and its member sees its lines alone', async () => {
    const page = await console.signedIn(`${ACCESS}?tab=groups`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New group' }).click()
    await dialog.getByLabel('Name').fill('Web team')
    await dialog.getByLabel('Lines that its members see').fill('app:shop )')
    await dialog.getByText('"query" has an unbalanced parenthesis at character 10').waitFor()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('"accessScopes" has an unbalanced parenthesis at character 10').waitFor()
    await dialog.getByLabel('Lines that its members see').fill('app:shop')
    await dialog.getByText('7 stored lines of the last hour match.').waitFor()
    await confirm(page, 'Create')

    await page.getByRole('tab', { name: 'Members' }).click()
    await page.waitForURL(/tab=members/)
    await page.getByRole('button', { name: 'New member' }).click()
    await dialog.getByLabel('E-mail address').fill('ada')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('"email" must be a valid email').waitFor()
    await dialog.getByLabel('E-mail address').fill('ada@example.org')
    await dialog.getByLabel('Web team').check()
    await confirm(page, 'Create')
    await page
      .getByRole('row', { name: /ada@example\.org Member Web team/ })
      .getByRole('button', { name: 'Make a token for ada@example.org' })
      .click()
    await dialog.getByLabel('Name').fill('laptop')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const token = await dialog.getByLabel('Access token').inputValue()
    await confirm(page, 'Done')

    await page.getByRole('tab', { name: 'Groups' }).click()
    await page
      .getByRole('row', { name: /Web team app:shop 1 member/ })
      .getByRole('button', { name: 'Remove' })
      .click()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog.getByText('members are in the group: ada@example.org').waitFor()

    const hers = await console.signedIn('/console/search', { token })
    await hers.getByText('paid 6').first().waitFor()
    expect(await hers.getByText('of no group').count()).toBe(0)
    await hers.getByRole('link', { name: 'People and keys' }).click()
    await hers.getByRole('row', { name: /laptop ada@example\.org · this session/ }).waitFor()
    for (const name of ['Rules', 'Audit', 'System'])
      expect(await hers.getByRole('link', { name }).count(), name).toBe(0)
    expect(await hers.getByRole('tab').count()).toBe(0)
  })
}
