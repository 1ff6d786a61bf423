import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { create } from '../../../engine/configuration/configuration-log.ts'
import {
  type Exemption,
  exemptionKey,
  exemptions,
  MAX_EXEMPTIONS,
} from '../../../engine/configuration/entities.ts'
import { DAY_MS, MINUTE_MS } from '../../../engine/times/duration.ts'
import {
  type Method,
  openProcessedInstallation,
  type ProcessedInstallation,
} from '../../../test/support/processed-installation.ts'
import type { TestInstallation } from '../../../test/support/test-installation.ts'
import { isoTime } from '../../http/iso-time.ts'

const NOWHERE = '00000000-0000-4000-8000-000000000000'
const WINDOW_MS = 3_600_000

let processed: ProcessedInstallation
let installation: TestInstallation

beforeAll(async () => {
  processed = await openProcessedInstallation()
  installation = processed.installation
})
afterEach(() => processed.removePipelines())
afterAll(() => processed.close())

const send = (method: Method, url: string, payload?: object) => processed.send(method, url, payload)

/** Status, pointer and text of a refusal. */
async function refusal(method: Method, url: string, payload?: object) {
  const { status, body } = await send(method, url, payload)
  return [status, body.errors?.[0]?.instancePath, body.errors?.[0]?.message ?? body.message]
}

interface Deployed {
  readonly pipeline: string
  /** Address of its throttle. */
  readonly url: string
  readonly throttle: string
  readonly filter: string
}

/** A pipeline that lets lines of each app pass twice an hour. */
async function newPipeline(options: object = { key_field: '.app' }, isPublished = true): Promise<Deployed> {
  const { id } = (await send('POST', '/v3/pipeline', { title: 'p' })).data
  const add = async (kind: string, type: string, inputs: string[], user_config: object = {}) =>
    (await send('POST', `/v3/pipeline/${id}/${kind}`, { type, inputs, user_config })).data.id
  const { id: source } = (await send('POST', `/v3/pipeline/${id}/source`, { type: 'log-analysis-ingestion' }))
    .data
  const throttle = await add('transform', 'throttle', [source], {
    threshold: 2,
    window_ms: WINDOW_MS,
    ...options,
  })
  const filter = await add('transform', 'drop-fields', [throttle], { fields: ['.none'] })
  await add('sink', 'mezmo', [filter])
  if (isPublished) {
    expect((await send('POST', `/v3/pipeline/${id}/publish`, {})).status).toBe(200)
    await processed.settled()
  }
  return { pipeline: id, throttle, filter, url: `/v3/pipeline/${id}/transform/${throttle}` }
}

const sendLines = (...apps: string[]) => processed.sendLines(apps.map(app => ({ line: 'line', app })))

test('the busiest buckets are listed, with the time at which events can pass again', async () => {
  const { url } = await newPipeline()
  const { clock } = installation
  const firstMs = clock.wallMs()
  await sendLines('web', 'web', 'web', 'db')
  clock.advance(1_500)
  const secondMs = clock.wallMs()
  await sendLines('db', '', 'odd / key')
  const { data, meta } = await send('GET', `${url}/bucket?limit=3`)
  const none = { key_sha256: null, exempt_until: null }
  expect(
    data.slice(0, 2).toSorted((a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)),
  ).toEqual([
    {
      bucket: 'key',
      key: 'db',
      passed: 2,
      oldest_at: isoTime(firstMs),
      newest_at: isoTime(secondMs),
      free_from: isoTime(firstMs + WINDOW_MS),
      ...none,
    },
    {
      bucket: 'key',
      key: 'web',
      passed: 2,
      oldest_at: isoTime(firstMs),
      newest_at: isoTime(firstMs),
      free_from: isoTime(firstMs + WINDOW_MS),
      ...none,
    },
  ])
  expect(data).toHaveLength(3)
  expect(data[2]).toMatchObject({ passed: 1, free_from: null })
  expect(meta.totals).toMatchObject({
    at: isoTime(secondMs),
    threshold: 2,
    window_ms: WINDOW_MS,
    buckets: 3,
    runs: 5,
  })
  expect(meta.type).toBe('bucket')
  expect((await send('GET', `${url}/bucket`)).data).toHaveLength(4)
  // Log time stands still because no event came. The answer shows the state that an event would meet now.
  clock.advance(firstMs + WINDOW_MS - clock.wallMs())
  expect((await send('GET', `${url}/bucket`)).data.map(({ passed }: { passed: number }) => passed)).toEqual([
    1, 1, 1,
  ])
})

test('one bucket is shown with its pass times, also that of events without a key', async () => {
  const { url } = await newPipeline()
  const { clock } = installation
  const firstMs = clock.wallMs()
  await sendLines('odd / key', 'odd / key', '')
  const { data } = await send('GET', `${url}/bucket/${encodeURIComponent('odd / key')}`)
  expect(data).toEqual({
    bucket: 'key',
    key: 'odd / key',
    key_sha256: null,
    passed: 2,
    oldest_at: isoTime(firstMs),
    newest_at: isoTime(firstMs),
    free_from: isoTime(firstMs + WINDOW_MS),
    exempt_until: null,
    runs: 1,
    passes: [{ at: isoTime(firstMs), count: 2 }],
  })
  expect((await send('GET', `${url}/bucket/-?default=true`)).data).toMatchObject({
    bucket: 'default',
    key: null,
    passed: 1,
    passes: [{ at: isoTime(firstMs), count: 1 }],
  })
  expect((await send('GET', `${url}/bucket/unknown`)).data).toMatchObject({
    bucket: 'key',
    passed: 0,
    oldest_at: null,
    free_from: null,
    runs: 0,
    passes: [],
  })
})

test('an exempt key passes, is shown, and is judged again when its exemption ends or is deleted', async () => {
  const { url } = await newPipeline()
  const { clock } = installation
  const startMs = clock.wallMs()
  const { data, meta } = await send('PUT', `${url}/exemption`, {
    key: 'web',
    minutes: 10,
    reason: 'an incident',
  })
  const record = {
    key: 'web',
    until: isoTime(startMs + 10 * MINUTE_MS),
    reason: 'an incident',
    created_at: isoTime(startMs),
    in_effect: null,
  }
  expect(data).toEqual(record)
  expect(meta.type).toBe('exemption')
  const until = isoTime(startMs + 5 * MINUTE_MS)
  await send('PUT', `${url}/exemption`, { key: null, until })
  await processed.settled()
  await sendLines('web', 'web', 'web', 'db', 'db', 'db', '', '', '')
  const buckets = (await send('GET', `${url}/bucket`)).data
  expect(buckets.map(({ key, passed }: { key: string; passed: number }) => [key, passed])).toEqual([
    ['db', 2],
  ])
  expect((await send('GET', `${url}/bucket/web`)).data).toMatchObject({
    passed: 0,
    exempt_until: record.until,
  })
  expect((await send('GET', `${url}/bucket/-?default=true`)).data.exempt_until).toBe(until)
  expect((await send('GET', `${url}/exemption`)).data).toEqual([
    record,
    { key: null, until, reason: '', created_at: isoTime(startMs), in_effect: null },
  ])
  const deleted = await send('DELETE', `${url}/exemption?key=web`)
  expect([deleted.status, deleted.data]).toEqual([200, { key: 'web', deleted: true }])
  expect(await refusal('DELETE', `${url}/exemption?key=web`)).toEqual([
    404,
    undefined,
    'The key is not exempt',
  ])
  await processed.settled()
  await sendLines('web', 'web', 'web')
  expect((await send('GET', `${url}/bucket/web`)).data).toMatchObject({ passed: 2, exempt_until: null })
  clock.advance(5 * MINUTE_MS)
  expect((await send('GET', `${url}/exemption`)).data).toEqual([])
  expect((await send('DELETE', `${url}/exemption?default=true`)).status).toBe(404)
  await sendLines('', '', '')
  expect((await send('GET', `${url}/bucket/-?default=true`)).data.passed).toBe(2)
})

test('an exemption never ends later than its last version says', async () => {
  const { url, pipeline, throttle } = await newPipeline()
  const { clock, configuration } = installation
  const startMs = clock.wallMs()
  await send('PUT', `${url}/exemption`, { key: 'web', minutes: 60 })
  await send('PUT', `${url}/exemption`, { key: 'web', minutes: 1 })
  const id = exemptionKey(pipeline, throttle, 'web')
  expect(configuration.get(exemptions, id)?.value).toMatchObject({
    untilMs: startMs + MINUTE_MS,
    lastMs: startMs + 60 * MINUTE_MS,
  })
  await processed.settled()
  clock.advance(MINUTE_MS)
  await sendLines('web', 'web', 'web')
  expect((await send('GET', `${url}/bucket/web`)).data.passed).toBe(2)
})

test('an invalid request is refused with its place', async () => {
  const { url, pipeline, filter } = await newPipeline()
  const put = (payload: object) => refusal('PUT', `${url}/exemption`, payload)
  const { clock } = installation
  const soonMs = clock.wallMs() + 1
  const lastMs = clock.wallMs() + 7 * DAY_MS
  expect(await put({ minutes: 1 })).toEqual([400, '', "must have required property 'key'"])
  expect(await put({ key: '', minutes: 1 })).toEqual([400, '/key', 'must NOT have fewer than 1 characters'])
  expect(await put({ key: 5, minutes: 1 })).toEqual([400, '/key', 'must be string,null'])
  expect((await put({ key: 'x'.repeat(8_193), minutes: 1 }))[1]).toBe('/key')
  expect((await send('PUT', `${url}/exemption`, { key: 'x'.repeat(8_192), minutes: 1 })).status).toBe(200)
  expect(await put({ key: 'web' })).toEqual([400, '', "must have required property 'minutes' or 'until'"])
  expect(await put({ key: 'web', minutes: 0 })).toEqual([400, '/minutes', 'must be >= 1'])
  expect(await put({ key: 'web', minutes: 10_081 })).toEqual([400, '/minutes', 'must be <= 10080'])
  expect((await send('PUT', `${url}/exemption`, { key: 'web', minutes: 10_080 })).status).toBe(200)
  const both = { key: 'web', minutes: 1, until: isoTime(soonMs) }
  expect(await put(both)).toEqual([400, '/until', 'must NOT be sent together with minutes'])
  expect((await put({ key: 'web', until: 'tomorrow' }))[1]).toBe('/until')
  expect(await put({ key: 'web', until: isoTime(soonMs - 1) })).toEqual([
    400,
    '/until',
    'must be in the future',
  ])
  expect((await send('PUT', `${url}/exemption`, { key: 'web', until: isoTime(soonMs) })).status).toBe(200)
  expect(await put({ key: 'web', until: isoTime(lastMs + 1) })).toEqual([
    400,
    '/until',
    'must be within 7 days from now',
  ])
  expect((await send('PUT', `${url}/exemption`, { key: 'web', until: isoTime(lastMs) })).status).toBe(200)
  expect((await put({ key: 'web', minutes: 1, reason: 'x'.repeat(1_001) }))[1]).toBe('/reason')
  expect((await put({ key: 'web', minutes: 1, more: 1 }))[0]).toBe(400)
  const remove = (query: string) => refusal('DELETE', `${url}/exemption${query}`)
  expect(await remove('')).toEqual([400, '', "must have required property 'key' or 'default'"])
  expect(await remove('?key=a&default=true')).toEqual([400, '/default', 'must NOT be sent together with key'])
  expect((await remove('?default=false'))[0]).toBe(400)
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'more=1'])
    expect([query, (await send('GET', `${url}/bucket?${query}`)).status]).toEqual([query, 400])
  expect((await send('GET', `${url}/bucket?limit=100`)).status).toBe(200)
  const ways: readonly (readonly [Method, string, object?])[] = [
    ['GET', 'exemption'],
    ['PUT', 'exemption', { key: 'web', minutes: 1 }],
    ['DELETE', 'exemption?key=web'],
    ['GET', 'bucket'],
    ['GET', 'bucket/web'],
  ]
  for (const [method, path, payload] of ways) {
    const of = (node: string, id = pipeline) =>
      refusal(method, `/v3/pipeline/${id}/transform/${node}/${path}`, payload)
    expect(await of(filter)).toEqual([
      400,
      undefined,
      'The processor is of type "drop-fields": only a throttle has buckets',
    ])
    expect(await of(NOWHERE)).toEqual([404, undefined, 'The processor does not exist'])
    expect((await of(filter, NOWHERE))[0]).toBe(404)
  }
})

test('a throttle without a key field has one bucket', async () => {
  const { url } = await newPipeline({})
  expect(await refusal('PUT', `${url}/exemption`, { key: 'web', minutes: 1 })).toEqual([
    400,
    '/key',
    'must be null: the throttle has no key_field',
  ])
  expect((await send('PUT', `${url}/exemption`, { key: null, minutes: 1 })).status).toBe(200)
})

test('a throttle that is not deployed has no buckets, but can have exemptions', async () => {
  const { url } = await newPipeline({ key_field: '.app' }, false)
  expect((await send('GET', `${url}/bucket`)).body).toMatchObject({ status: 409, code: 'ENOTPUBLISHED' })
  expect((await send('GET', `${url}/bucket/web`)).status).toBe(409)
  expect((await send('PUT', `${url}/exemption`, { key: 'web', minutes: 1 })).status).toBe(200)
})

test('the deployed throttle counts, even if the draft does not have it any more', async () => {
  const { url } = await newPipeline()
  await send('DELETE', url)
  expect((await send('PUT', `${url}/exemption`, { key: 'web', minutes: 1 })).status).toBe(200)
  expect((await send('GET', `${url}/bucket`)).status).toBe(200)
})

test('an account has a thousand exemptions: ended ones do not count, and all are deleted with their pipeline', async () => {
  const { url, pipeline, throttle } = await newPipeline()
  const { clock, configuration, credentials } = installation
  const startMs = clock.wallMs()
  const account = credentials.accountId
  const value = (key: string): Exemption => ({
    account,
    pipeline,
    node: throttle,
    key,
    untilMs: startMs + MINUTE_MS,
    lastMs: startMs + MINUTE_MS,
    reason: '',
    createdAtMs: startMs,
  })
  const keys = Array.from({ length: MAX_EXEMPTIONS - 1 }, (_, number) => `key-${number}`)
  await installation.write(
    ...keys.map(key => create(exemptions, exemptionKey(pipeline, throttle, key), value(key))),
  )
  const exempt = (key: string) => refusal('PUT', `${url}/exemption`, { key, minutes: 30 })
  expect((await exempt('last'))[0]).toBe(200)
  expect(await exempt('one more')).toEqual([
    400,
    undefined,
    'an account has at most 1000 exemptions; an exemption that was ended early counts until its original end',
  ])
  expect((await exempt('key-0'))[0]).toBe(200)
  clock.advance(MINUTE_MS + 3_600_000)
  expect((await exempt('one more'))[0]).toBe(200)
  const left = configuration.list(exemptions, account).map(({ value }) => value.key)
  expect(left.toSorted()).toEqual(['key-0', 'last', 'one more'])
  await send('DELETE', `/v3/pipeline/${pipeline}`)
  expect(configuration.list(exemptions, account)).toEqual([])
})

test('another account sees nothing, and a read-only caller changes nothing', async () => {
  const { url } = await newPipeline()
  const authorization = `Token ${await installation.user('readonly')}`
  const asReader = (method: Method, path: string, payload?: object) =>
    installation.call({ method, url: path, headers: { authorization }, ...(payload && { payload }) })
  expect((await asReader('GET', `${url}/exemption`)).statusCode).toBe(200)
  expect((await asReader('GET', `${url}/bucket`)).statusCode).toBe(200)
  expect((await asReader('PUT', `${url}/exemption`, { key: 'a', minutes: 1 })).statusCode).toBe(403)
  expect((await asReader('DELETE', `${url}/exemption?key=a`)).statusCode).toBe(403)
  await installation.account('00000000aa')
  const stranger = `Token ${await installation.token({ account: '00000000aa', scope: 'admin' })}`
  for (const path of ['exemption', 'bucket', 'bucket/a']) {
    const response = await installation.call({ url: `${url}/${path}`, headers: { authorization: stranger } })
    expect(response.statusCode).toBe(404)
  }
})
