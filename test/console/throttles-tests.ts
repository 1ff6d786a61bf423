import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { PipelineGraph } from '../../schemas/http/pipeline/graph-api.ts'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import { confirm } from './confirm.ts'
import { layoutShifts, watchLayoutShifts } from './layout-shifts.ts'

const REASON = '\u202eno eciffo \u2066<b>sale</b>'
const LEFT_MS = 4_000

export type Call = <Data>(method: string, path: string, body?: unknown) => Promise<Data>

const count = (number: number) => number.toLocaleString('en')

/** Keys of a throttle that differ in number, order and width from one round to the next. */
function bucketsOf(round: number, further = 12 * round): object {
  const nowMs = Date.now()
  const at = (ms: number) => new Date(nowMs - ms).toISOString()
  const names = ['first', 'second', ...Array.from({ length: further }, (_, index) => `key ${index}`)]
  const data = names.map((key, index) => ({
    ...{ bucket: 'key', key, key_sha256: null, passed: (index + 1) * 10 ** round },
    ...{ oldest_at: round === 0 ? null : at(9_000), newest_at: at(1_000) },
    ...{ free_from: round % 2 === 0 ? null : at(-9_000), exempt_until: round === 2 ? at(-7_000_000) : null },
  }))
  const totals = { buckets: 10 ** round, threshold: 2, window_ms: 3_600_000, joined_passes: 7 * round }
  const shown = round % 2 === 0 ? data : data.toReversed()
  return { meta: { totals }, data: round === 3 ? shown.slice(0, 5) : shown }
}

function exemptionsOf(round: number): object[] {
  const until = new Date(Date.now() + 10_000_000 * (round + 1)).toISOString()
  return [{ key: 'first', until, reason: `Sale ${round}`, created_at: until, in_effect: round === 1 }]
}

/**
 * Tests of the page about throttles.
 *
 * @param pipelineId the pipeline "Fewer lines", whose throttle "At most two" let two lines of the app `web` pass
 */
export function throttlesTests(console: ConsoleUnderTest, call: Call, pipelineId: () => string): void {
  test('show who passed a throttle, and let a key pass until that is ended', async () => {
    const page = await console.signedIn('/console/throttles')
    const dialog = page.getByRole('dialog')
    await page.getByRole('row', { name: /^At most two Fewer lines 2 in 1h, by \.app/ }).waitFor()
    const bucket = page.getByRole('row', { name: /^web 2 \/ 2/ })
    await bucket.getByRole('button', { name: 'web', exact: true }).click()
    await dialog.getByText('2 of 2 passed in the window.').waitFor()
    await dialog.getByRole('img', { name: 'Passes over the window' }).waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByText('No key is exempt.').waitFor()
    await bucket.getByRole('button', { name: 'Exempt web' }).press('Enter')
    await dialog.getByLabel('Reason').fill(REASON)
    expect(await findingsOfPage(page)).toEqual([])
    await confirm(page, 'Exempt a key')
    const exemption = page.getByRole('region', { name: 'Exempt keys' }).getByRole('row', { name: /^web / })
    await exemption.getByText('\u27e8U+202E\u27e9no eciffo \u27e8U+2066\u27e9<b>sale</b>').waitFor()
    await exemption.getByText('Acts').waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    await console.ship([{ line: 'passes-uncounted', app: 'web', level: 'info' }])
    const now = Math.ceil(Date.now() / 1_000)
    const path = `/v2/export?from=${now - 3_600}&to=${now + 60}&query=passes-uncounted`
    expect((await console.weir.get<{ lines: unknown[] }>(path)).lines).toHaveLength(1)
    await exemption.getByRole('button', { name: 'End the exemption of web' }).click()
    await confirm(page, 'End it')
    await page.getByText('No key is exempt.').waitFor()
    await bucket.getByRole('cell', { name: '\u2013' }).waitFor()
    await page.getByRole('link', { name: 'Change it in the pipeline' }).click()
    await page.waitForURL(/node=calm/)
    await page.getByLabel('threshold').waitFor()
  })

  test('let the time of an exemption run out on the page', async () => {
    const { nodes } = await call<PipelineGraph>('GET', `/v3/pipeline/${pipelineId()}/graph?revision=deployed`)
    const node = nodes.find(({ name }) => name === 'calm')!.id
    const until = new Date(Date.now() + LEFT_MS).toISOString()
    await call('PUT', `/v3/pipeline/${pipelineId()}/transform/${node}/exemption`, { key: 'till', until })
    const page = await console.signedIn('/console/throttles')
    await page.getByRole('region', { name: 'Exempt keys' }).getByText('till').waitFor()
    await page.getByText('No key is exempt.').waitFor()
    // Other pages name a node by its id.
    await page.goto(`/console/pipelines/${pipelineId()}?node=${node}`)
    await page.getByRole('complementary', { name: 'Node' }).getByLabel('threshold').waitFor()
  })

  /** Opens the page, whose answers are those of a round, and watches it. Its reads take no time until a test says otherwise. */
  async function watchedPage(width: number, roundOf: () => number): Promise<Page> {
    const page = await console.signedIn('/console/none', { viewport: { width, height: 1_400 } })
    await page.clock.install({ time: Date.now() })
    // Steps of the clock are not a part of the time that a read takes: the page stops to repeat reads that take long.
    await page.addInitScript(() => {
      performance.now = () => 0
    })
    await page.route('**/bucket?limit=100', route => route.fulfill({ json: bucketsOf(roundOf()) }))
    await page.route('**/exemption', route => route.fulfill({ json: { data: exemptionsOf(roundOf()) } }))
    const { nodes } = await call<PipelineGraph>('GET', `/v3/pipeline/${pipelineId()}/graph?revision=deployed`)
    const node = nodes.find(({ name }) => name === 'calm')!.id
    await page.route(/\/metrics\?/, route => {
      const sums = { events_in: [9 * 10 ** (2 * roundOf())], dropped: [8 * 10 ** (2 * roundOf())] }
      return route.fulfill({ json: { data: { nodes: [{ node, ...sums }] } } })
    })
    await page.goto('/console/throttles')
    await page.getByRole('button', { name: 'first', exact: true }).waitFor()
    await page.getByRole('region', { name: 'Exempt keys' }).getByText('Sale 0').waitFor()
    await page.waitForLoadState('networkidle')
    await page.evaluate(() => document.fonts.ready)
    await watchLayoutShifts(page)
    return page
  }

  test.each([1_280, 320])(
    'move nothing while their values refresh, in a window of %i pixels',
    async width => {
      let round = 0
      const page = await watchedPage(width, () => round)
      for (round = 1; round <= 3; round++) {
        // Throttles are read each minute.
        for (let second = 0; second <= 60; second++) await page.clock.runFor(1_000)
        await page.getByText(`${count(10 ** round)} keys have events`).waitFor()
        await page.getByRole('region', { name: 'Exempt keys' }).getByText(`Sale ${round}`).waitFor()
        await page.getByRole('cell', { name: count(9 * 10 ** (2 * round)), exact: true }).waitFor()
        expect(await layoutShifts(page), `round ${round}`).toEqual([])
      }
      const keys = page.getByRole('region', { name: 'At most two' }).getByRole('rowheader')
      expect((await keys.allTextContents()).slice(0, 3)).toEqual(['first', 'second', 'key 11'])
      await page.getByRole('button', { name: 'Sort by events' }).press('Enter')
      await expect.poll(async () => (await keys.allTextContents())[0]).toBe('key 35')
      expect(await page.getByRole('button', { name: 'first', exact: true }).count()).toBe(0)
    },
  )

  test.each([1_280, 1_000, 900, 320])(
    'move nothing when notes about the keys appear, in a window of %i pixels',
    async width => {
      const page = await watchedPage(width, () => 0)
      await page.route('**/bucket?limit=100', async route => {
        await page.evaluate(() => {
          performance.now = () => 2_001
        })
        await route.fulfill({ json: bucketsOf(1, 98) })
      })
      await page.clock.runFor(5_000)
      await page.getByText(/^Only the 100 keys .* Reading takes long, .* As of \d\d:\d\d:\d\d/).waitFor()
      await page.getByRole('button', { name: 'Read again' }).waitFor()
      expect(await layoutShifts(page)).toEqual([])
    },
  )

  test('show an answer of each status in the words of the server', async () => {
    const page = await console.signedIn('/console/pipelines')
    const answers = [
      { status: 403, json: { code: 'EFORBIDDEN', message: 'Your groups limit which lines you see' } },
      { status: 409, json: { code: 'ECONFLICT', message: 'Something broke' } },
    ]
    await page.route('**/bucket?limit=100', route => {
      const answer = answers.pop()
      return answer === undefined ? route.fallback() : route.fulfill(answer)
    })
    await page.goto('/console/throttles')
    await page.getByRole('alert').getByText('Something broke').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').getByText('Your groups limit which lines you see').waitFor()
    await page.route('**/v3/pipeline', route => route.fulfill({ json: { data: [] } }))
    await page.reload()
    await page.getByRole('heading', { name: 'No throttle runs' }).waitFor()
  })

  test('show the address of a source, whose key is shown once', async () => {
    const content = {
      weir: 'pipeline/1',
      sources: [{ name: 'doors', type: 'http' }],
      destinations: [{ name: 'store', type: 'log-analysis', inputs: ['doors'] }],
      alerts: [
        {
          on: 'doors',
          config: {
            general: { name: 'quiet' },
            evaluation: { alert_type: 'absence', event_type: 'log' },
            alert_payload: {
              service: { name: 'slack', uri: 'https://hooks.example/secret', message_text: 'nothing came' },
            },
          },
        },
      ],
    }
    const { id } = await call<{ id: string }>('PUT', '/v3/pipeline/import', { ...content, title: 'Doors' })
    await call('POST', `/v3/pipeline/${id}/publish`, {})
    const page = await console.signedIn(`/console/pipelines/${id}?node=doors`)
    const panel = page.getByRole('complementary', { name: 'Node' })
    const dialog = page.getByRole('dialog')
    await panel.getByRole('tab', { name: 'Address' }).click()
    await panel.getByText('There is no key yet: nobody can send.').waitFor()
    await panel.getByRole('button', { name: 'New access key' }).click()
    await dialog.getByLabel('Title').fill('gate')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const key = await dialog.getByLabel('Access key').inputValue()
    await confirm(page, 'Done')
    expect(await findingsOfPage(page)).toEqual([])
    const shown = panel.getByRole('region', { name: 'Address' }).locator('code').first()
    const address = (await shown.textContent()) ?? ''
    const send = async () => {
      const headers = { authorization: key, 'content-type': 'application/json' }
      return (await fetch(address, { method: 'POST', headers, body: '{"door":"north"}' })).status
    }
    await expect.poll(send).toBe(200)
    expect((await page.content()).includes(key)).toBe(false)
    await panel.getByRole('button', { name: 'Revoke gate' }).click()
    await confirm(page, 'Revoke')
    await panel.getByText('There is no key yet').waitFor()
    await expect.poll(send).toBe(401)

    await panel.getByRole('tab', { name: 'Alerts' }).click()
    await panel.getByText('This version of Weir does not act on them.').waitFor()
    await panel.getByText('"alert_payload"').waitFor()
    expect(await panel.getByText('nothing came').count()).toBe(0)

    const other = await call<{ id: string }>('PUT', '/v3/pipeline/import', {
      weir: 'pipeline/1',
      title: 'Shares doors',
    })
    await page.goto(`/console/pipelines/${other.id}`)
    await page.getByRole('heading', { name: 'This pipeline has no nodes yet' }).waitFor()
    await page.keyboard.press('a')
    await dialog.getByLabel('Find a type').fill('http')
    await page.keyboard.press('Enter')
    await panel.getByRole('tab', { name: 'Address' }).click()
    const routeId = address.split('/').at(-1)!
    await panel.getByLabel('Address of this source').selectOption(routeId)
    await page.keyboard.press('Control+s')
    await panel.getByRole('region', { name: 'Address' }).getByText(address, { exact: true }).waitFor()
    const { document } = await call<PipelineGraph>('GET', `/v3/pipeline/${other.id}/graph`)
    expect(document.sources).toMatchObject([{ gateway_route_id: routeId }])
  })
}
