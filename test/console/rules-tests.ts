import { beforeAll, expect, test } from 'vitest'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import { confirm } from './confirm.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const ACCESS = '/console/access'
const RULES = '/console/rules'

/** Tests of the page about rules, and of the states of all lists there and of those of the page about access. */
export function rulesTests(console: ConsoleUnderTest): void {
  beforeAll(() => console.ship([{ line: 'checked', app: 'health' }]))

  test('an exclusion says which lines it means, is refused in the words of the server, and is switched off', async () => {
    const page = await console.signedIn(RULES)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New exclusion' }).click()
    await dialog.getByLabel('Title').fill(HOSTILE)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('must contain at least one of [apps, hosts, query]').waitFor()
    await dialog.getByLabel('Apps').fill('health\n health \n')
    await dialog.getByText('1 stored line of the last hour matches.').waitFor()
    await confirm(page, 'Create')
    const row = page.getByRole('row').filter({ hasText: HOSTILE })
    await row.getByText('app health').waitFor()
    const rules = () =>
      console.weir.get<{ id: string; active: boolean; apps: string[] }[]>('/v1/config/ingestion/exclusions')
    expect(await rules()).toMatchObject([{ active: true, apps: ['health'] }])
    await row.getByRole('switch', { name: `Switch ${HOSTILE} off` }).press('Space')
    await row.getByRole('switch', { name: `Switch ${HOSTILE} on` }).waitFor()
    expect(await rules()).toMatchObject([{ active: false, apps: ['health'] }])
    expect(await findingsOfPage(page)).toEqual([])
    await row.getByRole('button', { name: `Remove ${HOSTILE}` }).click()
    await confirm(page, 'Remove')
    await page.getByRole('heading', { name: 'No line is left out' }).waitFor()
  })

  test('retention rules are moved by the keyboard, and the days of other lines are changed', async () => {
    const page = await console.signedIn(`${RULES}?tab=retention`)
    const dialog = page.getByRole('dialog')
    for (const [name, app] of [
      ['first', 'web'],
      ['second', 'db'],
    ] as const) {
      await page.getByRole('button', { name: 'New rule' }).click()
      await dialog.getByLabel('Title').fill(name)
      await dialog.getByLabel('Days').fill('3')
      await dialog.getByLabel('App').fill(app)
      await confirm(page, 'Create')
    }
    await page.getByRole('button', { name: 'Move second up' }).press('Enter')
    await page.locator('tbody tr').first().getByText('second').waitFor()
    const rules = await console.weir.get<{ name: string; priority: number }[]>('/v1/config/retention-rules')
    expect(rules.toSorted((a, b) => a.priority - b.priority).map(({ name }) => name)).toEqual([
      'second',
      'first',
    ])
    expect(await findingsOfPage(page)).toEqual([])
    await page.getByLabel('Days for which lines without a rule are kept').fill('12')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved.').waitFor()
    expect(await console.weir.get('/v1/config/retention')).toEqual({ days: 12 })
  })

  test('a rule of a quota is added, and the other rules and limits stay', async () => {
    const page = await console.signedIn(`${RULES}?tab=quotas`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New rule: Today, in UTC' }).click()
    await dialog.getByLabel('From this share of the limit').fill('101')
    await dialog.getByLabel('Query').fill('level:debug')
    await dialog.getByLabel('From this share of the limit').fill('90')
    await confirm(page, 'Create')
    await page.getByRole('row', { name: /Rule 1 90 % level:debug/ }).waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    await page.getByRole('button', { name: 'New rule: Today, in UTC' }).click()
    await dialog.getByLabel('Apps').fill('batch')
    await confirm(page, 'Create')
    await page.getByRole('button', { name: 'Remove Rule 1' }).click()
    await confirm(page, 'Remove')
    await page.getByRole('row', { name: /Rule 1 80 % app batch/ }).waitFor()
    expect(await console.weir.get<{ daily: { rules: object[] } }>('/v1/config/usage-quotas')).toMatchObject({
      daily: { rules: [{ percent: 80, apps: ['batch'], active: true }] },
    })
  })

  test.each([
    ['tokens', ACCESS, '/v1/config/tokens'],
    ['keys', `${ACCESS}?tab=keys`, '/v1/config/keys'],
    ['members', `${ACCESS}?tab=members`, '/v1/config/members'],
    ['groups', `${ACCESS}?tab=groups`, '/v1/config/groups'],
    ['exclusions', RULES, '/v1/config/ingestion/exclusions'],
    ['exclusions of the stream', `${RULES}?tab=stream`, '/v1/config/stream/exclusions'],
    ['retention rules', `${RULES}?tab=retention`, '/v1/config/retention-rules'],
    ['quotas', `${RULES}?tab=quotas`, '/v1/config/usage-quotas'],
  ])('%s have all their states', async (_name, path, endpoint) => {
    const page = await console.signedIn('/console/pipelines')
    const answers = [
      { status: 409, json: { error: 'Something broke', code: 'Conflict' } },
      { status: 403, json: { error: 'Not for you', code: 'Forbidden' } },
    ]
    await page.route(`**${endpoint}`, route => {
      const answer = answers.shift()
      return answer === undefined ? route.fallback() : route.fulfill(answer)
    })
    await page.goto(path)
    await page.getByRole('alert').getByText('Something broke').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').getByText('Not for you').waitFor()
    await page.getByText('Your token does not have the right to do this.').waitFor()
  })
}
