import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import { lineRules } from '../../engine/configuration/kinds/line-rules.ts'
import { quotaStates } from '../../engine/configuration/kinds/quotas.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { StoreError } from '../../engine/store/store.ts'
import type { ExclusionCut } from '../../schemas/log/cuts.ts'
import { EMPTY_STORE, type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

let installation: TestInstallation

beforeAll(async () => {
  installation = await testInstallation()
})
afterAll(() => installation.app.close())

async function call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown) {
  const options = body === undefined ? {} : { payload: body as object }
  const { statusCode, body: text } = await installation.call({ method, url, ...options })
  return { status: statusCode, body: JSON.parse(text), text }
}

async function problems(method: 'POST' | 'PUT' | 'PATCH', url: string, body: unknown): Promise<string[]> {
  const { status, body: answer } = await call(method, url, body)
  expect(status).toBe(400)
  expect(answer).toMatchObject({ code: 'BadRequest', status: 'error' })
  return answer.details.map(({ message }: { message: string }) => message)
}

const EXCLUSION = { title: 'noise', active: true, apps: ['app-1'], hosts: ['host-1'], query: 'foo bar' }
const RETENTION = { name: 'debug', priority: 1, days: 3, level: 'debug' }

describe.each([
  ['/v1/config/ingestion/exclusions', EXCLUSION, { ...EXCLUSION, indexonly: true }],
  ['/v1/config/stream/exclusions', EXCLUSION, EXCLUSION],
  [
    '/v1/config/retention-rules',
    RETENTION,
    { ...RETENTION, active: false, host: '', app: '', level: 'debug', query: '' },
  ],
])('%s', (path, sent, expected) => {
  test('rules are created, read, changed and removed', async () => {
    const created = await call('POST', path, { ...sent, unknown: 1, id: 'mine' })
    expect(created.status).toBe(200)
    const { id } = created.body
    expect(id).toMatch(/^[0-9a-f]{10}$/)
    expect(created.body).toEqual({ id, ...expected })
    const second = await call('POST', path, sent)
    expect((await call('GET', path)).body).toEqual([created.body, second.body])
    expect((await call('GET', `${path}/${id}`)).body).toEqual(created.body)
    const changed = await call('PATCH', `${path}/${id}`, { query: 'other', id: 'mine' })
    expect(changed).toMatchObject({ status: 200, body: { ...created.body, query: 'other' } })
    expect((await call('GET', `${path}/${id}`)).body).toEqual(changed.body)
    // A rule from a list can be sent back unchanged.
    expect((await call('PATCH', `${path}/${id}`, changed.body)).body).toEqual(changed.body)
    for (const rule of [id, second.body.id])
      expect(await call('DELETE', `${path}/${rule}`)).toMatchObject({ status: 200, text: '{"deleted":true}' })
    expect((await call('GET', path)).text).toBe('[]')
  })

  test('an unknown rule is not found', async () => {
    for (const method of ['GET', 'DELETE'] as const)
      expect(await call(method, `${path}/0123456789`)).toMatchObject({
        status: 404,
        body: { code: 'NotFound' },
      })
    expect((await call('PATCH', `${path}/0123456789`, { query: 'a' })).status).toBe(404)
  })

  test('an account sees only its own rules', async () => {
    const { body } = await call('POST', path, sent)
    await installation.account(`${path.length}`.padStart(10, '0'))
    const other = await installation.token({ account: `${path.length}`.padStart(10, '0') })
    const asked = (url: string) => installation.call({ url, headers: { authorization: `Token ${other}` } })
    expect((await asked(path)).body).toBe('[]')
    expect((await asked(`${path}/${body.id}`)).statusCode).toBe(404)
    await call('DELETE', `${path}/${body.id}`)
  })

  test('an unreadable query is refused', async () => {
    expect(await problems('POST', path, { ...sent, query: 'a AND' })).toEqual([
      expect.stringMatching(/^"query" has a dangling AND/),
    ])
  })
})

test("simultaneous writers do not revert each other's changes", async () => {
  const path = '/v1/config/ingestion/exclusions'
  const created = await Promise.all(
    Array.from({ length: 8 }, (_, number) => call('POST', path, { ...EXCLUSION, title: `${number}` })),
  )
  const titles = (await call('GET', path)).body.map(({ title }: { title: string }) => title)
  expect(titles.toSorted()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  for (const { body } of created) await call('DELETE', `${path}/${body.id}`)
})

describe('an exclusion rule', () => {
  const path = '/v1/config/ingestion/exclusions'
  const nothing = '"value" must contain at least one of [apps, hosts, query]'

  test('has a condition, even after a change', async () => {
    expect(await problems('POST', path, {})).toEqual([nothing])
    for (const query of ['', '  ', '\t\n'])
      expect(await problems('POST', path, { title: 'a', apps: [], hosts: [], query })).toEqual([nothing])
    const { body } = await call('POST', path, { apps: ['a'] })
    expect(body).toEqual({
      id: body.id,
      title: '',
      active: false,
      apps: ['a'],
      hosts: [],
      query: '',
      indexonly: true,
    })
    expect(await problems('PATCH', `${path}/${body.id}`, { apps: [] })).toEqual([nothing])
    expect(await problems('PATCH', `${path}/${body.id}`, { apps: [], query: ' ' })).toEqual([nothing])
    const wrong = { title: 5, apps: [] }
    const both = ['"title" must be a string', nothing]
    expect(await problems('PATCH', `${path}/${body.id}`, wrong)).toEqual(both)
    expect(await problems('PATCH', `${path}/${body.id}`, { title: 5 })).toEqual(both.slice(0, 1))
    expect(await problems('PATCH', `${path}/ffffffffff`, wrong)).toEqual(both.slice(0, 1))
    const streamed = '/v1/config/stream/exclusions'
    const { id } = (await call('POST', streamed, { apps: ['a'] })).body
    expect(await problems('PATCH', `${streamed}/${id}`, wrong)).toEqual(both)
    const changed = await call('PATCH', `${path}/${body.id}`, { apps: [], hosts: ['b'], indexonly: false })
    expect(changed.body).toMatchObject({ apps: [], hosts: ['b'], indexonly: false })
  })

  test.each([path, '/v1/config/stream/exclusions'])(
    'without a condition is refused together with its other findings: %s',
    async url => {
      expect(await problems('POST', url, { title: 5, apps: [], query: ' ' })).toEqual([
        '"title" must be a string',
        nothing,
      ])
    },
  )

  test('informs partitions whether it drops lines entirely', async () => {
    const { body } = await call('POST', path, { apps: ['a'], active: true, indexonly: false })
    const isReported = () => {
      const cuts = [...deployedConfiguration(CATALOGUE, installation.configuration).cuts()]
      const { exclusions } = JSON.parse(
        cuts.find(({ cut }) => cut.kind === 'line-rules')?.cut.payload ?? '{}',
      )
      return (exclusions as ExclusionCut[]).find(({ id }) => id === body.id)?.entirely
    }
    expect(isReported()).toBe(true)
    await call('PATCH', `${path}/${body.id}`, { indexonly: true })
    expect(isReported()).toBe(false)
    await call('DELETE', `${path}/${body.id}`)
  })

  test('is refused with all findings', async () => {
    const wrong = { title: 5, active: 'yes', apps: 'a', hosts: [1, ''], query: null, indexonly: 'no' }
    expect(await problems('POST', path, wrong)).toEqual([
      '"title" must be a string',
      '"active" must be a boolean',
      '"apps" must be an array',
      '"hosts[0]" must be a string',
      '"hosts[1]" is not allowed to be empty',
      '"query" must be a string',
      '"indexonly" must be a boolean',
    ])
    const many = Array.from({ length: 1_001 }, (_, number) => `${number}`)
    expect(await problems('POST', path, { apps: many })).toEqual([
      '"apps" must contain less than or equal to 1000 items',
    ])
  })

  test('is one of at most a hundred, and all together fit into a record', async () => {
    const account = installation.credentials.accountId
    const write = (rules: number, query: string) => {
      const before = installation.configuration.get(lineRules, account)
      const exclusions = Array.from({ length: rules }, (_, index) => {
        return { ...EXCLUSION, id: `${index}`.padStart(10, '0'), indexonly: true, query }
      })
      const value = { account, exclusions, streamExclusions: [], retentionRules: [] }
      return installation.write({
        kind: lineRules,
        id: account,
        expectedVersion: before?.version ?? 0,
        value,
      })
    }
    await write(100, 'a')
    expect(await call('POST', path, EXCLUSION)).toMatchObject({
      status: 400,
      body: { error: 'an account has at most 100 rules of one kind', code: 'BadRequest' },
    })
    await write(60, 'a'.repeat(6_000))
    await call('POST', path, { ...EXCLUSION, query: 'a'.repeat(8_000) })
    for (let rule = 0; rule < 4; rule++) await call('POST', path, { ...EXCLUSION, query: 'a'.repeat(8_000) })
    expect(await call('POST', path, { ...EXCLUSION, query: 'a'.repeat(8_000) })).toMatchObject({
      status: 400,
      body: { error: 'the rules of an account must not exceed 400000 characters in total' },
    })
    await write(0, '')
  })
})

test('a retention rule has a name, conditions and a number of days', async () => {
  const path = '/v1/config/retention-rules'
  expect(await problems('POST', path, {})).toEqual([
    '"name" is required',
    '"priority" is required',
    '"days" is required',
    '"value" must contain at least one of [host, app, level, query]',
  ])
  expect(await problems('POST', path, { name: '', priority: -1, days: 0, app: '', query: ' ' })).toEqual([
    '"name" is not allowed to be empty',
    '"priority" must be greater than or equal to 0',
    '"days" must be greater than or equal to 1',
    '"value" must contain at least one of [host, app, level, query]',
  ])
  expect(await problems('POST', path, { name: 'a', priority: 1.5, days: 3_651, host: 'h' })).toEqual([
    '"priority" must be a number',
    '"days" must be less than or equal to 3650',
  ])
  const { id } = (await call('POST', path, RETENTION)).body
  expect(await problems('PATCH', `${path}/${id}`, { name: '', level: '' })).toEqual([
    '"name" is not allowed to be empty',
    '"value" must contain at least one of [host, app, level, query]',
  ])
  await call('DELETE', `${path}/${id}`)
  expect(await problems('POST', path, { name: 'a', priority: 1, days: 3 })).toEqual([
    '"value" must contain at least one of [host, app, level, query]',
  ])
})

test('a saved rule with more days than an account can have stays, and keeps its days', async () => {
  const path = '/v1/config/retention-rules'
  const account = installation.credentials.accountId
  const saved = { ...RETENTION, id: '28106de8c5', days: 40_000, active: true, host: '', app: '', query: '' }
  const { configuration } = installation
  const before = configuration.get(lineRules, account)
  const value = { account, exclusions: [], streamExclusions: [], retentionRules: [saved] }
  await installation.write({ kind: lineRules, id: account, expectedVersion: before?.version ?? 0, value })
  expect((await call('GET', path)).body).toEqual([saved])
  const changed = { ...saved, name: 'kept' }
  expect(await call('PATCH', `${path}/${saved.id}`, changed)).toMatchObject({ status: 200, body: changed })
  const tooMany = '"days" must be less than or equal to 3650'
  expect(await problems('PATCH', `${path}/${saved.id}`, { days: 40_001 })).toEqual([tooMany])
  expect(await problems('PATCH', `${path}/${saved.id}`, { days: 3_651, name: '' })).toEqual([
    '"name" is not allowed to be empty',
    tooMany,
  ])
  expect(await problems('POST', path, { ...RETENTION, days: 40_000 })).toEqual([tooMany])
  expect((await call('PATCH', `${path}/${saved.id}`, { days: 3_650 })).body).toEqual({
    ...changed,
    days: 3_650,
  })
  expect((await call('DELETE', `${path}/${saved.id}`)).status).toBe(200)
})

describe('quotas', () => {
  const path = '/v1/config/usage-quotas'
  const rule = { percent: 80, apps: ['a'], hosts: [], query: '', indexonly: true, active: true }
  const none = { limit: 0, discard: false, rules: [], used: 0, in_force: null }

  test('are absent until they are set, and replaced as a whole', async () => {
    expect((await call('GET', path)).body).toEqual({ daily: none, monthly: none })
    const daily = { limit: 1_000, discard: true, rules: [rule] }
    const answer = { daily: { ...daily, used: 0, in_force: null }, monthly: none }
    expect((await call('PUT', path, { daily, other: 1 })).body).toEqual(answer)
    expect((await call('GET', path)).body).toEqual(answer)
    expect((await call('PUT', path, { monthly: { limit: 5 } })).body).toEqual({
      daily: none,
      monthly: { ...none, limit: 5 },
    })
  })

  test('that change a limit switch off its rules, and only them', async () => {
    await call('PUT', path, {})
    const both = { daily: { limit: 10, rules: [rule] }, monthly: { limit: 20, rules: [rule] } }
    await call('PUT', path, both)
    const { body } = await call('PUT', path, { ...both, monthly: { limit: 21, rules: [rule] } })
    expect(body.daily.rules).toEqual([rule])
    expect(body.monthly.rules).toEqual([{ ...rule, active: false }])
    const again = await call('PUT', path, { ...both, monthly: { limit: 21, rules: [rule] } })
    expect(again.body.monthly.rules).toEqual([rule])
  })

  test('show their present effects', async () => {
    const { clock, credentials } = installation
    const account = credentials.accountId
    const untilMs = clock.wallMs() + 1_000
    const inForce = [
      {
        period: 'daily' as const,
        untilMs,
        discards: true,
        rules: [
          { ...rule, number: 2 },
          { ...rule, number: 3, indexonly: false },
        ],
      },
      { period: 'monthly' as const, untilMs: clock.wallMs(), discards: true, rules: [] },
    ]
    await installation.write({
      kind: quotaStates,
      id: account,
      expectedVersion: 0,
      value: { account, inForce },
    })
    const { body } = await call('GET', path)
    const until = new Date(untilMs).toISOString()
    expect(body.daily.in_force).toEqual({ until, discard: true, rules: [2, 3] })
    expect(body.monthly.in_force).toBeNull()
    const cuts = [...deployedConfiguration(CATALOGUE, installation.configuration).cuts()]
    expect(JSON.parse(cuts.find(({ cut }) => cut.kind === 'quota')?.cut.payload ?? '{}')).toMatchObject({
      periods: [
        {
          rules: [
            { number: 2, entirely: false },
            { number: 3, entirely: true },
          ],
        },
        {},
      ],
    })
  })

  describe('are applied at once', () => {
    let own: TestInstallation
    let stored: number
    const waitedFor: [string, number][] = []
    const put = async (body: object) => (await own.call({ method: 'PUT', url: path, payload: body })).json()

    beforeEach(async () => {
      stored = 0
      waitedFor.length = 0
      own = await testInstallation({
        store: {
          ...EMPTY_STORE,
          usageTotals: async () => [{ poolDays: 1, bytes: stored, lines: 1 }],
        },
        inEffect: {
          cutVersion: () => undefined,
          versionOnLog: () => undefined,
          whenInEffect: async (_account, kind, _entity, version) => {
            waitedFor.push([kind, version])
            return true
          },
        },
      })
    })
    afterEach(() => own.app.close())

    test('from the stored amount, and the answer waits until the next line meets the result', async () => {
      stored = 10
      const full = await put({ daily: { limit: 10, discard: true } })
      expect(full.daily.in_force).toMatchObject({ discard: true, rules: [] })
      expect(full.daily.used).toBe(10)
      const version = () => own.configuration.get(quotaStates, own.credentials.accountId)?.version
      const first = ['quota', version()]
      expect(waitedFor).toEqual([first])
      const raised = await put({ daily: { limit: 11, discard: true } })
      expect(raised.daily.in_force).toBeNull()
      expect(waitedFor).toEqual([first, ['quota', version()]])
      await put({ daily: { limit: 12, discard: true } })
      expect(waitedFor).toHaveLength(2) // there is no effect to wait for
    })

    test('when a limit is removed', async () => {
      stored = 10
      await put({ monthly: { limit: 10, discard: true } })
      expect((await put({})).monthly).toEqual({ ...none, used: 10 })
      const state = own.configuration.get(quotaStates, own.credentials.accountId)
      expect(state?.value.inForce).toEqual([])
    })

    test('and are set while the store is unavailable, without an immediate effect', async () => {
      own.ports.store!.usageTotals = async () => {
        throw new StoreError('UNAVAILABLE', 'away', { retriable: true })
      }
      const { daily } = await put({ daily: { limit: 10, discard: true } })
      expect(daily).toEqual({ limit: 10, discard: true, rules: [], used: null, in_force: null })
    })
  })

  test('are refused with all findings', async () => {
    const daily = { limit: -1, discard: 1, rules: [{ percent: 101, active: 'x' }, {}, {}, {}, {}, {}] }
    expect(await problems('PUT', path, { daily, monthly: [] })).toEqual(
      expect.arrayContaining([
        '"daily.limit" must be greater than or equal to 0',
        '"daily.discard" must be a boolean',
        '"daily.rules" must contain less than or equal to 5 items',
        '"daily.rules[0].percent" must be less than or equal to 100',
        '"daily.rules[0].active" must be a boolean',
        '"daily.rules[1].percent" is required',
        '"monthly" must be of type object',
      ]),
    )
    const unreadable = [{ percent: 0 }, { percent: 5, query: '(' }]
    expect(await problems('PUT', path, { monthly: { rules: unreadable } })).toEqual([
      '"monthly.rules[0].percent" must be greater than or equal to 1',
      '"monthly.rules[0]" must contain at least one of [apps, hosts, query]',
      expect.stringMatching(/^"monthly\.rules\[1\]\.query" has an unbalanced parenthesis/),
    ])
    const rules = [
      { percent: 5, query: ' ' },
      { percent: 5, query: 'a' },
      { percent: 5, apps: [] },
    ]
    expect(await problems('PUT', path, { daily: { rules }, monthly: { rules } })).toEqual(
      ['daily.rules[0]', 'daily.rules[2]', 'monthly.rules[0]', 'monthly.rules[2]'].map(
        key => `"${key}" must contain at least one of [apps, hosts, query]`,
      ),
    )
  })
})

test('every request is answered, and every refusal has a reason', async () => {
  const exclusion = (await call('POST', '/v1/config/ingestion/exclusions', EXCLUSION)).body.id
  const retention = (await call('POST', '/v1/config/retention-rules', RETENTION)).body.id
  const bodies = [
    ...['null', '[]', '"x"', '5', '{', '', '{"apps":null}', '{"apps":[null,{}]}', '{"apps":{"length":1}}'],
    ...['{"query":1e400}', `{"query":"${'('.repeat(9_000)}"}`, `{"query":"${'('.repeat(600)}"}`],
    ...[
      '{"__proto__":{"apps":["a"]}}',
      '{"constructor":1,"query":"a"}',
      '{"apps":["\\ud800"],"active":true}',
    ],
    '{"days":9007199254740993,"priority":1,"name":"a","app":"a"}',
    ...['{"daily":null}', '{"daily":{"limit":9007199254740993}}', '{"daily":{"rules":[null]}}'],
  ]
  const routes = [
    ['POST', '/v1/config/ingestion/exclusions'],
    ['PATCH', `/v1/config/ingestion/exclusions/${exclusion}`],
    ['PATCH', '/v1/config/ingestion/exclusions/__proto__'],
    ['POST', '/v1/config/stream/exclusions'],
    ['POST', '/v1/config/retention-rules'],
    ['PATCH', `/v1/config/retention-rules/${retention}`],
    ['PUT', '/v1/config/usage-quotas'],
  ] as const
  for (const [method, url] of routes) {
    for (const payload of bodies) {
      const answer = await installation.call({
        method,
        url,
        payload,
        headers: { 'content-type': 'application/json' },
      })
      const what = `${method} ${url} ${payload.slice(0, 80)}`
      expect([200, 400, 404], what).toContain(answer.statusCode)
      if (answer.statusCode === 400) expect(answer.json().details.length, what).toBeGreaterThan(0)
    }
  }
})
