import { expect, test } from 'vitest'
import { describeConsole } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import { confirm } from './confirm.ts'
import type { ListedPage } from './listed-states.ts'
import { statesOfPages } from './page-states.ts'

const HOSTILE = '<b>Till</b>'
const SIZES = [
  { width: 1_280, height: 800 },
  { width: 320, height: 640 },
]

interface AccountBody {
  readonly company: string
  readonly owneremail: string
  readonly retention?: number
}

const account = (at: number) => ({
  ...{ account: String(at).padStart(10, '0'), company: `Company ${at}`, owneremail: 'ann@shop.example' },
  ...{ retention: 7, status: 'active', meta: { suspendIngestion: false } },
})
const PAGE: ListedPage = {
  path: '/console/accounts',
  content: /Enterprise Weir/,
  lists: [
    {
      name: 'accounts',
      request: /\/v3\/enterprise$/,
      empty: { json: { data: { name: 'Weir', accounts: [] } }, shows: 'There is no account' },
      tooMuch: {
        json: { data: { name: 'Weir', accounts: Array.from({ length: 201 }, (_, at) => account(at)) } },
        shows: 'Only 200 of 201 accounts are shown',
      },
    },
  ],
}

describeConsole('the page about accounts', console => {
  const enterprise = () => console.weir.credentials.enterpriseAccessToken
  const signedIn = (options: object = {}) =>
    console.signedIn('/console/accounts', { ...options, token: enterprise() })

  const call = async <Data>(method: string, path: string, body?: object): Promise<Data> => {
    const answer = await fetch(`${console.url}${path}`, {
      method,
      headers: { authorization: `Token ${enterprise()}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { data: Data }).data
  }
  const made = (body: AccountBody) =>
    call<{ account: string; ingestion_key: string }>('POST', '/v3/enterprise/account', body)
  const read = (id: string) => call<object>('GET', `/v3/enterprise/account/${id}`)

  const send = async (key: string) => {
    const url = `${console.weir.credentials.ingestUrl}/logs/ingest?hostname=web-1`
    const body = '{"lines":[{"line":"a"}]}'
    return (await fetch(url, { method: 'POST', headers: { apikey: key }, body })).status
  }

  test('creates an account whose key sends lines, and changes it with findings at their fields', async () => {
    const page = await signedIn()
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New account' }).press('Enter')
    await dialog.getByLabel('Company').fill(HOSTILE)
    await dialog.getByLabel('E-mail address of the owner').fill('ann')
    await dialog.getByLabel('Days for which lines are kept').fill('91')
    await page.keyboard.press('Enter')
    await dialog.getByText('must match format "email"').waitFor()
    await dialog.getByText('must be <= 90').waitFor()
    expect(await dialog.getByLabel('Days for which lines are kept').inputValue()).toBe('91')
    await dialog.getByLabel('E-mail address of the owner').fill('ann@till.example')
    await dialog.getByLabel('Days for which lines are kept').fill('5')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const key = await dialog.getByLabel('First ingestion key').inputValue()
    expect(await send(key)).toBe(200)
    await confirm(page, 'Done')
    const row = page.getByRole('row').filter({ hasText: HOSTILE })
    await row.getByText('5 days').waitFor()
    expect((await page.content()).includes(key)).toBe(false)

    await row.getByRole('button', { name: `Change ${HOSTILE}` }).click()
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Company').fill('Till')
    await dialog.getByLabel('E-mail address of the owner').fill('bob@till.example')
    await dialog.getByLabel('Days for which lines are kept').fill('0')
    await confirm(page, 'Save')
    const changed = page.getByRole('row', {
      name: /^Till [0-9a-f]{10} bob@till\.example 0 days .*Accepts lines/,
    })
    const link = changed.getByRole('link', { name: 'Till' })
    const id = ((await link.getAttribute('href')) ?? '').split('/').at(-2)!
    expect(await read(id)).toMatchObject({ company: 'Till', owneremail: 'bob@till.example', retention: 0 })

    await link.click()
    await page.waitForURL(`**/console/a/${id}/search`)
    await page.getByRole('link', { name: 'Accounts' }).click()
    await changed.waitFor()
    expect(page.url()).toBe(`${console.url}/console/accounts`)
  })

  test('suspends and resumes the ingestion of an account, and the account itself', async () => {
    const { account: id, ingestion_key: key } = await made({
      company: 'Shop',
      owneremail: 'ann@shop.example',
    })
    const page = await signedIn()
    const dialog = page.getByRole('dialog')
    const row = page.getByRole('row').filter({ hasText: id })
    await row.getByRole('switch', { name: 'Suspend ingestion of Shop' }).press('Space')
    await dialog.getByText('Stored lines stay').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await send(key)).toBe(200)
    await page.locator('[role=switch]:focus').waitFor()
    await page.keyboard.press('Enter')
    await confirm(page, 'Suspend ingestion')
    await row.getByText('Suspended', { exact: true }).waitFor()
    expect([await send(key), await read(id)]).toMatchObject([403, { meta: { suspendIngestion: true } }])
    await row.getByRole('switch', { name: 'Resume ingestion of Shop' }).click()
    await row.getByText('Accepts lines').waitFor()
    expect(await send(key)).toBe(200)

    await row.getByRole('button', { name: 'Suspend the account Shop' }).click()
    await confirm(page, 'Suspend the account')
    await row.getByText('Suspended account').waitFor()
    expect([
      await send(key),
      await row.getByRole('link').count(),
      await row.getByRole('switch').count(),
    ]).toEqual([401, 0, 0])
    await row.getByRole('button', { name: 'Resume the account Shop' }).click()
    await row.getByRole('link', { name: 'Shop' }).waitFor()
    expect(await send(key)).toBe(200)
  })

  test('says why a change was refused, and offers none to a token that can only read', async () => {
    await made({ company: 'Refused', owneremail: 'ann@shop.example' })
    const page = await signedIn()
    const row = page.getByRole('row').filter({ hasText: 'Refused' })
    const json = { error: 'Ingestion cannot be suspended now', code: 'Conflict' }
    await page.route('**/v1/config/ingestion/suspend', route => route.fulfill({ status: 409, json }))
    await row.getByRole('switch').click()
    await page.getByRole('alert').getByText('Ingestion cannot be suspended now').waitFor()

    const { token } = await fetch(`${console.url}/v1/config/tokens`, {
      method: 'POST',
      headers: { authorization: `Token ${enterprise()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'reader', kind: 'enterprise', scope: 'readonly' }),
    }).then(answer => answer.json() as Promise<{ token: string }>)
    const read = await console.signedIn('/console/accounts', { token })
    await read.getByRole('row', { name: /^Refused .* 30 days Accepts lines$/ }).waitFor()
    expect(await read.getByRole('main').getByRole('button').count()).toBe(0)
    expect(await read.getByRole('switch').count()).toBe(0)
  })

  test('has pages beside it: tokens and changes of the enterprise, and the state of the system', async () => {
    await made({ company: 'Audited', owneremail: 'ann@shop.example' })
    const page = await signedIn()
    const refused: string[] = []
    page.on('response', answer => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`)
    })
    const navigation = page.getByRole('navigation', { name: 'Pages' })
    await navigation.getByRole('link', { name: 'Accounts' }).waitFor()
    expect(await navigation.getByRole('link').allTextContents()).toEqual([
      ...['Accounts', 'People and keys', 'Audit', 'System'],
    ])
    await navigation.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('Created account Audited').waitFor()
    expect(await navigation.locator('[aria-current]').allTextContents()).toEqual(['Audit'])
    await page.getByLabel('Kind').selectOption('Access token')
    await page.getByText('Created access token first start').click()
    expect(await findingsOfPage(page)).toEqual([])

    await navigation.getByRole('link', { name: 'People and keys' }).click()
    await page.getByRole('heading', { name: 'Access tokens', level: 1 }).waitFor()
    expect(await page.getByRole('tab').count()).toBe(0)
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('nightly report')
    expect(await dialog.getByLabel('For').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Create' }).click()
    const token = await dialog.getByLabel('Access token').inputValue()
    await confirm(page, 'Done')
    const answer = await fetch(`${console.url}/v3/auth/token`, {
      headers: { authorization: `Token ${token}` },
    })
    expect(((await answer.json()) as { data: object }).data).toMatchObject({
      type: 'enterprise',
      account: null,
    })

    await page.keyboard.press('g')
    await page.keyboard.press('y')
    await page.getByText('Accepted lines').first().waitFor()
    await page.keyboard.press('Control+k')
    await dialog.getByRole('combobox').fill('audit')
    await page.keyboard.press('Enter')
    await page.getByText('Created access token nightly report').waitFor()
    await navigation.getByRole('link', { name: 'Accounts' }).click()
    await page.getByRole('link', { name: 'Audited' }).waitFor()
    expect(refused).toEqual([])
  })

  test('finds an account by company, id or owner, and the address keeps it', async () => {
    const { account: id } = await made({ company: 'Needle', owneremail: 'zoe@needle.example' })
    const page = await signedIn()
    const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') })
    await page.getByRole('link', { name: 'Needle' }).waitFor()
    expect(await rows.count()).toBeGreaterThan(1)
    for (const text of ['nEEdle', id, ' zoe@ ']) {
      await page.getByLabel('Find an account').fill(text)
      await expect.poll(() => rows.count(), { message: text }).toBe(1)
    }
    await page.reload()
    await page.getByRole('link', { name: 'Needle' }).waitFor()
    expect(await rows.count()).toBe(1)
    await page.getByLabel('Find an account').fill('of nobody')
    await page.getByRole('heading', { name: 'No account matches' }).waitFor()
    await page.getByRole('button', { name: 'Show all accounts' }).click()
    await expect.poll(() => rows.count()).toBeGreaterThan(1)
  })

  test.each([
    ['light', SIZES[0]!],
    ['dark', SIZES[1]!],
  ] as const)('has no findings of axe in the %s theme at %o', async (colorScheme, viewport) => {
    const company = `Company with a long name of the ${colorScheme} theme`
    const { account: id } = await made({ company, owneremail: 'somebody.with.a.long.address@shop.example' })
    const page = await signedIn({ colorScheme, viewport })
    const row = page.getByRole('row').filter({ hasText: id })
    const found: string[] = []
    const look = async () => found.push(...(await findingsOfPage(page)))
    await row.waitFor()
    await look()
    for (const name of ['New account', `Change ${company}`, `Suspend the account ${company}`]) {
      await page.getByRole('button', { name }).click()
      await look()
      await page.keyboard.press('Escape')
    }
    await row.getByRole('switch').click()
    await page.getByRole('dialog').waitFor()
    await look()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: `Suspend the account ${company}` }).click()
    await confirm(page, 'Suspend the account')
    await row.getByText('Suspended account').waitFor()
    await look()
    expect(found).toEqual([])
  })

  statesOfPages(console, async () => [PAGE], enterprise)
})
