import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'

const ID = '0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11'
const UNFILTERED = { code: 'INGESTION_UNFILTERED', message: 'Every line goes into the store unfiltered' }

let line: CommandLine
let effects: object[]
beforeEach(async () => {
  line = await commandLine()
  effects = [UNFILTERED]
  const shop = { id: ID, title: 'Shop', processing_status: 'paused' }
  line.reply = ({ method }) =>
    method === 'GET' ? { body: { data: [shop] } } : { body: { meta: { effects }, data: shop } }
})
afterEach(() => line.close())

/** Requests to the service, except reads. */
const asked = () =>
  line.service.requests.filter(({ method }) => method !== 'GET').map(({ url }) => url.pathname + url.search)
const DRY_RUN = `/v3/pipeline/${ID}/pause?dry_run=true`
const PAUSE = `/v3/pipeline/${ID}/pause`

test('without a terminal a pause that lets lines pass unfiltered is refused with a sentence, except with --yes', async () => {
  const { code, out, err } = await line.run(['pipeline', 'pause', 'Shop'])
  expect([code, out]).toEqual([2, ''])
  expect(err).toBe(
    'weir: Shop was not paused. Every line goes into the store unfiltered. Use --yes to pause it all the same.\n',
  )
  expect(asked()).toEqual([DRY_RUN])
  const agreed = await line.run(['pipeline', 'pause', 'Shop', '--yes'])
  expect([agreed.code, agreed.out]).toEqual([
    0,
    `Paused Shop. Every line goes into the store unfiltered. To resume it: weir pipeline resume ${ID}\n`,
  ])
  expect(asked()).toEqual([DRY_RUN, DRY_RUN, PAUSE])
})

test.each([
  ['y\n', 0, [DRY_RUN, PAUSE]],
  ['n\n', 1, [DRY_RUN]],
  ['\n', 1, [DRY_RUN]],
  ['', 1, [DRY_RUN]],
])('at a terminal it asks first; %j is answered with code %i', async (typed, code, requests) => {
  const ended = await line.run(['pipeline', 'pause', ID], { terminal: true, typed })
  expect(ended.out).toContain('Every line goes into the store unfiltered.\nPause Shop? [y/N] ')
  expect(ended.out).toContain(code === 0 ? 'Paused Shop.' : 'Nothing was changed.')
  expect(ended.code).toBe(code)
  expect(asked()).toEqual(requests)
})

test.each(['store', 'hold', 'drop'])('mode %s is asked about, and sent', async mode => {
  effects = [{ code: 'X', message: 'Senders are answered 503' }]
  const shop = { id: ID, title: 'Shop', processing_status: 'paused', pause_mode: mode }
  line.reply = () => ({ body: { meta: { effects }, data: shop } })
  const { code, out } = await line.run(['pipeline', 'pause', ID, '--mode', mode, '--yes'])
  const how = mode === 'store' ? '' : ` with mode ${mode}`
  expect([code, out]).toEqual([
    0,
    `Paused Shop${how}. Senders are answered 503. To resume it: weir pipeline resume ${ID}\n`,
  ])
  expect(asked()).toEqual([`${DRY_RUN}&mode=${mode}`, `${PAUSE}?mode=${mode}`])
})

test('a mode that does not exist is refused before anything is asked', async () => {
  const { code, err } = await line.run(['pipeline', 'pause', ID, '--mode', 'keep'])
  expect([code, asked()]).toEqual([2, []])
  expect(err).toContain('Allowed choices are store, hold, drop.')
})

test('the list shows a mode that is not the usual one', async () => {
  const ofMode = (mode: string | null, status = 'paused') => ({
    id: ID,
    title: 'Shop',
    processing_status: status,
    published_at: 'x',
    pause_mode: mode,
  })
  line.reply = () => ({ body: { data: [ofMode('hold'), ofMode('store'), ofMode(null, 'enabled')] } })
  const { out } = await line.run(['pipeline', 'list'])
  expect(out.match(/paused \(hold\)|paused|runs/g)).toEqual(['paused (hold)', 'paused', 'runs'])
})

test('a pause without such an effect does not ask', async () => {
  effects = []
  for (const terminal of [false, true]) {
    const { code, out } = await line.run(['pipeline', 'pause', ID], { terminal })
    expect([code, out]).toEqual([0, `Paused Shop. To resume it: weir pipeline resume ${ID}\n`])
  }
  const { out } = await line.run(['pipeline', 'pause', ID, '--json'])
  expect(JSON.parse(out)).toMatchObject({ id: ID, processing_status: 'paused' })
})

test('resume continues the pipeline', async () => {
  const { code, out } = await line.run(['pipeline', 'resume', 'Shop'])
  expect([code, out]).toEqual([0, 'Shop runs.\n'])
  expect(asked()).toEqual([`/v3/pipeline/${ID}/resume`])
})
