import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { isIncident, linesOfSecond } from '../../../deploy/cli/demo/demo-lines.ts'
import { RunningWeir } from '../running-weir.ts'
import { chromiumAtHand } from './chromium-at-hand.ts'
import { launchChromium } from './launched-chromium.ts'

/** usage: npm run screenshots [-- NAME ...]. Takes the pictures of docs/images again, with the sample data of `weir demo`. */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = join(ROOT, 'docs/images')
const THEMES = ['light', 'dark'] as const
const VIEWPORT = { width: 1_280, height: 800 }
const WEBP_QUALITY = 80
/** Charts and graphs move to their places. */
const SETTLED_MS = 700
/** Previews and explanations read the log of many lines. */
const TIMEOUT_MS = 120_000
const RATE = '10'
/** Twice the lines of a service that may pass in a minute. */
const NOISY_LINES = 840

/** Parts of the sample data that pictures show. */
interface Sample {
  /** Address of its pipeline. */
  readonly pipeline: string
  /** Words of a line that the throttle dropped. */
  readonly dropped: string
}

interface Picture {
  readonly name: string
  readonly open: (page: Page, sample: Sample) => Promise<void>
}

const samples = [
  '{"app":"recommender","level":"debug","line":"no orders for customer 1, asking again at once"}',
  '{"app":"payments","level":"error","line":"could not read the order"}',
]

const PICTURES: readonly Picture[] = [
  {
    name: 'search',
    open: async page => {
      await page.goto('/console/search?from=1h')
      await page.locator('[data-text]').first().waitFor()
      await page.waitForLoadState('networkidle')
      // On a busy machine the counts do not cover the whole hour at first.
      for (const part of [
        page.getByRole('region', { name: 'Lines over time' }),
        page.getByRole('complementary'),
      ]) {
        const button = part.getByRole('button', { name: 'Count the rest' }).first()
        if (await button.isVisible()) await button.click()
      }
    },
  },
  {
    name: 'context',
    open: async page => {
      await page.goto('/console/search?from=1h&levels=error&apps=payments&order=oldest&open=context')
      await page.getByRole('gridcell', { name: 'Open details' }).first().click()
      await page.getByLabel('Same host').uncheck()
      await page.getByLabel('Same app').uncheck()
      await page.locator('[aria-current=true]').last().scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'why',
    open: async (page, { dropped }) => {
      await page.goto('/console/search?from=15min')
      await page.getByRole('button', { name: 'Why is a line missing?' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Words of the line, as a query').fill(dropped)
      await dialog.getByRole('button', { name: 'Look in the log' }).click()
      await dialog.getByText(/lines are not stored/).waitFor()
      await dialog.locator('summary').first().click()
    },
  },
  {
    name: 'tail',
    open: async page => {
      await page.goto('/console/search?live=on&from=5min')
      await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
      await page.waitForTimeout(5_000)
    },
  },
  {
    name: 'usage',
    open: async page => {
      await page.goto('/console/usage?days=1')
      await page.getByRole('link', { name: 'gateway', exact: true }).waitFor()
    },
  },
  {
    name: 'pipeline',
    open: async (page, { pipeline }) => {
      await page.goto(`${pipeline}?node=calm`)
      await page.getByRole('complementary', { name: 'Node' }).waitFor()
    },
  },
  {
    name: 'simulate',
    open: async (page, { pipeline }) => {
      await page.goto(`${pipeline}?tab=simulate`)
      await page.locator('.cm-content').click()
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText(samples.join('\n'))
      await page.keyboard.press('Control+Enter')
      await page.getByText('2 of 2 samples were tried.').waitFor()
    },
  },
  {
    name: 'preview',
    open: async (page, { pipeline }) => {
      await page.goto(`${pipeline}?node=calm`)
      const panel = page.getByRole('complementary', { name: 'Node' })
      await panel.getByLabel('threshold').fill('120')
      await page.getByRole('tab', { name: 'Preview' }).click()
      await page.getByRole('button', { name: 'Preview', exact: true }).click()
      await page
        .getByText(/would have/)
        .first()
        .waitFor()
    },
  },
  {
    name: 'throttle',
    open: async (page, { pipeline }) => {
      await page.goto(`${pipeline}?rev=deployed&node=calm&open=state`)
      await page.getByText(/each may pass/).waitFor()
    },
  },
  {
    name: 'system',
    open: async page => {
      await page.goto('/console/system')
      await page.getByRole('row', { name: /^Accepted lines/ }).waitFor()
    },
  },
]

function isAsked({ name }: Picture): boolean {
  const asked = process.argv.slice(2)
  return asked.length === 0 || asked.includes(name)
}

async function main(): Promise<void> {
  const found = chromiumAtHand('pictures')
  if (found === undefined) throw new Error('pictures need a browser')
  const weir = await RunningWeir.start()
  const browser = await launchChromium(found)
  const demo = spawn(process.execPath, [join(ROOT, 'deploy/bin/weir.mjs'), 'demo', '--rate', RATE], {
    env: weir.environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const link = await linkOf(demo.stdout)
    mkdirSync(FOLDER, { recursive: true })
    const context = await browser.newContext({
      ...{ baseURL: weir.credentials.apiUrl, viewport: VIEWPORT, locale: 'en', timezoneId: 'UTC' },
    })
    context.setDefaultTimeout(TIMEOUT_MS)
    const first = await context.newPage()
    await first.goto(link)
    await first.locator('[data-text]').first().waitFor()
    await first.getByRole('link', { name: 'Pipelines' }).click()
    const title = first.getByRole('cell').first().getByRole('link')
    const address = (await title.getAttribute('href')) ?? ''
    await first.close()
    const sample = { pipeline: address, dropped: await sendNoise(context, weir) }
    for (const colorScheme of THEMES)
      for (const { name, open } of PICTURES.filter(isAsked)) {
        const page = await context.newPage()
        await page.emulateMedia({ colorScheme })
        await open(page, sample)
        await page.waitForTimeout(SETTLED_MS)
        await page.getByText('Loading…').first().waitFor({ state: 'detached' })
        await take(page, `${name}-${colorScheme}.webp`)
        // Drafts of one picture must not be in the next one.
        await page.evaluate("indexedDB.deleteDatabase('weir-kept')")
        await page.close()
      }
  } finally {
    demo.kill()
    await browser.close()
    await weir.dispose()
  }
}

/** Sends more lines of the noisy service than its throttle lets pass, as in an incident. @returns a query for the last one */
async function sendNoise({ request }: BrowserContext, { credentials }: RunningWeir): Promise<string> {
  const [key] = (await (await request.get('/v1/config/keys?type=ingestion')).json()) as { key: string }[]
  const nowMs = Date.now()
  let second = Math.floor(nowMs / 1_000)
  const lines: { readonly line: string }[] = []
  while (lines.length < NOISY_LINES) {
    second--
    if (!isIncident(second * 1_000)) continue
    const noisy = linesOfSecond(second, Number(RATE)).filter(({ app }) => app === 'recommender')
    lines.push(...noisy.map(line => ({ ...line, timestamp: nowMs })))
  }
  const answer = await fetch(`${credentials.ingestUrl}/logs/ingest?hostname=reco-1`, {
    method: 'POST',
    headers: { apikey: key?.key ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return JSON.stringify(lines.at(-1)?.line.replace(/,.*$/, ''))
}

/** The sign-in link that the command prints once the first lines are sent. */
async function linkOf(output: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  while (!text.includes('Stop with')) {
    const [piece] = (await once(output, 'data')) as [Buffer]
    text += String(piece)
  }
  const [link] = /http\S+code=\S+/.exec(text) ?? []
  if (link === undefined) throw new Error(`the command printed no link: ${text}`)
  return link
}

async function take(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: WEBP_QUALITY })
  writeFileSync(join(FOLDER, name), Buffer.from(data, 'base64'))
}

await main()
