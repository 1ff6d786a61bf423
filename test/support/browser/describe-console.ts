import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFailed, vi } from 'vitest'
import { RunningWeir } from '../running-weir.ts'
import { chromiumAtHand } from './chromium-at-hand.ts'
import { launchChromium, signInOf } from './launched-chromium.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FAILURES = join(ROOT, 'node_modules/.cache/weir-console-failures')
const START_TIMEOUT_MS = 120_000
/** A small machine with other tests beside this one takes its time; nothing is measured here. */
const PAGE_TIMEOUT_MS = 20_000

/** Answers that are errors appear on the browser's console, too: tests provoke them. */
const ANSWERED = /^Failed to load resource: the server responded with a status of 4\d\d/
/** Texts about requests and tails of a page whose server is away. */
const AWAY =
  /^Failed to load resource: (net::ERR_|the server responded with a status of 503)|^WebSocket connection to .* failed/

/** The running program, and a browser that looks at its console. */
export interface ConsoleUnderTest {
  readonly weir: RunningWeir
  /** Address of the program without a slash at its end. */
  readonly url: string
  /** Opens a page of the console in a context of its own. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>
  /** Opens a page of somebody who has signed in before, with the first access token or with the given one. */
  signedIn(path: string, options?: BrowserContextOptions & { readonly token?: string }): Promise<Page>
  /** Kills the program, which keeps its port. Pages of this test may write that they do not reach it. */
  kill(): Promise<void>
  /** Allows texts on the browser's console that this test provokes. */
  provokes(texts: RegExp): void
  /** Sends lines, and waits until a search finds them. */
  ship(lines: readonly object[], host?: string): Promise<void>
}

/**
 * Tests of the console in a real browser, with the real program; skipped, with a line that says why, where none is
 * found. Each test fails on a violation of the content security policy, an uncaught error, and a request to another
 * origin. It also fails on anything that the page writes as an error to the browser's console.
 */
export function describeConsole(name: string, tests: (console: ConsoleUnderTest) => void): void {
  const found = chromiumAtHand(name)
  describe.skipIf(found === undefined)(name, () => {
    let browser: Browser | undefined
    let weir: RunningWeir | undefined
    let contexts: BrowserContext[] = []
    let faults: string[] = []
    let provoked: RegExp[] = []

    beforeAll(async () => {
      if (found === undefined) return
      // Sources may be newer than what `npm ci` has built.
      execFileSync(process.execPath, [join(ROOT, 'console/prepare.mjs')])
      browser = await launchChromium(found)
      weir = await RunningWeir.start()
    }, START_TIMEOUT_MS)

    afterAll(async () => {
      await browser?.close()
      await weir?.dispose()
    })

    afterEach(async () => {
      const seen = faults
      faults = []
      provoked = []
      for (const context of contexts) await context.close()
      contexts = []
      expect(seen, 'faults that the browser saw').toEqual([])
    })

    const running = () => {
      if (browser === undefined || weir === undefined) throw new Error('there is a console within tests only')
      return { browser, weir }
    }

    const newContext = async (options: BrowserContextOptions) => {
      const { browser, weir } = running()
      const { apiUrl } = weir.credentials
      const context = await browser.newContext({
        baseURL: apiUrl,
        locale: 'en',
        timezoneId: 'UTC',
        ...options,
      })
      contexts.push(context)
      context.setDefaultTimeout(PAGE_TIMEOUT_MS)
      const note = (fault: string) => faults.push(fault)
      context.on('page', page =>
        watch(page, apiUrl, { note, isExpected: text => provoked.some(each => each.test(text)) }),
      )
      return context
    }

    const openIn = async (context: BrowserContext, path: string) => {
      const page = await context.newPage()
      onTestFailed(async ({ task }) => {
        mkdirSync(FAILURES, { recursive: true })
        const picture = join(FAILURES, `${task.name.replaceAll(/\W+/g, '-')}.png`)
        await page.screenshot({ path: picture }).catch(() => {})
      })
      await page.goto(path)
      return page
    }

    tests({
      get weir() {
        return running().weir
      },
      get url() {
        return running().weir.credentials.apiUrl
      },
      open: async (path, options = {}) => openIn(await newContext(options), path),
      signedIn: async (path, { token, ...options } = {}) => {
        const context = await newContext(options)
        await signInOf(context, token ?? running().weir.credentials.accessToken)
        return openIn(context, path)
      },
      kill: async () => {
        provoked.push(AWAY)
        running().weir.keepPort()
        await running().weir.end('SIGKILL')
      },
      provokes: texts => void provoked.push(texts),
      ship: (lines, host = 'web-1') => shipTo(running().weir, lines, host),
    })
  })
}

/** Signs in on the page. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Access token', { exact: true }).fill(token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

interface Watcher {
  readonly note: (fault: string) => void
  /** Whether a text on the browser's console is one that the test provokes. */
  readonly isExpected: (text: string) => boolean
}

function watch(page: Page, apiUrl: string, { note, isExpected }: Watcher): void {
  page.on('pageerror', error => note(`uncaught: ${error.message}`))
  page.on('console', message => {
    const text = message.text()
    if (message.type() === 'error' && !ANSWERED.test(text) && !isExpected(text))
      note(`console: ${text} ${message.location().url}`)
  })
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(`${apiUrl}/`) && !url.startsWith('data:')) note(`request to ${url}`)
  })
}

async function shipTo(weir: RunningWeir, lines: readonly object[], host: string): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const mark = `mark-${crypto.randomUUID()}`
  const sent = [...lines, { line: mark, app: 'mark', timestamp: Date.now() - 86_400_000 }]
  const answer = await fetch(`${ingestUrl}/logs/ingest?hostname=${host}`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: sent }),
  })
  if (!answer.ok) throw new Error(`ingestion answered ${answer.status}: ${await answer.text()}`)
  const day = 86_400
  const now = Math.ceil(Date.now() / 1_000)
  const path = `/v2/export?from=${now - 2 * day}&to=${now + day}&query=${mark}`
  await vi.waitFor(
    async () => {
      const { lines: found } = await weir.get<{ lines: unknown[] }>(path)
      if (found.length === 0) throw new Error('the lines are not found yet')
    },
    { timeout: PAGE_TIMEOUT_MS, interval: 100 },
  )
}
