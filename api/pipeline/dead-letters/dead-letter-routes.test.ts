import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { deadLetterSettings } from '../../../engine/configuration/entities.ts'
import { DAY_MS } from '../../../engine/times/duration.ts'
import {
  type Method,
  openProcessedInstallation,
  type ProcessedInstallation,
} from '../../../test/support/processed-installation.ts'
import type { TestInstallation } from '../../../test/support/test-installation.ts'

const NOWHERE = '00000000-0000-4000-8000-000000000000'

let processed: ProcessedInstallation
let installation: TestInstallation

beforeAll(async () => {
  processed = await openProcessedInstallation()
  installation = processed.installation
})
afterEach(() => processed.removePipelines())
afterAll(() => processed.close())

const send = (method: Method, url: string, payload?: object) => processed.send(method, url, payload)

/** A pipeline whose sink takes the hostname from a member of the line. */
async function newPipeline(): Promise<{ id: string; url: string; sink: string }> {
  const { id } = (await send('POST', '/v3/pipeline', { title: 'p' })).data
  const source = await send('POST', `/v3/pipeline/${id}/source`, { type: 'log-analysis-ingestion' })
  const sink = await send('POST', `/v3/pipeline/${id}/sink`, {
    type: 'log-analysis',
    inputs: [source.data.id],
    user_config: { ingestion_key: 'key', query: { hostname: '{{ .machine }}' } },
  })
  expect(sink.body.errors).toBeUndefined()
  await send('POST', `/v3/pipeline/${id}/publish`, {})
  return { id, url: `/v3/pipeline/${id}/dead-letter`, sink: sink.data.id }
}

const sendLines = (...lines: object[]) => processed.sendLines(lines)

/** Waits until the list has that many letters, and returns it. */
async function letters(url: string, count: number) {
  for (;;) {
    const { data } = await send('GET', url)
    if (data.length >= count) return data
    await new Promise(resolve => setImmediate(resolve))
  }
}

test('a failed event is listed, and replayed once through a corrected revision', async () => {
  const { id, url, sink } = await newPipeline()
  await send('PUT', url, { enabled: true })
  await sendLines({ line: 'fine', machine: 'm-1' }, { line: 'broken', app: 'web' })
  const [letter] = await letters(url, 1)
  expect(letter).toMatchObject({
    pipeline_id: id,
    node_id: sink,
    code: 'E_NOT_FOUND',
    field: '.machine',
    replayed_at: null,
    replayed_revision_id: null,
    event: { message: { line: 'broken', app: 'web' }, metadata: { query: { hostname: 'web-1' } } },
  })
  const replay = () => send('POST', `${url}/replay`, { ids: [letter.id] })
  const { body } = await send('GET', `/v3/pipeline/${id}/sink/${sink}`)
  await send('PUT', `/v3/pipeline/${id}/sink/${sink}`, {
    ...body.data,
    user_config: { ingestion_key: 'key' },
  })
  const published = await send('POST', `/v3/pipeline/${id}/publish`, {})
  await sendLines({ line: 'behind the new revision' })
  expect((await replay()).data).toEqual({
    replayed: 1,
    pending: 0,
    already_replayed: 0,
    node_gone: 0,
    not_found: 0,
    remaining: 0,
  })
  expect((await replay()).data).toMatchObject({ replayed: 0, already_replayed: 1 })
  expect((await processed.storedLines(3)).toSorted()).toEqual(['behind the new revision', 'broken', 'fine'])
  const [after] = await letters(url, 1)
  expect(after.replayed_at).toMatch(/Z$/)
  expect(after.replayed_revision_id).toBe(published.data.deployed_revision_id)
  expect(after.revision_id).not.toBe(after.replayed_revision_id)
  expect((await send('GET', `${url}?replayed=false`)).data).toEqual([])
})

test('letters that wait are counted by pipeline and code, without replayed and old ones', async () => {
  const { id, url } = await newPipeline()
  await send('PUT', url, { enabled: true, retention_days: 2 })
  const waiting = async () => (await send('GET', '/v3/pipeline/dead-letter')).data
  expect(await waiting()).toEqual([])
  await sendLines({ line: 'broken' }, { line: 'broken, too' })
  const [newest, oldest] = await letters(url, 2)
  expect(await waiting()).toEqual([
    {
      pipeline_id: id,
      title: 'p',
      code: 'E_NOT_FOUND',
      letters: 2,
      first_failed_at: oldest.failed_at,
      last_failed_at: newest.failed_at,
    },
  ])
  await send('POST', `${url}/replay`, { ids: [oldest.id] })
  // The replayed letter has failed again.
  await letters(url, 3)
  expect(await waiting()).toMatchObject([{ letters: 2 }])
  await installation.account('0123456789')
  const authorization = `Token ${await installation.token({ account: '0123456789' })}`
  const other = await installation.call({ url: '/v3/pipeline/dead-letter', headers: { authorization } })
  expect(other.json().data).toEqual([])
  installation.clock.advance(2 * DAY_MS + 1)
  expect(await waiting()).toEqual([])
})

test('a letter that fails again in the same revision becomes a new one', async () => {
  const { url } = await newPipeline()
  await send('PUT', url, { enabled: true })
  await sendLines({ line: 'broken' })
  const [first] = await letters(url, 1)
  expect((await send('POST', `${url}/replay`, {})).data.replayed).toBe(1)
  const [second, ...others] = await letters(url, 2)
  expect(others.map(({ id }: { id: string }) => id)).toEqual([first.id])
  expect(second).toMatchObject({ code: first.code, event: first.event, replayed_at: null })
})

test('letters are listed newest first, page by page, and found by their properties', async () => {
  const { url, sink } = await newPipeline()
  await send('PUT', url, { enabled: true })
  for (let number = 0; number < 5; number++) {
    installation.clock.advance(1_000)
    await sendLines({ line: `line ${number}` }, { line: `line ${number} b` })
    await letters(url, 2 * number + 2)
  }
  const all = await letters(url, 10)
  expect(all.map((letter: { event: { message: { line: string } } }) => letter.event.message.line)).toEqual(
    [4, 3, 2, 1, 0].flatMap(number => [`line ${number} b`, `line ${number}`]),
  )
  const pages: unknown[] = []
  for (let next: string | null = ''; next !== null; ) {
    const page = await send('GET', `${url}?limit=3${next === '' ? '' : `&cursor=${next}`}`)
    pages.push(...page.data)
    next = page.meta.page.next
  }
  expect(pages).toEqual(all)
  const found = async (query: string) => (await send('GET', `${url}?${query}`)).data.length
  expect(await found('code=E_NOT_FOUND')).toBe(10)
  expect(await found('code=E_DELIVERY_FAILED')).toBe(0)
  expect(await found(`node=${sink}`)).toBe(10)
  expect(await found(`node=${NOWHERE}`)).toBe(0)
  expect(await found(`revision=${all[0].revision_id}`)).toBe(10)
  expect(await found(`revision=${NOWHERE}`)).toBe(0)
  expect(await found(`from=${all[3].failed_at}`)).toBe(4)
  expect(await found(`to=${all[3].failed_at}`)).toBe(6)
})

test('letters past their retention are neither listed nor replayed', async () => {
  const { url } = await newPipeline()
  await send('PUT', url, { enabled: true, retention_days: 2 })
  await sendLines({ line: 'old' })
  const [old] = await letters(url, 1)
  installation.clock.advance(2 * DAY_MS + 1)
  expect((await send('GET', url)).data).toEqual([])
  const replayed = await send('POST', `${url}/replay`, { ids: [old.id, '12345'] })
  expect(replayed.data).toMatchObject({ replayed: 0, not_found: 2 })
})

test('a pipeline keeps no letters by default', async () => {
  const { url } = await newPipeline()
  expect((await send('GET', url)).body.meta).toEqual({
    pk: 'id',
    type: 'dead-letter',
    links: {
      self: { list: '/v3/pipeline/{pipeline_id}/dead-letter', detail: null },
      related: { pipeline: { list: '/v3/pipeline', detail: '/v3/pipeline/{pipeline_id}' } },
    },
    page: { next: null, previous: null },
    settings: { enabled: false, retention_days: 7, give_up_after_s: null },
  })
  await sendLines({ line: 'broken' }, { line: 'fine', machine: 'm-1' })
  await processed.storedLines(1)
  expect((await send('GET', url)).data).toEqual([])
})

test('settings are replaced as a whole, and deleted with their pipeline', async () => {
  const { id, url } = await newPipeline()
  const written = { enabled: true, retention_days: 30, give_up_after_s: 600 }
  expect((await send('PUT', url, written)).data).toEqual(written)
  expect((await send('GET', url)).body.meta.settings).toEqual(written)
  const reset = { enabled: false, retention_days: 7, give_up_after_s: null }
  expect((await send('PUT', url, { enabled: false })).data).toEqual(reset)
  await send('DELETE', `/v3/pipeline/${id}`)
  expect((await send('GET', url)).status).toBe(404)
  expect(installation.configuration.get(deadLetterSettings, id)).toBeUndefined()
})

test('an invalid request is refused with its place', async () => {
  const { url } = await newPipeline()
  const refused = async (payload: object) => {
    const { status, body } = await send('PUT', url, payload)
    return [status, body.errors?.[0]?.instancePath]
  }
  expect(await refused({})).toEqual([400, ''])
  expect(await refused({ enabled: true, retention_days: 0 })).toEqual([400, '/retention_days'])
  expect(await refused({ enabled: true, retention_days: 31 })).toEqual([400, '/retention_days'])
  expect((await refused({ enabled: true, give_up_after_s: 0 }))[0]).toBe(400)
  for (const query of ['limit=0', 'limit=201', 'cursor=x', 'from=soon', 'replayed=maybe', 'more=1'])
    expect([query, (await send('GET', `${url}?${query}`)).status]).toEqual([query, 400])
  const both = await send('POST', `${url}/replay`, { ids: ['1'], filter: {} })
  expect([both.status, both.body.errors[0].instancePath]).toEqual([400, '/filter'])
  expect((await send('POST', `/v3/pipeline/${NOWHERE}/dead-letter/replay`, {})).status).toBe(404)
})

test('letters of a node that the present revision lacks stay unchanged', async () => {
  const { id, url, sink } = await newPipeline()
  await send('PUT', url, { enabled: true })
  await sendLines({ line: 'broken' })
  await letters(url, 1)
  const [source] = (await send('GET', `/v3/pipeline/${id}/sink/${sink}`)).data.inputs
  await send('DELETE', `/v3/pipeline/${id}/sink/${sink}`)
  await send('POST', `/v3/pipeline/${id}/sink`, { type: 'blackhole', inputs: [source] })
  await send('POST', `/v3/pipeline/${id}/publish`, {})
  expect((await send('POST', `${url}/replay`, {})).data).toMatchObject({ replayed: 0, node_gone: 1 })
  expect((await send('GET', `${url}?replayed=false`)).data).toHaveLength(1)
})

test('a pipeline without a deployment replays nothing', async () => {
  const { id } = (await send('POST', '/v3/pipeline', { title: 'p' })).data
  const { status, body } = await send('POST', `/v3/pipeline/${id}/dead-letter/replay`, {})
  expect([status, body.code]).toEqual([409, 'ENOTPUBLISHED'])
})

test('another account sees nothing, and a read-only caller changes nothing', async () => {
  const { url } = await newPipeline()
  const authorization = `Token ${await installation.user('readonly')}`
  const asReader = (method: Method, path: string, payload?: object) =>
    installation.call({ method, url: path, headers: { authorization }, ...(payload && { payload }) })
  expect((await asReader('GET', url)).statusCode).toBe(200)
  expect((await asReader('PUT', url, { enabled: true })).statusCode).toBe(403)
  expect((await asReader('POST', `${url}/replay`, {})).statusCode).toBe(403)
  await installation.account('00000000aa')
  const stranger = `Token ${await installation.token({ account: '00000000aa', scope: 'admin' })}`
  const response = await installation.call({ url, headers: { authorization: stranger } })
  expect(response.statusCode).toBe(404)
})
