import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'
import type { ListedPage, ListedState, SeededAnswer } from './listed-states.ts'

const PROVOKED = /^Failed to load resource: (net::ERR_|the server responded with a status of 5\d\d)/
/** Answers behind each other: those of the first have a button, those of the last are repeated by the page itself. */
const BY_BUTTON = [500, 409, 404]
const BY_ITSELF = [503, 429]
const RETRY_AFTER_S = 1
/** A wait is quiet for 200 ms, and says how long it takes from two seconds on. */
const QUIET_MS = 150
const SHOWN_MS = 150
const LONG_MS = 2_000
const STEP_MS = 10
const MOST_WAITS = 100
/** Between two pages, by their clock: more than a page takes. */
const FURTHER_MS = 120_000

/** Answers that the lists of a page get instead of those of the server. */
type Seed = (list: ListedState, route: Route) => Promise<void>

const sentenceOf = (status: number, { name }: ListedState) => `Seeded ${status} of ${name}.`

async function seed(page: Page, { lists }: ListedPage, answer: Seed): Promise<void> {
  for (const list of lists) await page.route(list.request, route => answer(list, route))
}

function refusal(status: number): Seed {
  return (list, route) =>
    route.fulfill({
      status,
      headers: {
        'x-request-id': `request-of-${list.name}`,
        ...(BY_ITSELF.includes(status) && { 'retry-after': String(RETRY_AFTER_S) }),
      },
      json: { message: sentenceOf(status, list), error: sentenceOf(status, list) },
    })
}

function given(answer: SeededAnswer, route: Route): Promise<void> {
  if (answer.pieces === undefined) return route.fulfill({ json: answer.json })
  return route.fulfill({
    contentType: 'application/x-ndjson',
    body: answer.pieces.map(piece => `${JSON.stringify(piece)}\n`).join(''),
  })
}

const alertOf = (page: Page, status: number, list: ListedState) =>
  page.getByRole('alert').filter({ hasText: sentenceOf(status, list) })

/**
 * Tests of the five states of every list, of which each is opened once for each state.
 *
 * @param tokenOf token that reads the pages; default: the first access token
 */
export function statesOfPages(
  console: ConsoleUnderTest,
  pagesOf: () => Promise<readonly ListedPage[]>,
  tokenOf = () => console.weir.credentials.accessToken,
): void {
  let pages: readonly ListedPage[]
  const signedIn = () => console.signedIn('/console/none', { token: tokenOf() })

  beforeAll(async () => {
    pages = await pagesOf()
  })

  async function open(page: Page, { path, open: further }: ListedPage): Promise<void> {
    await page.goto(path)
    await further?.(page)
  }

  test('a refusal is shown in the words of the server, without a way to ask again', async () => {
    const page = await signedIn()
    for (const listed of pages) {
      await seed(page, listed, refusal(403))
      await open(page, listed)
      for (const list of listed.lists) {
        const alert = alertOf(page, 403, list)
        await alert.getByText('Your token does not have the right to do this.').waitFor()
        await alert.getByText(`Request request-of-${list.name}`).waitFor()
        expect(await alert.getByRole('button').count(), list.name).toBe(0)
      }
      await page.unrouteAll()
    }
  })

  test('errors of every other status are shown in the words of the server, with their way out', async () => {
    console.provokes(PROVOKED)
    const page = await signedIn()
    await page.clock.install({ time: Date.now() })
    for (const listed of pages) {
      const { lists, content } = listed
      const left = new Map(
        lists.map(list => [
          list.name,
          [...BY_BUTTON.filter(status => !list.meant?.includes(status)), ...BY_ITSELF],
        ]),
      )
      await seed(page, listed, (list, route) => {
        const status = left.get(list.name)?.[0]
        return status === undefined ? route.continue() : refusal(status)(list, route)
      })
      await open(page, listed)
      for (const list of lists)
        for (const status of [...(left.get(list.name) ?? [])]) {
          const alert = alertOf(page, status, list)
          const retry = alert.getByRole('button', {
            name: BY_ITSELF.includes(status) ? /^Trying again/ : 'Try again',
          })
          await retry.waitFor()
          left.get(list.name)?.shift()
          if (BY_ITSELF.includes(status)) await page.clock.runFor(RETRY_AFTER_S * 1_000)
          else await retry.click()
        }
      await page.getByText(content).first().waitFor()
      await page.getByRole('alert').first().waitFor({ state: 'detached' })
      await page.unrouteAll()
    }
  })

  test('nothing is shown as loading before 200 ms, and everything after', async () => {
    const page = await signedIn()
    let nowMs = Date.now()
    await page.clock.install({ time: nowMs })
    // The page's clock may run on between a request and the moment at which the test hears of it.
    await page.addInitScript(() => {
      const { fetch } = window
      window.fetch = (...given) => {
        document.documentElement.dataset.askedAt = String(Date.now())
        return fetch(...given)
      }
    })
    const bars = page.getByText('Loading…')
    let unanswered = 0
    page.on('request', () => unanswered++)
    for (const end of ['requestfinished', 'requestfailed'] as const)
      page.on(end as 'requestfinished', () => unanswered--)
    for (const listed of pages) {
      const held = new Set<Route>()
      // Requests of the page before are not those of this page's lists.
      await page.goto('about:blank')
      await seed(page, listed, async (_, route) => void held.add(route))
      nowMs += FURTHER_MS
      await page.clock.pauseAt(nowMs)
      unanswered = 0
      await page.goto(listed.path)
      const opened = listed.open?.(page)
      const expected = listed.lists.length
      const loading = listed.lists.filter(({ isQuiet }) => isQuiet !== true).length
      for (let step = 0; held.size < expected && step < 100; step++) {
        await page.clock.runFor(STEP_MS)
        // The page's clock stands still while other lists get their answers. Answers whose bodies nobody reads never end.
        for (let wait = 0; unanswered > held.size && wait < MOST_WAITS; wait++)
          await new Promise(resolve => setTimeout(resolve, STEP_MS))
      }
      await opened
      expect(held.size, listed.path).toBeGreaterThanOrEqual(expected)
      const waitedMs = await page.evaluate(
        () => Date.now() - Number(document.documentElement.dataset.askedAt),
      )
      await page.clock.runFor(Math.max(0, QUIET_MS - waitedMs))
      expect(await bars.count(), `${listed.path} before 200 ms`).toBe(0)
      await page.clock.runFor(SHOWN_MS)
      await expect.poll(() => bars.count(), { message: listed.path }).toBeGreaterThanOrEqual(loading)
      await page.clock.runFor(LONG_MS)
      await expect
        .poll(() => page.getByText(/^2\.\d s$/).count(), { message: listed.path })
        .toBeGreaterThanOrEqual(loading)
      await page.clock.resume()
      for (const route of held) await route.continue().catch(() => {})
      await page.getByText(listed.content).first().waitFor()
      await bars.first().waitFor({ state: 'detached' })
      await page.unrouteAll()
    }
  })

  test.each(['empty', 'tooMuch'] as const)('a list that is %s says so, with a way on', async state => {
    const page = await signedIn()
    for (const listed of pages) {
      const lists = listed.lists.filter(list => list[state] !== undefined)
      if (lists.length === 0) continue
      await seed(page, { ...listed, lists }, (list, route) => given(list[state] as SeededAnswer, route))
      await open(page, listed)
      for (const list of lists)
        await page
          .getByText(list[state]?.shows ?? '')
          .first()
          .waitFor()
      await page.unrouteAll()
    }
  })

  test('a server that is away or not ready is told on every page, which keeps its content and goes on by itself', async () => {
    console.provokes(PROVOKED)
    const page = await signedIn()
    await page.clock.install({ time: Date.now() })
    const banner = page.getByRole('status').filter({ hasText: /server (cannot be reached|is not ready)/ })
    for (const listed of pages.filter(each => each.open === undefined)) {
      const content = page.getByText(listed.content).first()
      await page.goto(listed.path)
      await content.waitFor()
      await page.context().setOffline(true)
      await page.clock.fastForward(31_000)
      await banner.getByText(/What you see is as of \d\d:\d\d:\d\d\./).waitFor()
      expect(await content.isVisible(), listed.path).toBe(true)
      await page.context().setOffline(false)
      await page.clock.fastForward(3_000)
      await banner.waitFor({ state: 'detached' })
      await page.getByRole('alert').first().waitFor({ state: 'detached' })
      await page.route('**/readyz', route =>
        route.fulfill({ status: 503, json: { reasons: ['The log is full.'] } }),
      )
      await page.clock.fastForward(11_000)
      await banner.getByText('The log is full.').waitFor()
      await page.unrouteAll()
      await page.clock.fastForward(3_000)
      await banner.waitFor({ state: 'detached' })
    }
  })
}
