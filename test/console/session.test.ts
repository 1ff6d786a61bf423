import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type ConsoleUnderTest, describeConsole, signIn } from '../support/browser/describe-console.ts'
import type { RunningWeir } from '../support/running-weir.ts'
import { callApi, FEWER } from './published-pipeline.ts'

const PROGRAM = new URL('../../deploy/bin/weir.mjs', import.meta.url).pathname

/** Everything that scripts of the page can read, and the page itself. */
function readable(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases()
    const fields = [...document.querySelectorAll('input')].map(({ value }) => value)
    return JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      databases,
      document.cookie,
      location.href,
      document.documentElement.outerHTML,
      fields,
    ])
  })
}

async function newToken(url: string, accessToken: string): Promise<{ id: string; token: string }> {
  const answer = await fetch(`${url}/v1/config/tokens`, {
    method: 'POST',
    headers: { authorization: `Token ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'of a test', kind: 'service' }),
  })
  return (await answer.json()) as { id: string; token: string }
}

const WRITING = ['New pipeline', 'New from file', 'Save settings', 'Replay all that wait']
/** Buttons that a role must not see on any page. */
const DENIED = {
  readonly: [...WRITING, 'Change quotas', 'Why is a line missing?'],
  member: ['Change quotas'],
  limited: ['Change quotas', 'Why is a line missing?'],
  admin: [],
} as const

async function post<Body>({ url, weir }: ConsoleUnderTest, path: string, body: object): Promise<Body> {
  const { accessToken, serviceKey } = weir.credentials
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Token ${accessToken}`, servicekey: serviceKey },
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Body
}

async function tokenOf(console: ConsoleUnderTest, scope: string): Promise<string> {
  const body = { name: scope, kind: 'service', scope }
  return (await post<{ token: string }>(console, '/v1/config/tokens', body)).token
}

/** The personal token of a member who sees the lines of one app alone. */
async function limitedToken(console: ConsoleUnderTest, email = 'limited@example.org'): Promise<string> {
  const { id } = await post<{ id: string }>(console, '/v1/config/groups', {
    name: `web alone for ${email}`,
    accessScopes: 'app:web',
  })
  await post(console, '/v1/config/members', { email, role: 'member', groups: [id] })
  const body = { name: 'limited', kind: 'user', email }
  return (await post<{ token: string }>(console, '/v1/config/tokens', body)).token
}

/** A link as `weir console` prints it. */
async function signInLink(weir: RunningWeir): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'console'], {
    env: weir.environment,
  })
  return stdout.trim()
}

describeConsole('the session of the console', console => {
  test('a wrong token is refused in the words of the server and stays; the right one leads to the wanted page', async () => {
    const page = await console.open('/console/usage?by=hosts')
    await signIn(page, 'sts_wrong')
    await page.getByRole('alert').getByText('Invalid or expired access token').waitFor()
    expect(await page.getByLabel('Access token', { exact: true }).inputValue()).toBe('sts_wrong')
    await signIn(page, console.weir.credentials.accessToken)
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    expect(page.url()).toBe(`${console.url}/console/usage?by=hosts`)
  })

  test('nothing of the token is where a script of the page could read it', async () => {
    const { accessToken } = console.weir.credentials
    const page = await console.open('/console/')
    await signIn(page, accessToken)
    await page.getByRole('heading', { name: 'Search' }).waitFor()
    const text = await readable(page)
    expect(text).toContain('Search')
    expect(text).not.toContain(accessToken)
    expect(text).not.toContain('weir_session')
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
    expect(cookie!.name).toMatch(/^weir_session_/)
    expect(cookie!.value).not.toContain(accessToken)
  })

  test('sign-out ends it in every tab, and the token stays valid', async () => {
    const page = await console.signedIn('/console/usage')
    const second = await page.context().newPage()
    await second.goto('/console/usage')
    await second.getByRole('heading', { name: 'Usage' }).waitFor()
    await page.getByRole('button', { name: /^Account:/ }).click()
    await page.getByRole('button', { name: 'Sign out in this browser' }).click()
    await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
    await second.getByRole('button', { name: 'Hosts' }).click()
    await second.getByRole('dialog').getByText('Your session has ended').waitFor()
    expect(await console.weir.get('/v3/auth/token')).toBeDefined()
  })

  test('a revoked token asks for a new sign-in over the page, which goes on where it was', async () => {
    const { url } = console
    const { accessToken } = console.weir.credentials
    const { id, token } = await newToken(url, accessToken)
    const page = await console.signedIn('/console/search?from=1h', { token })
    const query = page.getByLabel('Query')
    await query.fill('something unsent')
    // Its first requests still have the right to be answered.
    await page.waitForLoadState('networkidle')
    await fetch(`${url}/v1/config/tokens/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Token ${accessToken}` },
    })
    await page.getByRole('button', { name: 'Newest first' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByText(`account ${console.weir.credentials.accountId}`).waitFor()
    const focused = page.locator(':focus')
    expect(await focused.getAttribute('type')).toBe('password')
    await signIn(page, accessToken)
    await dialog.waitFor({ state: 'detached' })
    expect(await query.inputValue()).toBe('something unsent')
    expect(page.url()).toContain('from=1h')
  })

  test('who signs in to another account does not go on with the query of the one before', async () => {
    const { accessToken, enterpriseAccessToken } = console.weir.credentials
    const made = await fetch(`${console.url}/v3/enterprise/account`, {
      method: 'POST',
      headers: { authorization: `Token ${enterpriseAccessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ company: 'Other', owneremail: 'other@example.com' }),
    })
    const { data } = (await made.json()) as { data: { account: string } }
    const issued = await fetch(`${console.url}/v1/config/tokens`, {
      method: 'POST',
      headers: {
        authorization: `Token ${enterpriseAccessToken}`,
        'content-type': 'application/json',
        'x-delegate-account-id': data.account,
      },
      body: JSON.stringify({ name: 'other', kind: 'service' }),
    })
    const { token } = (await issued.json()) as { token: string }
    const page = await console.open('/console/sign-in')
    expect(await page.locator(':focus').getAttribute('type')).toBe('password')
    await signIn(page, accessToken)
    await page.getByLabel('Query').fill('of the first')
    await page.getByLabel('Query').press('Enter')
    await page.waitForURL(/q=of\+the\+first/)
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Newest first' }).click()
    await page.getByRole('dialog').waitFor()
    await signIn(page, token)
    await page.getByRole('button', { name: new RegExp(data.account) }).waitFor()
    await page.waitForURL(/\/search$/)
    expect(await page.getByLabel('Query').inputValue()).toBe('')
  })

  test('a token that can only send lines is told so', async () => {
    const answer = await fetch(`${console.url}/v1/config/tokens`, {
      method: 'POST',
      headers: {
        authorization: `Token ${console.weir.credentials.accessToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'sender', kind: 'service', scope: 'ingest' }),
    })
    const { token } = (await answer.json()) as { token: string }
    const page = await console.open('/console/')
    await signIn(page, token)
    await page.getByRole('alert').getByText('can only send lines').waitFor()
  })

  test('a token of an enterprise chooses an account, and then sees its pages', async () => {
    const { enterpriseAccessToken, accountId } = console.weir.credentials
    const page = await console.open('/console/')
    await signIn(page, enterpriseAccessToken)
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    await page.getByRole('row').filter({ hasText: accountId }).getByRole('link').click()
    await page.getByRole('heading', { name: 'Search' }).waitFor({ state: 'attached' })
    await page.getByRole('link', { name: 'Pipelines' }).click()
    await page.getByRole('heading', { name: 'There is no pipeline' }).waitFor()
    expect(page.url()).toBe(`${console.url}/console/a/${accountId}/pipelines`)
  })

  test('a sign-in link signs in once, and leaves its code neither in the address nor in the history', async () => {
    const link = await signInLink(console.weir)
    const page = await console.open('/console/')
    await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor()
    await page.goto(link)
    await page.getByRole('heading', { name: 'Search' }).waitFor({ state: 'attached' })
    expect(await readable(page)).not.toContain(link.split('=')[1])
    await page.goBack()
    expect(page.url()).not.toContain('code=')
    const second = await console.open(link.slice(console.url.length))
    await second.getByRole('alert').getByText('The sign-in link works once').waitFor()
    expect(second.url()).toBe(`${console.url}/console/sign-in`)
  })

  test('an address after sign-in leads to no other site', async () => {
    const page = await console.open('/console/sign-in?to=%2F%2Fevil.example%2F')
    await signIn(page, console.weir.credentials.accessToken)
    await page.getByRole('heading', { name: 'Search' }).waitFor()
    expect(page.url()).toMatch(/\/console\/search/)
  })

  test.each(['readonly', 'member', 'limited', 'admin'] as const)(
    'the %s role sees what it may, and no page asks for more',
    async role => {
      const token = role === 'limited' ? await limitedToken(console) : await tokenOf(console, role)
      const page = await console.signedIn('/console/search', { token })
      const refused: string[] = []
      page.on('response', answer => {
        if ([401, 403].includes(answer.status())) refused.push(answer.url())
      })
      const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
      await pages.first().waitFor()
      const names = await pages.allTextContents()
      expect(names.includes('Audit'), names.join()).toBe(role === 'admin')
      for (const name of names) {
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
        await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
        await page.waitForLoadState('networkidle')
        for (const button of DENIED[role])
          expect(await page.getByRole('button', { name: button }).count(), `${button} of ${name}`).toBe(0)
      }
      expect(refused).toEqual([])
    },
  )

  test.each([
    ['member', true],
    ['limited', false],
  ] as const)('samples from a search are offered to a %s caller: %s', async (role, isOffered) => {
    const file = { ...FEWER, title: `Simulated by ${role}` }
    const { id } = await callApi<{ id: string }>(console, 'PUT', '/v3/pipeline/import', file)
    const token =
      role === 'limited'
        ? await limitedToken(console, 'simulating@example.org')
        : await tokenOf(console, role)
    const page = await console.signedIn(`/console/pipelines/${id}?tab=simulate`, { token })
    await page.getByRole('heading', { name: 'Samples', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Samples from a search' }).count()).toBe(isOffered ? 1 : 0)
  })
})
