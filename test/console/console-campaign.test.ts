import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PipelineMetrics } from '../../schemas/http/pipeline/pipeline-metrics-api.ts'
import { describeConsole } from '../support/browser/describe-console.ts'
import { callApi, publishedPipeline } from './published-pipeline.ts'
import { walkAtRandom } from './random-walk.ts'

const SEED = Number(process.env.SEED ?? 7)
const STEPS = 500
/** The console holds fewer at once. `LINES` can be a larger number. */
const MANY = Number(process.env.LINES ?? 60_000)
const BODY_LINES = 10_000
const TIMEOUT_MS = 15 * 60_000

const LABELS = ['one', 'two', 'three'] as const
/** Lines for each output of the route, of which the last takes the rest. */
const SHARES = { one: 4, two: 3, three: 2, _unmatched: 1 }

/** A route with four outputs, each with a destination of its own. */
const FOUR_WAYS = {
  weir: 'pipeline/1',
  title: 'Four ways',
  sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
  processors: [
    {
      name: 'ways',
      type: 'route',
      inputs: ['lines'],
      config: {
        conditionals: LABELS.map(label => ({
          label,
          conditional: { expressions: [{ field: '.app', str_operator: 'equal', value: label }] },
        })),
      },
    },
  ],
  destinations: [...LABELS, '_unmatched'].map(label => ({
    name: `to-${label.replace('_', '')}`,
    type: 'blackhole',
    inputs: [`ways.${label}`],
  })),
}

const canvas = (page: Page) => page.locator('.react-flow')
const grid = (page: Page) => page.getByRole('grid')
/** Numbers of the lines that are drawn, in their order. */
const numbersOf = (page: Page) =>
  grid(page)
    .locator('[data-text]')
    .evaluateAll(cells => cells.map(cell => Number(/^\D*(\d+)/.exec(cell.textContent ?? '')?.[1])))

/**
 * Scrolls until the row of a number is the first in view, so that no row behind it is passed undrawn, and waits. Further
 * rows may have been drawn since the numbers were read.
 */
function scrollTo(page: Page, number: number): Promise<number> {
  return grid(page).evaluate((list, text) => {
    const cells = [...list.querySelectorAll('[data-text]')]
    cells.find(cell => cell.textContent === text)?.scrollIntoView({ block: 'start' })
    return new Promise<number>(requestAnimationFrame)
  }, `numbered ${number}.`)
}

describeConsole('the console under load', console => {
  async function send(lines: readonly object[]): Promise<void> {
    const { ingestUrl, ingestionKey } = console.weir.credentials
    const answer = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
      method: 'POST',
      headers: { apikey: ingestionKey, 'content-type': 'application/json' },
      body: JSON.stringify({ lines }),
    })
    if (!answer.ok) throw new Error(`ingestion answered ${answer.status}: ${await answer.text()}`)
  }

  const counted = (word: string, from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({ line: `${word} ${from + at}.`, app: 'web', level: 'info' }))

  test(
    'very many lines are scrolled from end to end and back; each is seen once, and in order',
    async () => {
      const startMs = Date.now() - MANY
      for (let from = 0; from < MANY; from += BODY_LINES)
        await send(
          counted('numbered', from, BODY_LINES).map((line, at) => ({
            ...line,
            timestamp: startMs + from + at,
          })),
        )
      await console.ship([])
      // A step through a high window passes more lines, so that fewer are needed.
      const page = await console.signedIn('/console/search?q=numbered&order=oldest&from=1h', {
        viewport: { width: 1_280, height: 1_600 },
      })
      await grid(page).waitFor()
      let next = 0
      while (next < MANY) {
        const fresh = (await numbersOf(page)).filter(number => number >= next)
        expect(fresh).toEqual(fresh.map((_, at) => next + at))
        next += fresh.length
        await scrollTo(page, next - 1)
      }
      await page
        .getByText(`${MANY.toLocaleString('en')} lines`, { exact: true })
        .last()
        .waitFor()
      await grid(page).press('Home')
      await grid(page).getByText('numbered 0.', { exact: true }).waitFor()
      await grid(page).evaluate(list => list.scrollTo(0, list.scrollHeight / 2))
      await expect.poll(async () => (await numbersOf(page)).length).toBeGreaterThan(20)
      const [first = 0, ...rest] = await numbersOf(page)
      expect(rest).toEqual(rest.map((_, at) => first + at + 1))
      expect(Math.abs(first - MANY / 2)).toBeLessThan(1_000)
    },
    TIMEOUT_MS,
  )

  test('a tail of 10,000 lines a second adds up, and a line that is read stays where it is', async () => {
    const page = await console.signedIn('/console/search?q=rushed&live=on')
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await send(counted('rushed', 0, 1_000))
    await grid(page).getByText('rushed 999.', { exact: true }).waitFor()
    await grid(page).evaluate(list => list.scrollBy(0, -400))
    await page.getByRole('button', { name: /Not following/ }).waitFor()
    const placeOf = () => numbersOf(page).then(([first]) => first)
    const before = await placeOf()
    const TOTAL = 30_000
    for (let from = 1_000; from < 1_000 + TOTAL; from += 1_000) {
      const dueMs = Date.now() + 100
      await send(counted('rushed', from, 1_000))
      await new Promise(resolve => setTimeout(resolve, Math.max(0, dueMs - Date.now())))
    }
    const sum = async () => {
      const text = await page.locator('[class*=counts]').first().textContent()
      return [...(text ?? '').matchAll(/([\d,]+) (lines|not sent)/g)].reduce(
        (all, [, digits = '']) => all + Number(digits.replaceAll(',', '')),
        0,
      )
    }
    await expect.poll(sum).toBe(1_000 + TOTAL)
    expect(await placeOf()).toBe(before)
  })

  test('six tails in six tabs leave the API quick', async () => {
    const first = await console.signedIn('/console/search?q=shared&live=on')
    const tabs = [first]
    while (tabs.length < 6) {
      const tab = await first.context().newPage()
      await tab.goto('/console/search?q=shared&live=on')
      tabs.push(tab)
    }
    for (const tab of tabs) await tab.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await console.ship(counted('shared', 0, 500))
    const seventh = await first.context().newPage()
    await seventh.goto('/console/search?q=shared')
    await seventh.getByText('500 lines').first().waitFor()
    for (const tab of tabs) await tab.getByText('500 lines', { exact: true }).first().waitFor()
  })

  test(
    'counts on edges are those of the events that each output of a route sent',
    async () => {
      const { id } = await callApi<{ id: string }>(console, 'PUT', '/v3/pipeline/import', FOUR_WAYS)
      await callApi(console, 'POST', `/v3/pipeline/${id}/publish`, {})
      await send(
        Object.entries(SHARES).flatMap(([app, count]) =>
          Array.from({ length: count }, (_, at) => ({ line: `way ${at}`, app, level: 'info' })),
        ),
      )
      // Counts of a minute appear once it is over.
      const total = Object.values(SHARES).reduce((sum, count) => sum + count, 0)
      const counted = async () => {
        const { edges } = await callApi<PipelineMetrics>(console, 'GET', `/v3/pipeline/${id}/metrics`)
        return edges.flatMap(({ events }) => events).reduce((sum, count) => sum + count, 0)
      }
      await expect.poll(counted, { timeout: TIMEOUT_MS, interval: 1_000 }).toBe(2 * total)
      const page = await console.signedIn(`/console/pipelines/${id}?rev=deployed&counts=hour`)
      for (const [label, count] of Object.entries(SHARES)) {
        const events = count === 1 ? '1 event' : `${count} events`
        await canvas(page)
          .getByLabel(`ways ${label} to to-${label.replace('_', '')}, ${events}`, { exact: true })
          .waitFor()
      }
    },
    TIMEOUT_MS,
  )

  describe('at random', () => {
    let pipeline = ''
    test('a pipeline runs', async () => {
      pipeline = await publishedPipeline(console)
    })
    walkAtRandom(console, { seed: SEED, steps: STEPS, pipelineOf: () => pipeline, timeoutMs: TIMEOUT_MS })
  })
})
