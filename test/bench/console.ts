import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { chromiumAtHand } from '../support/browser/chromium-at-hand.ts'
import { launchChromium, signedInContext } from '../support/browser/launched-chromium.ts'
import { RunningWeir } from '../support/running-weir.ts'
import type { BenchmarkOptions } from './benchmark.ts'
import { BODY_LINES, fill, linesOf, send } from './browser/counted-lines.ts'
import { MeasuredPage, quantileOf } from './browser/measured-page.ts'
import type { Report } from './figure.ts'

const ROUNDS = 3
const WHOLE = { lines: 50_000, scrollMs: 5_000, tailSeconds: 20, keys: 60, nodes: 200 }
const QUICK: typeof WHOLE = { lines: 3_000, scrollMs: 1_000, tailSeconds: 2, keys: 10, nodes: 20 }
const LINES_PER_SECOND = 10_000
const EMPTY = 'console/an-empty-page'
/** Looks, half a second apart, until the last lines of a tail are told. */
const SETTLING_LOOKS = 30
const VIEWPORT = { width: 1_280, height: 800 }

export const summary =
  'The benchmark runs the console in headless Chromium beside its program on the same machine: times of pages, keys and clicks, and frames while lines are scrolled or come in. The floor is an empty page of the same run.'

export async function run(report: Report, { quick }: BenchmarkOptions): Promise<void> {
  const found = chromiumAtHand('the benchmark of the console')
  if (found === undefined) return
  execFileSync(process.execPath, [fileURLToPath(new URL('../../console/prepare.mjs', import.meta.url))])
  const size = quick ? QUICK : WHOLE
  const weir = await RunningWeir.start()
  const browser = await launchChromium(found, ['--enable-precise-memory-info'])
  try {
    const { apiUrl: url, accessToken: token } = weir.credentials
    const context = await signedInContext(browser, { url, token, viewport: VIEWPORT })
    await context.addInitScript({ path: fileURLToPath(new URL('./browser/probe.mjs', import.meta.url)) })
    await context.route(`**/${EMPTY}`, route =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Empty</title><p>Nothing</p>' }),
    )
    await fill(weir, size.lines)
    const rounds: Round[] = []
    for (let round = 0; round < (quick ? 1 : ROUNDS); round++) rounds.push(await measure(context, weir, size))
    reportRounds(report, rounds, size)
  } finally {
    await browser.close()
    await weir.dispose()
  }
}

interface Frames {
  readonly p95: number
  readonly p99: number
}

interface Round {
  readonly empty: Frames & { readonly paintMs: number }
  readonly paintMs: number
  readonly linesMs: number
  readonly reactionP95Ms: number
  readonly typingP95Ms: number
  readonly longLineMs: number
  readonly manyFieldsMs: number
  readonly graphMs: number
  readonly scrolled: Frames & { readonly blankFrames: number }
  readonly wrapped: Frames & { readonly blankFrames: number }
  readonly tail: Frames & {
    readonly longestTaskMs: number
    readonly heapMB: number
    readonly missing: number
  }
}

type Figure = readonly [
  name: string,
  unit: string,
  of: (round: Round) => number,
  floor?: (round: Round) => number,
]

function reportRounds(
  report: Report,
  rounds: readonly Round[],
  { lines, nodes, tailSeconds }: typeof WHOLE,
): void {
  const all = `${lines.toLocaleString('en')} loaded lines`
  const rate = `${LINES_PER_SECOND.toLocaleString('en')} lines per second for ${tailSeconds} s`
  const frames = (name: string, of: (round: Round) => Frames): Figure[] => [
    [`${name}: p95 of the frames`, 'ms', round => of(round).p95, ({ empty }) => empty.p95],
    [`${name}: p99 of the frames`, 'ms', round => of(round).p99, ({ empty }) => empty.p99],
  ]
  const figures: Figure[] = [
    ['first paint of the search page', 'ms', ({ paintMs }) => paintMs, ({ empty }) => empty.paintMs],
    ['first byte of the lines until the first line', 'ms', ({ linesMs }) => linesMs],
    ['key or click until the next frame: p95', 'ms', ({ reactionP95Ms }) => reactionP95Ms],
    ['key in the query until the next frame: p95', 'ms', ({ typingP95Ms }) => typingP95Ms],
    ['opening a line of 1 MB', 'ms', ({ longLineMs }) => longLineMs],
    ['opening a line of 2,000 fields', 'ms', ({ manyFieldsMs }) => manyFieldsMs],
    [`drawing a pipeline of ${nodes} nodes`, 'ms', ({ graphMs }) => graphMs],
    ...frames(`scrolling ${all}`, ({ scrolled }) => scrolled),
    [`scrolling ${all}: longest time without lines`, 'frames', ({ scrolled }) => scrolled.blankFrames],
    ...frames(`scrolling ${all}, wrapped`, ({ wrapped }) => wrapped),
    [`scrolling ${all}, wrapped: longest time without lines`, 'frames', ({ wrapped }) => wrapped.blankFrames],
    ...frames(`tail of ${rate}`, ({ tail }) => tail),
    [`tail of ${rate}: longest task`, 'ms', ({ tail }) => tail.longestTaskMs],
    [`tail of ${rate}: further heap`, 'MB', ({ tail }) => tail.heapMB],
    [`tail of ${rate}: lines neither shown nor told`, 'lines', ({ tail }) => tail.missing],
  ]
  for (const [name, unit, of, floor] of figures)
    report({
      name,
      unit,
      values: rounds.map(of),
      ...(floor !== undefined && { floor: { name: 'an empty page', values: rounds.map(floor) } }),
    })
}

const framesOf = (intervals: readonly number[]): Frames => ({
  p95: quantileOf(intervals, 0.95),
  p99: quantileOf(intervals, 0.99),
})

async function measure(context: BrowserContext, weir: RunningWeir, size: typeof WHOLE): Promise<Round> {
  const empty = await opened(context, `/${EMPTY}`)
  const emptyFrames = framesOf(await empty.frames(size.scrollMs))
  const { paintMs: emptyPaintMs } = await empty.opened()
  await empty.page.close()
  const search = await opened(context, '/console/search?q=counted')
  await search.page.locator('[data-text]').first().waitFor()
  await search.page.waitForLoadState('networkidle')
  const { paintMs, linesMs } = await search.opened()
  const { reactionP95Ms, typingP95Ms } = await reactionsOf(search, size.keys)
  await search.page.close()
  return {
    empty: { ...emptyFrames, paintMs: emptyPaintMs ?? Number.NaN },
    paintMs: paintMs ?? Number.NaN,
    linesMs: linesMs ?? Number.NaN,
    reactionP95Ms,
    typingP95Ms,
    longLineMs: await detailsMs(context, 'megabyte'),
    manyFieldsMs: await detailsMs(context, 'manyfields'),
    graphMs: await graphMs(context, weir, size.nodes),
    scrolled: await scrolling(context, '/console/search?q=counted', size),
    wrapped: await scrolling(context, '/console/search?q=counted&wrap=on', size),
    tail: await tailing(context, weir, size.tailSeconds),
  }
}

async function opened(context: BrowserContext, path: string): Promise<MeasuredPage> {
  const page = await context.newPage()
  await page.goto(path)
  return new MeasuredPage(page)
}

async function reactionsOf(search: MeasuredPage, keys: number) {
  const { page } = search
  const field = page.getByLabel('Query')
  await field.focus()
  await search.reactions()
  for (let key = 0; key < keys; key++) await field.press('abcdefgh'[key % 8] as string)
  const typingP95Ms = quantileOf(await search.reactions(), 0.95)
  await field.press('Escape')
  await page.getByRole('grid').focus()
  await search.reactions()
  for (let key = 0; key < keys; key++) await page.keyboard.press('j')
  for (let click = 0; click < keys / 10; click++) {
    await page.getByRole('gridcell', { name: 'Open details' }).nth(click).click()
    await page.getByRole('tab', { name: click % 2 === 0 ? 'JSON' : 'Fields' }).click()
  }
  return { typingP95Ms, reactionP95Ms: quantileOf(await search.reactions(), 0.95) }
}

/** Lines that ingestion does not take, but pipelines may make. */
const LARGE_LINES = {
  megabyte: { _line: `megabyte ${'x'.repeat(1_000_000)}` },
  manyfields: {
    _line: 'manyfields',
    ...Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`field_${at}`, at])),
  },
}

async function detailsMs(context: BrowserContext, word: keyof typeof LARGE_LINES): Promise<number> {
  const record = { _id: '1', _ts: Date.now(), ...LARGE_LINES[word] }
  const pieces = [{ lines: [record] }, { end: { next: null, access: 'order' } }]
  await context.route(`**/v3/search?*query=${word}*`, route =>
    route.fulfill({
      contentType: 'application/x-ndjson',
      body: pieces.map(piece => `${JSON.stringify(piece)}\n`).join(''),
    }),
  )
  const measured = await opened(context, `/console/search?q=${word}`)
  await measured.page.locator('[data-text]').first().waitFor()
  await measured.page.waitForLoadState('networkidle')
  const ms = await measured.appears('[role=grid] button[role=gridcell]', '[role=tabpanel] dl')
  await measured.page.close()
  return ms
}

async function graphMs(context: BrowserContext, weir: RunningWeir, nodes: number): Promise<number> {
  const title = `${nodes} nodes`
  const processors = Array.from({ length: nodes - 2 }, (_, at) => ({
    ...{ name: `n${at}`, type: 'sample', config: { rate: 2 } },
    inputs: [at < 8 ? 'lines' : `n${at - 8}`],
  }))
  const answer = await fetch(`${weir.credentials.apiUrl}/v3/pipeline/import`, {
    method: 'PUT',
    headers: { authorization: `Token ${weir.credentials.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ weir: 'pipeline/1', title, processors },
      sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
      destinations: [{ name: 'store', type: 'log-analysis', inputs: ['n0'] }],
    }),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  const { data } = (await answer.json()) as { data: { id: string } }
  const measured = await opened(context, '/console/pipelines')
  await measured.page.getByRole('link', { name: title }).waitFor()
  const ms = await measured.appears(`a[href$="${data.id}"]`, '.react-flow__node', nodes)
  await measured.page.close()
  return ms
}

async function scrolling(context: BrowserContext, path: string, { lines, scrollMs }: typeof WHOLE) {
  const measured = await opened(context, path)
  const { page } = measured
  const grid = page.getByRole('grid')
  await grid.waitFor()
  const isLoaded = async () => Number(await grid.getAttribute('aria-rowcount')) > lines
  while (!(await isLoaded())) {
    await grid.press('End')
    await page.waitForTimeout(50)
  }
  const { intervals, longestBlank } = await measured.scroll(scrollMs)
  await page.close()
  return { ...framesOf(intervals), blankFrames: longestBlank }
}

let tails = 0

async function tailing(context: BrowserContext, weir: RunningWeir, seconds: number): Promise<Round['tail']> {
  const word = `tailed${tails++}`
  const measured = await opened(context, `/console/search?q=${word}&live=on`)
  const { page } = measured
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
  const heapBefore = await measured.heapBytes()
  const frames = measured.frames(seconds * 1_000)
  const total = seconds * LINES_PER_SECOND
  const startMs = performance.now()
  for (let sent = 0; sent < total; sent += BODY_LINES) {
    const waitMs = startMs + (sent * 1_000) / LINES_PER_SECOND - performance.now()
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs))
    await send(weir, linesOf(word, sent, BODY_LINES))
  }
  const intervals = await frames
  let known = await toldLines(page)
  for (let look = 0; known < total && look < SETTLING_LOOKS; look++) {
    await page.waitForTimeout(500)
    known = await toldLines(page)
  }
  const tail = {
    ...framesOf(intervals),
    longestTaskMs: await measured.longestTaskMs(),
    heapMB: ((await measured.heapBytes()) - heapBefore) / 1e6,
    missing: total - known,
  }
  await page.close()
  return tail
}

/** Lines that a tail has received, and those that it says it left out. */
async function toldLines(page: Page): Promise<number> {
  const text = (await page.locator('[class*=counts]').first().textContent()) ?? ''
  const told = [...text.matchAll(/([\d,]+) (?:lines|not sent)/g)]
  return told.reduce((sum, [, digits = '']) => sum + Number(digits.replaceAll(',', '')), 0)
}
