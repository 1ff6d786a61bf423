import { beforeAll, describe, expect, test } from 'vitest'
import { describeConsole } from '../support/browser/describe-console.ts'
import { lookAtAdministration } from './administration-pages.ts'
import { findingsOfPage } from './axe-findings.ts'
import { listedPages } from './listed-states.ts'
import { statesOfPages } from './page-states.ts'
import { publishedPipeline } from './published-pipeline.ts'
import { walkAtRandom } from './random-walk.ts'

const STEPS = 60

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 320, height: 640 },
]
const WAYS = [
  ['light', SIZES[0]!],
  ['dark', SIZES[1]!],
  ['dark', SIZES[0]!],
  ['light', SIZES[1]!],
] as const

describeConsole('pages of the console', console => {
  beforeAll(() =>
    console.ship(
      ['info', 'warn', 'error', 'debug', 'audit'].map(level => ({
        line: `a line of ${level}`,
        app: 'web',
        level,
      })),
    ),
  )

  test.each(WAYS)('have no findings of axe in the %s theme at %o', async (colorScheme, viewport) => {
    const page = await console.open('/console/', { colorScheme, viewport })
    const found: Record<string, string[]> = {}
    // Dialogs and further states are looked at once in each theme and once in each size.
    const isWhole = (colorScheme === 'light') === (viewport === SIZES[0])
    const look = async (name: string) => {
      found[name] = await findingsOfPage(page)
    }
    await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor()
    await look('sign-in')
    await page.getByLabel('Access token', { exact: true }).fill(console.weir.credentials.accessToken)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('a line of audit').first().waitFor()
    await page
      .getByRole('region', { name: 'Lines over time' })
      .getByText('lines', { exact: false })
      .first()
      .waitFor()
    await look('search')
    await page.getByRole('gridcell', { name: 'Open details' }).first().click()
    for (const tab of ['Fields', 'JSON', 'Raw', 'Context', 'Why']) {
      await page.getByRole('tab', { name: tab }).click()
      await look(tab)
    }
    if (isWhole) {
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Why is a line missing?' }).click()
      await page.getByRole('button', { name: 'Look in the log' }).click()
      await page
        .getByRole('status')
        .filter({ hasText: /stored/ })
        .waitFor()
      await look('a missing line')
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Views' }).click()
      await look('views')
      await page.getByRole('button', { name: 'Save as a new view' }).click()
      await look('a new view')
      await page.goto('/console/search?live=on')
      await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
      await look('a live tail')
      await page.getByLabel('Query').fill('a b OR (')
      await page.getByText('"query" has an unbalanced parenthesis at character 8').waitFor()
      await look('an error of the query')
    }
    await page.goto('/console/usage')
    await page.getByRole('link', { name: 'web', exact: true }).waitFor()
    await page.getByRole('application').press('ArrowLeft')
    await look('usage')
    if (isWhole) {
      await page.getByRole('button', { name: 'Change quotas' }).click()
      await look('quotas')
    }
    await page.goto('/console/pipelines')
    await page.getByRole('heading', { name: 'There is no pipeline' }).waitFor()
    await look('pipelines')
    await page.goto('/console/audit')
    await page.locator('summary').first().click()
    await look('audit')
    await page.goto('/console/system')
    await page.getByRole('row', { name: /^Accepted lines/ }).waitFor()
    await page.getByRole('row', { name: /^weir\.ingest 0/ }).waitFor()
    await look('system')
    await lookAtAdministration(page, look, isWhole)
    await page.goto('/console/none')
    await page.getByRole('heading', { name: 'This page does not exist.' }).waitFor()
    await look('a page that does not exist')
    expect(Object.entries(found).filter(([, each]) => each.length > 0)).toEqual([])
  })

  describe('with a pipeline', () => {
    let pipeline = ''
    beforeAll(async () => {
      pipeline = await publishedPipeline(console)
    })
    statesOfPages(console, async () => {
      const nowS = Math.ceil(Date.now() / 1_000)
      const path = `/v2/export?from=${nowS - 3_600}&to=${nowS + 60}&query=audit`
      const { lines } = await console.weir.get<{ lines: readonly { readonly _id: string }[] }>(path)
      return listedPages({ pipeline, line: lines[0]!._id })
    })
    walkAtRandom(console, { seed: 1, steps: STEPS, pipelineOf: () => pipeline })
  })
})
