import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { PipelineGraph } from '../../schemas/http/pipeline/graph-api.ts'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import type { Call } from './throttles-tests.ts'

const HOUR_MS = 3_600_000
/** Errors that the page lists at most. */
const NEWEST = 200

/**
 * Tests of the page about errors, with answers in place of those of the server: errors show when their minute is over.
 *
 * @param pipelineId the pipeline "Fewer lines", whose throttle is "At most two"
 */
export function errorsTests(console: ConsoleUnderTest, call: Call, pipelineId: () => string): void {
  const rows = (page: Page) => page.getByRole('main').getByRole('listitem')

  async function opened(
    path: string,
    { isMuch = false, ...options }: BrowserContextOptions & { readonly isMuch?: boolean } = {},
  ): Promise<Page> {
    const { nodes } = await call<PipelineGraph>('GET', `/v3/pipeline/${pipelineId()}/graph?revision=deployed`)
    const idOf = (name: string) => nodes.find(each => each.name === name)!.id
    const at = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString()
    const error = (node_id: string, code: string, count: number) => ({
      ...{ id: `${node_id} ${code}`, pipeline_id: pipelineId(), node_id, code, count, captured: '{"a":1}' },
      ...{ node_kind: 'transform', level: 'error', field: null, message: `A sentence of ${code}.` },
      ...{ first_seen: at, last_seen: at, hours: [{ start: at, count }] },
    })
    const data = [
      error(idOf('calm'), 'E_NOT_FOUND', 3),
      error(idOf('calm'), 'E_TOO_LARGE', 1_200),
      error(idOf('by-level'), 'E_NOT_FOUND', 40),
      error('5875a4d1-99f4-405e-8976-f07e731dd032', 'E_GONE', 7),
    ]
    const page = await console.signedIn('/console/none', options)
    // The newest errors of all nodes are of one node: others come only to those who ask for them.
    const newest = [
      ...Array.from({ length: NEWEST }, (_, at) => error(idOf('calm'), `E_NEW_${at}`, 1)),
      ...data,
    ]
    const all = isMuch ? newest : data
    await page.route('**/v3/pipeline/error?*', route => {
      const asked = new URL(route.request().url()).searchParams
      const found = all.filter(each =>
        (['pipeline_id', 'node_id', 'code'] as const).every(
          name => (asked.get(name) ?? each[name]) === each[name],
        ),
      )
      return route.fulfill({ json: { data: found.slice(0, Number(asked.get('limit'))) } })
    })
    await page.route('**/v3/pipeline/error/count?*', route => route.fulfill({ json: { data: all } }))
    await page.goto(path)
    return page
  }

  test('nodes and codes narrow errors, with the numbers that are left', async () => {
    const page = await opened('/console/errors')
    await page.getByRole('link', { name: 'Fewer lines \u203a At most two' }).first().waitFor()
    expect(await rows(page).count()).toBe(4)
    const options = async (label: string) =>
      await page.getByLabel(label, { exact: true }).getByRole('option').allTextContents()
    expect(await options('Code')).toEqual([
      'All codes',
      'E_TOO_LARGE (1,200)',
      'E_NOT_FOUND (43)',
      'E_GONE (7)',
    ])
    expect(await options('Node')).toEqual([
      'All nodes',
      'Fewer lines \u203a At most two (1,203)',
      'Fewer lines \u203a by-level (40)',
      'Fewer lines \u203a 5875a4d1\u2026 (7)',
    ])
    await page.getByLabel('Code', { exact: true }).selectOption('E_NOT_FOUND (43)')
    await page.waitForURL(/code=E_NOT_FOUND/)
    expect(await rows(page).count()).toBe(2)
    await page.getByLabel('Node', { exact: true }).selectOption('Fewer lines \u203a At most two (3)')
    expect(await rows(page).count()).toBe(1)
    await page.reload()
    await page.getByText('A sentence of E_NOT_FOUND.').waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByLabel('Code', { exact: true }).selectOption('E_TOO_LARGE (1,200)')
    await page.getByText('A sentence of E_TOO_LARGE.').waitFor()
    await page.goBack()
    await page.getByText('A sentence of E_NOT_FOUND.').waitFor()
    await page.goto('/console/errors?code=E_NEVER')
    await page.getByRole('heading', { name: 'No error of this period matches' }).waitFor()
    await page.getByRole('button', { name: 'Show all errors' }).click()
    await expect.poll(() => rows(page).count()).toBe(4)
  })

  test('nodes and codes find errors that are not among the newest', async () => {
    const page = await opened('/console/errors', { isMuch: true })
    await page.getByText('Only the 200 newest are shown.').waitFor()
    expect([await rows(page).count(), await page.getByText('E_GONE', { exact: true }).count()]).toEqual([
      200, 0,
    ])
    await page.getByLabel('Code', { exact: true }).selectOption('E_GONE (7)')
    await page.getByText('A sentence of E_GONE.').waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByText('An error shows when its minute is over.').waitFor()
    await page.getByRole('button', { name: 'By code' }).click()
    await page.getByRole('region', { name: 'E_GONE' }).getByText('7', { exact: true }).first().waitFor()
    await page.getByLabel('Code', { exact: true }).selectOption('All codes')
    await page.getByLabel('Node', { exact: true }).selectOption('Fewer lines \u203a by-level (40)')
    await page.getByText('A sentence of E_NOT_FOUND.').waitFor()
    expect(await rows(page).count()).toBe(1)
  })

  test('a node shows its own errors, and the graph their numbers', async () => {
    const path = `/console/pipelines/${pipelineId()}?node=by-level&open=errors`
    const page = await opened(path, { isMuch: true })
    const panel = page.getByRole('complementary', { name: 'Node' })
    await panel.getByRole('tab', { name: 'Errors (40)' }).waitFor()
    await panel.getByText('A sentence of E_NOT_FOUND.').waitFor()
    expect(await panel.getByRole('listitem').count()).toBe(1)
    await page.goto('/console/pipelines')
    await page.getByRole('link', { name: '1,450 errors in 24 hours' }).waitFor()
  })

  test('errors are grouped by node or code, each group with its sum, and a link leads to the node', async () => {
    const page = await opened('/console/errors')
    await page.getByRole('link', { name: 'Fewer lines \u203a At most two' }).first().waitFor()
    await page.getByRole('button', { name: 'By node' }).press('Enter')
    await page.waitForURL(/by=node/)
    const headings = page.getByRole('heading', { level: 2 })
    expect(await headings.allTextContents()).toEqual([
      'Fewer lines \u203a At most two',
      'Fewer lines \u203a by-level',
      'Fewer lines \u203a 5875a4d1\u2026',
    ])
    const group = page.getByRole('region', { name: 'Fewer lines \u203a At most two' })
    await group.getByText('1,203').waitFor()
    await page.getByRole('button', { name: 'By code' }).click()
    await page.getByRole('region', { name: 'E_NOT_FOUND' }).getByText('43').waitFor()
    expect(await headings.allTextContents()).toEqual(['E_TOO_LARGE', 'E_NOT_FOUND', 'E_GONE'])
    await page.getByRole('link', { name: 'Fewer lines \u203a At most two' }).first().click()
    await page.waitForURL(/open=errors/)
    await page
      .getByRole('complementary', { name: 'Node' })
      .getByRole('heading', { name: 'At most two' })
      .waitFor()
  })

  test.each([
    ['light', { width: 320, height: 640 }],
    ['dark', { width: 1_280, height: 800 }],
  ] as const)('errors have no findings of axe in the %s theme at %o', async (colorScheme, viewport) => {
    const page = await opened('/console/errors?by=node', { colorScheme, viewport })
    await page.getByRole('link', { name: 'Fewer lines \u203a At most two' }).first().waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    await page.getByRole('button', { name: 'Ungrouped' }).click()
    expect(await findingsOfPage(page)).toEqual([])
  })
}
