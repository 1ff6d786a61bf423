import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeConsole } from '../support/browser/describe-console.ts'
import { type HttpStandIn, httpStandIn } from '../support/http-stand-in.ts'
import { findingsOfPage } from './axe-findings.ts'
import { callApi } from './published-pipeline.ts'

const POLLED = { timeout: 20_000 }

const panel = (page: Page) => page.getByRole('complementary', { name: 'Node' })
const canvas = (page: Page) => page.locator('.react-flow')
/** Value of a count of the panel. */
const counted = (page: Page, name: string) =>
  panel(page)
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')

describeConsole('deliveries on the pages of pipelines', console => {
  let receiver: HttpStandIn
  let status = 503

  beforeAll(async () => {
    receiver = await httpStandIn(() => ({ status, body: 'as the test says' }))
  })
  afterAll(() => receiver?.close())

  const pipelineInto = (title: string, uri: string, header: string) => ({
    ...{ weir: 'pipeline/1', title },
    sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
    destinations: [
      { name: 'store', type: 'log-analysis', inputs: ['lines'] },
      {
        ...{ name: 'hook', type: 'http', title: 'A hook', inputs: ['lines'] },
        config: { uri, headers: [{ header_name: 'x-key', header_value: header }] },
      },
    ],
  })

  /** Imports and publishes it; the title identifies it. @returns its id */
  async function published(title: string, header = 'first'): Promise<string> {
    const body = pipelineInto(title, `${receiver.url}/in`, header)
    const answer = await callApi<{ id: string }>(console, 'PUT', '/v3/pipeline/import', body)
    await callApi(console, 'POST', `/v3/pipeline/${answer.id}/publish`, {})
    return answer.id
  }

  const remove = (id: string) =>
    fetch(`${console.url}/v3/pipeline/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Token ${console.weir.credentials.accessToken}` },
    })

  test('a destination that retries and rests is signed in the list, on the graph and on its panel until it delivers', async () => {
    status = 503
    const id = await published('To a hook')
    await console.ship([{ line: 'kept for the hook', app: 'web' }])
    const page = await console.signedIn('/console/pipelines')
    await page.getByRole('link', { name: 'Destination retries' }).press('Enter')
    await canvas(page)
      .getByRole('button', { name: /^A hook http destination, .*retries to deliver/ })
      .waitFor()
    await panel(page).getByText('Retries', { exact: true }).waitFor()
    await panel(page)
      .getByText(/since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      .waitFor()
    await panel(page).getByText('E_DELIVERY_RETRYING with status 503').waitFor()
    await panel(page).getByText('The server answered 503').waitFor()
    // The line, and the one that waits for it in a search.
    expect(await counted(page, 'Waiting').textContent()).toBe('2')
    expect(await counted(page, 'Oldest arrived').textContent()).toMatch(/ ago$/)
    expect(await counted(page, 'Delivered').textContent()).toBe('0')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findingsOfPage(page), colorScheme).toEqual([])
    }
    status = 401
    await panel(page).getByText('Rests', { exact: true }).waitFor()
    await panel(page).getByText('with status 401').waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    await page.goto('/console/pipelines')
    await page.getByRole('link', { name: 'Destination rests' }).waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    status = 200
    await page.goto(`/console/pipelines/${id}?rev=deployed&node=hook&open=delivery`)
    await panel(page).getByText('Rests', { exact: true }).waitFor()
    // A publication starts the next attempt at once.
    await published('To a hook', 'second')
    await panel(page).getByText('Delivers', { exact: true }).waitFor()
    await expect.poll(() => counted(page, 'Delivered').textContent(), POLLED).toBe('2')
    expect(await counted(page, 'Waiting').textContent()).toBe('0')
    await canvas(page)
      .getByRole('button', { name: /^A hook http destination, (?!.*retries)(?!.*rests)/ })
      .waitFor()
    await remove(id)
  })

  test('events that were given up are counted, and lead to their letters, errors and explanations', async () => {
    status = 400
    const id = await published('To a strict hook')
    await callApi(console, 'PUT', `/v3/pipeline/${id}/dead-letter`, { enabled: true })
    await console.ship([{ line: 'not wanted there', app: 'web' }])
    const page = await console.signedIn(`/console/pipelines/${id}?rev=deployed&node=hook&open=delivery`)
    await expect.poll(() => counted(page, 'Given up').textContent(), POLLED).toBe('2')
    await panel(page).getByText('E_DELIVERY_FAILED with status 400').waitFor()
    await panel(page).getByRole('link', { name: 'Errors of this destination' }).click()
    await panel(page).getByRole('tab', { name: 'Errors', selected: true }).waitFor()
    await page.goBack()
    await panel(page).getByRole('link', { name: 'Why is a line missing?' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Look in the log' }).waitFor()
    // The address holds the dialog.
    await page.reload()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.goBack()
    await page.goto(`/console/pipelines/${id}?rev=deployed&node=hook&open=delivery`)
    await panel(page).getByRole('link', { name: 'Dead letters of this pipeline' }).click()
    await page.getByText('not wanted there').first().waitFor({ state: 'attached' })
    await remove(id)
  })

  test('the own store has no such tab; a draft that does not run says so, and its server can be checked', async () => {
    const { id } = await callApi<{ id: string }>(
      console,
      'PUT',
      '/v3/pipeline/import',
      pipelineInto('Not published', `${receiver.url}/in`, 'first'),
    )
    const page = await console.signedIn(`/console/pipelines/${id}?node=store`)
    await panel(page).getByRole('tab', { name: 'Options' }).waitFor()
    expect(await panel(page).getByRole('tab', { name: 'Delivery' }).count()).toBe(0)
    await page.goto(`/console/pipelines/${id}?node=hook`)
    await panel(page).getByRole('tab', { name: 'Delivery' }).click()
    await panel(page).getByText('The destination does not run: publish the pipeline first').waitFor()
    const check = panel(page).getByRole('region', { name: 'Check' })
    for (const [next, sentence] of [
      [200, 'The server answered 200: it accepts requests of this destination.'],
      [401, 'The server answered 401: it refuses the credentials, or does not allow the request.'],
      [404, 'The server answered 404 to an empty request: it is there.'],
    ] as const) {
      status = next
      // An account checks once a second.
      await vi.waitFor(async () => {
        await check.getByRole('button', { name: 'Check the server' }).press('Enter')
        await check.getByRole('status').getByText(sentence).waitFor({ timeout: 2_000 })
      }, POLLED)
    }
    await check.getByText('Answer of the server').click()
    await check.getByText('as the test says').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findingsOfPage(page), colorScheme).toEqual([])
    }
    expect(receiver.requests.at(-1)?.body).toBe('')
    await page.route('**/check?*', route =>
      route.fulfill({ status: 503, json: { message: 'The log is full.', error: 'The log is full.' } }),
    )
    console.provokes(/status of 503/)
    await check.getByRole('button', { name: 'Check the server' }).click()
    await check.getByRole('alert').getByText('The log is full.').waitFor()
    await remove(id)
  })
})
