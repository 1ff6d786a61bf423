import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../engine/clock/manual-clock.ts'
import { deployedConfiguration } from '../../../engine/configuration/deployed-cuts.ts'
import { revisions } from '../../../engine/configuration/entities.ts'
import { CATALOGUE } from '../../../engine/nodes/catalogue.ts'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

let installation: TestInstallation
let pipeline: string
let url: string

beforeEach(async () => {
  installation = await testInstallation()
  pipeline = (await send('POST', '/v3/pipeline', { title: 'P' })).data.id
  url = `/v3/pipeline/${pipeline}`
})
afterEach(() => installation.app.close())

async function send(method: Method, path: string, payload?: object) {
  const headers = { 'content-type': 'application/json' }
  const response = await installation.call({ method, url: path, ...(payload && { headers, payload }) })
  return { status: response.statusCode, body: response.json(), data: response.json().data }
}

const throttle = (threshold: number, inputs: string[] = []) => ({
  type: 'throttle',
  title: 'limit',
  description: 'so that nobody fills the store',
  inputs,
  user_config: { threshold, window_ms: 1000 },
})
const add = async (kind: string, node: object) =>
  (await send('POST', `${url}/${kind}`, node)).data.id as string
const publish = () => send('POST', `${url}/publish?allow_unconnected_edges=true`, {})
const diff = async (from: unknown, to: unknown) =>
  (await send('GET', `${url}/revision/${from}/diff/${to}`)).data

/** Two revisions: a throttle behind a source, then the same with another limit, and a second throttle. */
async function twoRevisions() {
  const source = await add('source', { type: 'log-analysis-ingestion' })
  const limit = await add('transform', throttle(1, [source]))
  await publish()
  await send('PUT', `${url}/transform/${limit}`, throttle(2, [source]))
  const second = await add('transform', { ...throttle(5, [limit]), title: 'second' })
  await publish()
  return { source, limit, second }
}

describe('revisions', () => {
  test('are listed newest first, with the deployed one', async () => {
    await twoRevisions()
    const { body, data } = await send('GET', `${url}/revision`)
    expect(body.meta).toMatchObject({ type: 'revision', page: { next: null, previous: null } })
    const { deployed_revision_id: runs } = (await send('GET', url)).data
    expect(data).toEqual([
      {
        id: runs,
        pipeline_id: pipeline,
        number: 2,
        title: 'P',
        created_at: new Date(installation.clock.wallMs()).toISOString(),
        nodes: 3,
        deployed: true,
        loaded: false,
      },
      expect.objectContaining({ number: 1, nodes: 2, deployed: false }),
    ])
    expect((await send('GET', `${url}/revision/1`)).data).toMatchObject({
      number: 1,
      nodes: [
        { kind: 'source', inputs: [] },
        { kind: 'transform', description: 'so that nobody fills the store', user_config: { threshold: 1 } },
      ],
    })
  })

  test('that do not exist are 404, and so are those of another pipeline', async () => {
    await twoRevisions()
    const other = (await send('POST', '/v3/pipeline', { title: 'Q' })).data.id
    for (const path of [
      `${url}/revision/3`,
      `${url}/revision/0`,
      `${url}/revision/01`,
      `${url}/revision/draft`,
      `${url}/revision/1/diff/3`,
      `${url}/revision/x/diff/1`,
      `/v3/pipeline/${other}/revision/1`,
    ])
      expect([path, (await send('GET', path)).status]).toEqual([path, 404])
    expect((await send('POST', `${url}/revision/9/restore`)).status).toBe(404)
    expect((await send('GET', `/v3/pipeline/${other}/revision`)).data).toEqual([])
  })

  test('have differences to each other and to the draft', async () => {
    const { limit, second } = await twoRevisions()
    const { nodes, text } = await diff(1, 2)
    expect(nodes).toEqual([
      {
        change: 'changed',
        kind: 'transform',
        id: limit,
        type: 'throttle',
        title: 'limit',
        members: [{ path: '/user_config/threshold', before: 1, after: 2 }],
      },
      { change: 'added', kind: 'transform', id: second, type: 'throttle', title: 'second', members: [] },
    ])
    expect(text).toEqual([
      `~ transform throttle "limit" (${limit})`,
      '    ~ /user_config/threshold 1 → 2',
      `+ transform throttle "second" (${second})`,
    ])
    expect((await diff(2, 1)).text).toContain(`- transform throttle "second" (${second})`)
    expect((await diff(2, 'draft')).nodes).toEqual([])
    await send('PUT', `${url}/transform/${second}`, {
      ...throttle(5, [limit]),
      title: 'second',
      user_config: { threshold: 5, window: '1s', key_field: '.app' },
    })
    expect((await diff(2, 'draft')).text.slice(1)).toEqual([
      '    - /user_config/window_ms 1000',
      '    + /user_config/window "1s"',
      '    + /user_config/key_field ".app"',
    ])
  })

  test('are restored completely, and published as a new one', async () => {
    const { source, limit, second } = await twoRevisions()
    const before = (await send('GET', `${url}/source/${source}`)).data
    const { status, data } = await send('POST', `${url}/revision/1/restore`)
    expect([status, data.has_changes]).toEqual([200, true])
    expect((await send('GET', `${url}/transform/${second}`)).status).toBe(404)
    expect((await send('GET', `${url}/transform/${limit}`)).data).toMatchObject({
      description: 'so that nobody fills the store',
      generation_id: 2,
      inputs: [source],
      user_config: { threshold: 1 },
    })
    expect((await send('GET', `${url}/source/${source}`)).data).toEqual(before)
    expect((await publish()).status).toBe(200)
    expect((await send('GET', `${url}/revision`)).data).toMatchObject([
      { number: 3 },
      { number: 2 },
      { number: 1 },
    ])
    expect((await diff(1, 3)).nodes).toEqual([])

    // Restoring the later revision brings the deleted node back under its old id.
    await send('POST', `${url}/revision/2/restore`)
    expect((await send('GET', `${url}/transform/${second}`)).data).toMatchObject({
      inputs: [limit],
      generation_id: 0,
    })
    await send('POST', `${url}/revision/3/restore`)
    expect((await publish()).body.code).toBe('ENOCHANGES')
  })

  test('are deleted with their pipeline', async () => {
    await twoRevisions()
    const { accountId } = installation.credentials
    expect(installation.configuration.count(revisions, accountId)).toBe(2)
    await send('DELETE', url)
    expect((await send('GET', `${url}/revision`)).status).toBe(404)
    expect(installation.configuration.count(revisions, accountId)).toBe(0)
  })
})

describe('acts on a pipeline without a dry run had their effect when they were asked for one', () => {
  const ACTS: readonly (readonly [act: string, method: 'POST' | 'DELETE', path: string, query: string])[] = [
    ['a deletion', 'DELETE', '', ''],
    ['a resumption', 'POST', '/resume', ''],
    ['a restoration', 'POST', '/revision/1/restore', ''],
    ['a publication', 'POST', '/publish', 'allow_unconnected_edges=true&'],
  ]

  const state = async () => [
    (await send('GET', url)).body,
    (await send('GET', `${url}/export?format=json`)).body,
  ]

  test.each(ACTS)(
    '%s is refused with a query parameter that it does not take',
    async (act, method, path, query) => {
      await twoRevisions()
      await add('sink', { type: 'blackhole' })
      if (act === 'a resumption') await send('POST', `${url}/pause`)
      const before = await state()
      for (const name of ['dry_run', 'dryrun', 'x']) {
        const { status, body } = await send(method, `${url}${path}?${query}${name}=true`)
        expect([name, status]).toEqual([name, 400])
        expect(JSON.stringify(body)).toContain(`/${name} must NOT be a query parameter`)
      }
      expect(await state()).toEqual(before)
      expect((await send(method, `${url}${path}?${query}`)).status).toBe(200)
      expect(await state()).not.toEqual(before)
    },
  )
})

describe('a pause', () => {
  const cut = () => {
    const found = [...deployedConfiguration(CATALOGUE, installation.configuration).cuts()].find(
      each => each.cut.entity === pipeline,
    )
    return { version: found?.cut.version, ...JSON.parse(found?.cut.payload ?? 'null') }
  }

  test('is shown in the status and sent to the partitions, and a repeat changes nothing', async () => {
    await twoRevisions()
    for (let times = 0; times < 2; times++) {
      const { status, data } = await send('POST', `${url}/pause`, {})
      expect([status, data.processing_status, data.has_changes]).toEqual([200, 'paused', false])
    }
    expect(cut()).toMatchObject({ version: 3, revision: 2, paused: true })
    expect((await send('GET', url)).data.processing_status).toBe('paused')
    for (let times = 0; times < 2; times++) {
      const { status, data } = await send('POST', `${url}/resume`)
      expect([status, data.processing_status]).toEqual([200, 'enabled'])
    }
    expect(cut()).toMatchObject({ version: 4, revision: 2 })
    expect(cut().paused).toBeUndefined()
  })

  /** Another pipeline, published with one source of a type. */
  const published = async (type: string) => {
    const { id } = (await send('POST', '/v3/pipeline', { title: type })).data
    await send('POST', `/v3/pipeline/${id}/source`, { type })
    await send('POST', `/v3/pipeline/${id}/publish?allow_unconnected_edges=true`, {})
    return `/v3/pipeline/${id}`
  }
  const effectsOf = async (path: string) =>
    (await send('POST', path)).body.meta.effects.map(({ code }: { code: string }) => code)

  test('of the only pipeline on log ingestion reports that lines are stored unfiltered, and a dry run changes nothing', async () => {
    await twoRevisions()
    const before = cut()
    const { status, body } = await send('POST', `${url}/pause?dry_run=true`, {})
    expect(status).toBe(200)
    const running = (await send('GET', url)).data
    expect(body.data).toEqual({ ...running, processing_status: 'paused', pause_mode: 'store' })
    expect(body.meta.effects).toEqual([
      { code: 'INGESTION_UNFILTERED', message: expect.stringContaining('unfiltered and unthrottled') },
    ])
    expect(cut()).toEqual(before)
    expect((await send('GET', url)).data.processing_status).toBe('enabled')
    for (let times = 0; times < 2; times++) {
      const paused = (await send('POST', `${url}/pause`, {})).body
      expect(paused.meta).toEqual(body.meta)
      expect(paused.data).toEqual((await send('GET', url)).data)
    }
    expect((await send('POST', `${url}/resume`)).body.meta.effects).toBeUndefined()
    expect((await send('POST', `${url}/pause?dry_run=yes`, {})).status).toBe(400)
  })

  test.each(['dryrun', 'dry-run', 'DRY_RUN', 'x'])(
    'a misspelled dry run paused the pipeline: ?%s=true is refused by its name',
    async name => {
      await twoRevisions()
      const before = cut()
      for (const query of [`${name}=true`, `dry_run=true&${name}=true`]) {
        const { status, body } = await send('POST', `${url}/pause?${query}`, {})
        expect(status).toBe(400)
        expect(JSON.stringify(body)).toContain(`/${name} must NOT be a query parameter`)
      }
      expect(cut()).toEqual(before)
      expect((await send('GET', url)).data.processing_status).toBe('enabled')
    },
  )

  test('does not report it while another running pipeline reads log ingestion, and reports it once that is paused, too', async () => {
    await twoRevisions()
    const webhook = await published('http')
    expect(await effectsOf(`${webhook}/pause`)).toEqual([])
    expect(await effectsOf(`${url}/pause?dry_run=true`)).toEqual(['INGESTION_UNFILTERED'])
    const other = await published('log-analysis-ingestion')
    expect(await effectsOf(`${url}/pause?dry_run=true`)).toEqual([])
    expect(await effectsOf(`${other}/pause`)).toEqual([])
    expect(await effectsOf(`${url}/pause?dry_run=true`)).toEqual(['INGESTION_UNFILTERED'])
    await send('POST', `${other}/resume`)
    expect(await effectsOf(`${url}/pause?dry_run=true`)).toEqual([])
    await send('DELETE', other)
    expect(await effectsOf(`${url}/pause?dry_run=true`)).toEqual(['INGESTION_UNFILTERED'])
  })

  test('depends on the deployed revision, not on the draft', async () => {
    const { source } = await twoRevisions()
    await send('DELETE', `${url}/source/${source}`)
    expect(await effectsOf(`${url}/pause?dry_run=true`)).toEqual(['INGESTION_UNFILTERED'])
    await publish()
    expect(await effectsOf(`${url}/pause?dry_run=true`)).toEqual([])
  })

  test('has a mode, which is shown, stays without another one, and can be changed', async () => {
    await twoRevisions()
    const modeOf = async (act: string) => {
      const { status, data } = await send('POST', `${url}${act}`, {})
      expect([status, data]).toEqual([200, (await send('GET', url)).data])
      expect(data.processing_status).toBe(data.pause_mode === undefined ? 'enabled' : 'paused')
      return data.pause_mode
    }
    expect((await send('GET', url)).data.pause_mode).toBeUndefined()
    expect(await modeOf('/pause?mode=drop')).toBe('drop')
    expect(cut()).toMatchObject({ version: 3, paused: true, drops: true })
    expect(await modeOf('/pause')).toBe('drop')
    expect(cut().version).toBe(3)
    expect(await modeOf('/pause?mode=hold')).toBe('hold')
    expect([cut().version, cut().paused, cut().drops]).toEqual([4, undefined, undefined])
    expect((await publish()).body.code).toBe('ECONFLICT')
    expect(await modeOf('/pause?mode=store')).toBe('store')
    expect([cut().version, cut().paused, cut().drops]).toEqual([5, true, undefined])
    expect(await modeOf('/resume')).toBeUndefined()
    expect(await modeOf('/pause')).toBe('store')
    const { status, body } = await send('POST', `${url}/pause?mode=keep`, {})
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('mode')])
    expect((await send('PUT', url, (await send('GET', url)).data)).status).toBe(200)
  })

  test('is in the audit with its mode', async () => {
    await twoRevisions()
    for (const mode of ['store', 'hold', 'drop']) await send('POST', `${url}/pause?mode=${mode}`, {})
    await send('POST', `${url}/resume`)
    const { events } = (await send('GET', '/v1/config/audit?kind=deployment')).body
    const members = ({ paused, held, drops }: Record<string, unknown>) => ({ paused, held, drops })
    expect(events.slice(0, 4).map(({ after }: { after: Record<string, unknown> }) => members(after))).toEqual(
      [{}, { paused: true, drops: true }, { held: true }, { paused: true }],
    )
  })

  test('with another mode reports what becomes of lines and of their senders', async () => {
    await twoRevisions()
    const sentenceOf = async (path: string) => {
      const { effects } = (await send('POST', `${path}&dry_run=true`, {})).body.meta
      return effects.map(({ code, message }: { code: string; message: string }) => `${code}: ${message}`)
    }
    const held = (rest: string) => [
      `SENDERS_HELD: Until this pipeline is resumed, requests to ${rest.replace('|', ' are answered 503, and their senders must keep the data')}`,
    ]
    const dropped = (what: string) => [
      `LINES_DROPPED: No other running pipeline reads ${what}: until this one is resumed, everything that is sent there is dropped`,
    ]
    expect(await sentenceOf(`${url}/pause?mode=hold`)).toEqual(held('log ingestion|'))
    expect(await sentenceOf(`${url}/pause?mode=drop`)).toEqual(dropped('log ingestion'))
    const webhook = await published('http')
    expect(await sentenceOf(`${webhook}/pause?mode=hold`)).toEqual(held('its gateway route|'))
    expect(await sentenceOf(`${webhook}/pause?mode=drop`)).toEqual(dropped('its gateway route'))
    const other = await published('log-analysis-ingestion')
    expect(await sentenceOf(`${url}/pause?mode=drop`)).toEqual([])
    expect(await sentenceOf(`${url}/pause?mode=hold`)).toEqual(
      held('log ingestion|: pipelines that read the same get none either ("log-analysis-ingestion")'),
    )
    // A pause that drops lines takes them, so nothing is unfiltered beside it. Nothing handles them either.
    await send('POST', `${other}/pause?mode=drop`)
    expect(await sentenceOf(`${url}/pause?mode=store`)).toEqual([])
    expect(await sentenceOf(`${url}/pause?mode=drop`)).toEqual(dropped('log ingestion'))
    expect(await sentenceOf(`${url}/pause?mode=hold`)).toEqual(held('log ingestion|'))
  })

  test('refuses publications, and the numbers of revisions have no gap', async () => {
    const { limit, source } = await twoRevisions()
    await send('POST', `${url}/pause`)
    await send('PUT', `${url}/transform/${limit}`, throttle(9, [source]))
    const { status, body } = await publish()
    expect([status, body.code]).toEqual([409, 'ECONFLICT'])
    expect(body.message).toContain('resume')
    await send('POST', `${url}/resume`)
    expect((await publish()).status).toBe(200)
    expect((await send('GET', `${url}/revision`)).data).toMatchObject([
      { number: 3, deployed: true },
      { number: 2, deployed: false },
      { number: 1 },
    ])
    expect(cut()).toMatchObject({ version: 5, revision: 3 })
  })

  test('needs a deployment', async () => {
    for (const path of ['pause', 'pause?dry_run=true', 'resume']) {
      const { status, body } = await send('POST', `${url}/${path}`)
      expect([status, body.code]).toEqual([409, 'ENOTPUBLISHED'])
      expect((await send('POST', `/v3/pipeline/nowhere/${path}`)).status).toBe(404)
    }
  })
})

describe('publishing again and again, which filled the memory of every process', () => {
  const numbers = async (of = url) =>
    (await send('GET', `${of}/revision`)).data.map(({ number }: { number: number }) => number)

  test('keeps the newest hundred revisions of a pipeline, and goes on counting', async () => {
    const limit = await add('transform', throttle(1))
    for (let threshold = 2; threshold <= 103; threshold++) {
      await send('PUT', `${url}/transform/${limit}`, throttle(threshold))
      expect((await publish()).status).toBe(200)
    }
    expect(await numbers()).toEqual(Array.from({ length: 100 }, (_, index) => 102 - index))
    expect((await send('GET', `${url}/revision/2`)).status).toBe(404)
    expect((await send('POST', `${url}/revision/3/restore`)).status).toBe(200)
  })

  test('keeps as many of an account as its objects may be long, and all that are deployed', async () => {
    await installation.app.close()
    installation = await testInstallation({}, { accountCharacters: 10_000 })
    const long = (index: number) => ({ ...throttle(index), description: 'd'.repeat(2_000) })
    const urls: string[] = []
    for (const title of ['P', 'Q']) {
      url = `/v3/pipeline/${(await send('POST', '/v3/pipeline', { title })).data.id}`
      urls.push(url)
      const limit = await add('transform', long(1))
      await publish()
      if (title === 'P') continue
      for (const threshold of [2, 3, 4, 5, 6, 7]) {
        await send('PUT', `${url}/transform/${limit}`, long(threshold))
        expect((await publish()).status).toBe(200)
      }
    }
    expect([await numbers(urls[0]), await numbers(urls[1])]).toEqual([[1], [7, 6, 5, 4, 3]])
  })
})

test('a restoration compares each node in a turn of its own, so that other requests do not wait for all of them', async () => {
  await installation.app.close()
  let reads = 0
  // Every step of a comparison ends its turn.
  installation = await testInstallation({ clock: { ...manualClock(), monotonicMs: () => ++reads * 5 } })
  const nodes = Array.from({ length: 50 }, (_, index) => ({
    name: `n${index}`,
    type: 'throttle',
    config: { threshold: 1, window_ms: 1000 },
  }))
  const file = { weir: 'pipeline/1', title: 'P', processors: nodes }
  url = `/v3/pipeline/${(await send('PUT', '/v3/pipeline/import', file)).data.id}`
  await publish()
  const { id } = (await send('GET', `${url}/graph`)).data.nodes[0]
  await send('PUT', `${url}/transform/${id}`, throttle(2))
  let turns = 0
  const answered = send('POST', `${url}/revision/1/restore`, {})
  const isOver = answered.then(() => true)
  while (!(await Promise.race([isOver, setImmediate(false)]))) turns++
  expect((await answered).data.has_changes).toBe(false)
  expect(turns).toBeGreaterThan(nodes.length)
})
