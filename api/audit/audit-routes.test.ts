import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { create, remove, replace } from '../../engine/configuration/configuration-log.ts'
import { accountKeys, drafts, pipelines, secretHash } from '../../engine/configuration/entities.ts'
import { lineRules, noLineRules } from '../../engine/configuration/kinds/line-rules.ts'
import { members } from '../../engine/configuration/kinds/members.ts'
import type { AuditEvent, AuditPage } from '../../schemas/http/account/audit-api.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

let installation: TestInstallation
beforeEach(async () => {
  installation = await testInstallation()
  return () => installation.app.close()
})

async function audit(query: Record<string, string | number> = {}, token?: string): Promise<AuditPage> {
  const response = await installation.call({
    url: '/v1/config/audit',
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    ...(token === undefined ? {} : { headers: { authorization: `Token ${token}` } }),
  })
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
  return response.json()
}
const refused = async (query: Record<string, string>) => {
  const response = await installation.call({ url: '/v1/config/audit', query })
  expect(response.statusCode).toBe(400)
  return response.json().error
}
const shown = ({ events }: AuditPage) => events.map(({ action, kind, name }) => `${action} ${kind} ${name}`)

async function pipeline(title: string): Promise<string> {
  const response = await installation.call({ method: 'POST', url: '/v3/pipeline', payload: { title } })
  return response.json().data.id
}

describe('the audit contains', () => {
  test('author, change, time, and the values before', async () => {
    const { clock } = installation
    const owner = await installation.user('owner')
    const id = await pipeline('Shop')
    clock.advance(5_000)
    await installation.call({
      method: 'PUT',
      url: `/v3/pipeline/${id}`,
      payload: { title: 'Store' },
      headers: { authorization: `Token ${owner}` },
    })
    const [event] = (await audit({ kind: 'pipeline' })).events
    expect(event).toMatchObject({
      at: new Date(clock.wallMs()).toISOString(),
      actor: { type: 'user', email: expect.stringMatching(/^owner-/), name: null },
      action: 'changed',
      kind: 'pipeline',
      entity: id,
      name: 'Store',
      before: { title: 'Shop' },
      after: { title: 'Store' },
    })
    expect(event?.changed).toContain('/title')
    const [created] = (await audit({ kind: 'pipeline', action: 'created' })).events
    expect(created).toMatchObject({
      actor: { type: 'service', name: 'first start' },
      before: null,
      changed: [],
    })
  })

  test('the name of a member that was deleted', async () => {
    const { configuration, write } = installation
    const secret = await installation.token({ name: 'robot' })
    const response = await installation.call({
      method: 'POST',
      url: '/v3/pipeline',
      payload: { title: 'p' },
      headers: { authorization: `Token ${secret}` },
    })
    expect(response.statusCode).toBe(200)
    const [token] = JSON.parse((await installation.call({ url: '/v1/config/tokens' })).body).filter(
      ({ name }: { name: string }) => name === 'robot',
    )
    await installation.call({ method: 'DELETE', url: `/v1/config/tokens/${token.id}` })
    const [event] = (await audit({ kind: 'pipeline' })).events
    expect(event?.actor).toMatchObject({ type: 'service', name: 'robot' })
    expect(shown(await audit({ entity: token.id }))).toEqual(['removed token robot', 'created token robot'])
    const member = configuration.list(members)[0]!
    await write(remove(members, member))
    expect(shown(await audit({ kind: 'member', action: 'removed' }))).toEqual([
      `removed member ${member.value.email}`,
    ])
  })

  test('only its own changes for an account, and its tokens and accounts for an enterprise', async () => {
    const { credentials, enterprise } = installation
    await installation.account('0123456789')
    const foreign = await installation.token({ account: '0123456789', name: 'theirs' })
    await pipeline('ours')
    const other = await audit({}, foreign)
    expect(shown(other)).toEqual(['created token theirs', 'created account Weir'])
    expect(JSON.stringify(await audit())).not.toContain('theirs')
    const above = await audit({}, credentials.enterpriseAccessToken)
    expect(shown(above)).toEqual([
      'created account Weir',
      'created token first start',
      'created account Weir',
      'created enterprise Weir',
      'created installation null',
    ])
    expect(above.events.map(({ entity }) => entity)).toContain(enterprise)
    const headers = {
      authorization: `Token ${credentials.enterpriseAccessToken}`,
      'x-delegate-account-id': '0123456789',
    }
    const delegated = await installation.app.inject({ url: '/v1/config/audit', headers })
    expect(shown(delegated.json())).toEqual(shown(other))
  })

  test('each rule on lines that was created, changed or removed', async () => {
    const call = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
      (await installation.call({ method, url, ...(payload && { payload }) })).json()
    const exclusions = '/v1/config/ingestion/exclusions'
    const noise = await call('POST', exclusions, { title: 'noise', apps: ['a'] })
    const other = await call('POST', exclusions, { title: 'other', apps: ['b'] })
    const brief = await call('POST', '/v1/config/retention-rules', {
      name: 'brief',
      priority: 1,
      days: 3,
      app: 'c',
    })
    const streamed = await call('POST', '/v1/config/stream/exclusions', { title: 'here', query: 'x' })
    const changed = await call('PATCH', `${exclusions}/${noise.id}`, { active: true, title: 'loud' })
    await call('PATCH', `${exclusions}/${noise.id}`, { active: true })
    await call('DELETE', `${exclusions}/${other.id}`)
    const page = await audit({ kind: 'line-rules' })
    expect(shown(page)).toEqual([
      'removed exclusion-rule other',
      'changed exclusion-rule loud',
      'created stream-exclusion-rule here',
      'created retention-rule brief',
      'created exclusion-rule other',
      'created exclusion-rule noise',
    ])
    expect(page.events.map(({ entity }) => entity)).toEqual([
      other.id,
      noise.id,
      streamed.id,
      brief.id,
      other.id,
      noise.id,
    ])
    expect(page.events[0]).toMatchObject({ before: other, after: null })
    expect(page.events[1]).toMatchObject({
      before: noise,
      after: changed,
      changed: ['/title', '/active'],
    })
    expect((await audit({ entity: noise.id })).events).toEqual([page.events[1], page.events[5]])
    expect(shown(await audit({ kind: 'exclusion-rule', action: 'removed' }))).toEqual([
      'removed exclusion-rule other',
    ])
  })

  test('rules of one event separately, even over pages', async () => {
    const { write, configuration, credentials } = installation
    const account = credentials.accountId
    const rule = (id: string, title = id) => {
      return { id, title, active: true, apps: ['a'], hosts: [], query: '', indexonly: true }
    }
    const value = { ...noLineRules(account), exclusions: [rule('1'), rule('2'), rule('3')] }
    await write(create(lineRules, account, value))
    const kept = () => configuration.get(lineRules, account)!
    await write(replace(lineRules, kept(), { ...value, exclusions: [rule('4'), rule('3', 'c'), rule('2')] }))
    await write(remove(lineRules, kept()))
    const all: AuditEvent[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await audit({ kind: 'exclusion-rule', limit: 2, ...(cursor && { cursor }) })
      all.push(...page.events)
      cursor = page.next
    }
    const ofEach = [
      ...['removed 2 2', 'removed 3 c', 'removed 4 4'],
      ...['created 4 4', 'changed 3 c', 'removed 1 1'],
      ...['created 3 3', 'created 2 2', 'created 1 1'],
    ]
    expect(all.map(({ action, entity, name }) => `${action} ${entity} ${name}`)).toEqual(ofEach)
    expect(new Set(all.map(({ id }) => id)).size).toBe(9)
  })

  test('no notes of the program itself', async () => {
    installation.clock.advance(60_000)
    await new Promise(resolve => setImmediate(resolve))
    expect(JSON.stringify(await audit())).not.toContain('token-use')
  })
})

describe('secrets', () => {
  const SECRET = 'hunter2hunter2'
  const HIDDEN = expect.stringMatching(/^\*{3}[0-9a-f]{8}$/)
  const sink = (username: string, password: string) => ({
    id: 'n1',
    kind: 'sink' as const,
    type: 'http',
    title: 'Out',
    inputs: [],
    description: null,
    generation: 1,
    user_config: {
      uri: `https://${SECRET}@example.org`,
      encoding: 'json',
      auth: { strategy: 'basic', user: username, password },
      batch_timeout_secs: 300,
    },
  })

  test('a secret in a node is a mark, which differs for another secret', async () => {
    const id = await pipeline('p')
    for (const [user, password] of [
      ['ann', SECRET],
      ['ann', `${SECRET}!`],
    ] as const) {
      const draft = installation.configuration.get(drafts, id)!
      await installation.write(replace(drafts, draft, { ...draft.value, nodes: [sink(user, password)] }))
    }
    const page = await audit({ kind: 'draft', entity: id, limit: 2 })
    expect(JSON.stringify(page)).not.toContain(SECRET)
    const [changed] = page.events
    expect(changed?.changed).toEqual(['/nodes/0/user_config/auth/password'])
    expect(changed?.after).toMatchObject({
      nodes: [
        {
          id: 'n1',
          type: 'http',
          title: 'Out',
          user_config: {
            uri: expect.stringMatching(/^\*{3}[0-9a-f]{8}$/),
            batch_timeout_secs: 300,
            encoding: 'json',
          },
        },
      ],
    })
  })

  test('keys and hashes of tokens are marks, even in the first events', async () => {
    const { credentials } = installation
    const text = JSON.stringify([await audit(), await audit({}, credentials.enterpriseAccessToken)])
    expect(text).toContain('"hash":"***')
    for (const secret of Object.values(credentials))
      if (secret !== credentials.accountId) {
        expect(text).not.toContain(secret)
        expect(text).not.toContain(secretHash(secret))
      }
  })

  test('of an archiving configuration only secret members are marks', async () => {
    const archive = async (method: 'POST' | 'PUT', payload: object) => {
      const written = await installation.call({ method, url: '/v1/config/archiving', payload })
      expect(written.statusCode).toBe(200)
      const [event] = (await audit({ kind: 'archiving' })).events
      const after = event?.after as { readonly archiving: object } | undefined
      return { after: after?.archiving, changed: event?.changed }
    }
    const space = { integration: 'dos', space: 's', endpoint: 'https://s.example:9000/x' }
    expect(await archive('POST', { ...space, accesskey: SECRET, secretkey: SECRET })).toEqual({
      after: { ...space, accesskey: HIDDEN, secretkey: HIDDEN },
      changed: [],
    })
    const moved = { ...space, space: 't' }
    expect(await archive('PUT', { ...moved, accesskey: SECRET, secretkey: 'other' })).toEqual({
      after: { ...moved, accesskey: HIDDEN, secretkey: HIDDEN },
      changed: ['/archiving/space', '/archiving/secretkey'],
    })
    const swift = { integration: 'swift', username: 'u', tenantname: 't', expires: '5' }
    const authurl = `https://u:${SECRET}@s.example/v3`
    expect((await archive('PUT', { ...swift, authurl, password: SECRET })).after).toEqual({
      ...swift,
      authurl: HIDDEN,
      password: HIDDEN,
    })
    const names = { resourceinstanceid: 'crn:v1', bucket: 'b', endpoint: 's.example' }
    const ibm = { integration: 'ibm', ...names, apikey: SECRET }
    expect((await archive('PUT', ibm)).after).toEqual({ ...ibm, apikey: HIDDEN })
    const blob = { integration: 'azblob', accountname: 'n', accountkey: SECRET }
    expect((await archive('PUT', blob)).after).toEqual({ ...blob, accountkey: HIDDEN })
    const gcs = { integration: 'gcs', bucket: 'b', projectid: 'p' }
    expect((await archive('PUT', gcs)).after).toEqual(gcs)
  })

  const CHANNEL = {
    operator: 'absence',
    triggerlimit: 5,
    triggerinterval: '1h',
    immediate: true,
    terminal: false,
    timezone: 'Europe/Oslo',
    blackout: { days: ['sun'], from: '22:00' },
  }
  const BODY = `{"token":"${SECRET}"}`
  /** Names of headers are not secret; their values may be. */
  const HEADERS = { method: SECRET, color: SECRET, 'webhook.method': SECRET }
  const HIDDEN_HEADERS = { method: HIDDEN, color: HIDDEN, 'webhook.method': HIDDEN }
  const changeOf = async (method: 'POST' | 'PUT', url: string, payload: object) => {
    const written = await installation.call({ method, url: `/v1/config/${url}`, payload })
    expect([written.statusCode, written.body]).toEqual([200, expect.anything()])
    const [event] = (await audit({ limit: 1 })).events
    expect(JSON.stringify(event)).not.toContain(SECRET)
    return event
  }

  test.each(['view', 'presetalert'])('of channels of a %s only addresses and keys are marks', async url => {
    const pagerduty = {
      ...{ integration: 'pagerduty', ...CHANNEL },
      ...{ autoresolve: true, autoresolvelimit: 3, autoresolveinterval: '15m' },
    }
    const slack = { integration: 'slack', ...CHANNEL, color: 'red' }
    const webhook = { integration: 'webhook', ...CHANNEL, method: 'put' }
    const address = `https://hooks.example/${SECRET}`
    const event = await changeOf('POST', url, {
      name: 'n',
      ...(url === 'view' && { query: 'q' }),
      channels: [
        { integration: 'email', ...CHANNEL, emails: [`${SECRET}@example.org`] },
        { ...pagerduty, key: SECRET },
        { ...slack, url: address },
        { ...webhook, url: address, headers: HEADERS, bodyTemplate: BODY },
      ],
    })
    const alertid = expect.stringMatching(/^[0-9a-f]{10}$/)
    expect((event?.after as { readonly channels: object } | undefined)?.channels).toEqual([
      { integration: 'email', alertid, ...CHANNEL, emails: [HIDDEN] },
      { ...pagerduty, alertid, key: HIDDEN },
      { ...slack, alertid, url: HIDDEN },
      { ...webhook, alertid, url: HIDDEN, headers: HIDDEN_HEADERS, bodyTemplate: HIDDEN },
    ])
  })

  test('of channels of the index-rate alert only addresses and keys are marks', async () => {
    const address = `https://hooks.example/${SECRET}`
    const webhook = { url: address, method: 'PUT', headers: HEADERS, bodyTemplate: BODY }
    const put = (method: string) =>
      changeOf('PUT', 'index-rate', {
        ...{ threshold_alert: 'both', frequency: 'daily' },
        channels: {
          email: [`${SECRET}@example.org`],
          pagerduty: [SECRET],
          slack: [address],
          webhook: [{ ...webhook, method }],
        },
      })
    await put('POST')
    const event = await put('PUT')
    expect(event?.changed).toEqual(['/channels/webhook/0/method'])
    expect((event?.after as { readonly channels: object } | undefined)?.channels).toEqual({
      email: [HIDDEN],
      pagerduty: [HIDDEN],
      slack: [HIDDEN],
      webhook: [{ url: HIDDEN, method: 'PUT', headers: HIDDEN_HEADERS, bodyTemplate: HIDDEN }],
    })
  })

  test('an option without a schema is hidden', async () => {
    const id = await pipeline('p')
    const draft = installation.configuration.get(drafts, id)!
    const node = {
      ...sink('a', 'b'),
      type: 'unheard-of',
      user_config: { surprise: SECRET, deep: [{ x: SECRET }] },
    }
    await installation.write(replace(drafts, draft, { ...draft.value, nodes: [node] }))
    expect(JSON.stringify(await audit({ kind: 'draft' }))).not.toContain(SECRET)
  })
})

describe('pages', () => {
  const pages = async (query: Record<string, string | number>): Promise<AuditEvent[]> => {
    const events: AuditEvent[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await audit({ ...query, ...(cursor === undefined ? {} : { cursor }) })
      expect(page.events.length).toBeGreaterThan(0)
      events.push(...page.events)
      cursor = page.next
      await pipeline('meanwhile') // A change made in the meantime is not older.
    }
    return events
  }

  test.each([1, 2, 7])(
    '%d at a time contain all changes, once each, even if others are made in between',
    async limit => {
      for (const title of ['a', 'b', 'c']) await pipeline(title)
      const all = (await audit({ limit: 1000 })).events
      expect(await pages({ limit })).toEqual(all)
      expect(all.length).toBeGreaterThan(7)
    },
  )

  test('end where they are large enough, and have at least one event', async () => {
    const id = await pipeline('large')
    for (let round = 0; round < 4; round++) {
      const held = installation.configuration.get(pipelines, id)!
      const title = String(round).repeat(400_000)
      await installation.write(replace(pipelines, held, { ...held.value, title }))
    }
    const first = await audit({ kind: 'pipeline' })
    expect(first.events.length).toBe(1)
    expect((await audit({ kind: 'pipeline', cursor: first.next as string })).events.length).toBe(1)
  })

  test('filters narrow the answer', async () => {
    const { clock } = installation
    const startMs = clock.wallMs()
    await pipeline('before')
    clock.advance(10_000)
    await pipeline('after')
    const at = new Date(startMs + 10_000).toISOString()
    const only = async (query: Record<string, string | number>) =>
      shown(await audit({ kind: 'pipeline', ...query }))
    expect(await only({ from: at })).toEqual(['created pipeline after'])
    expect(await only({ to: at })).toEqual(['created pipeline before'])
    expect(await only({ from: startMs + 10_001 })).toEqual([])
    expect(await only({ actor: 'first start', to: at })).toEqual(['created pipeline before'])
    expect(await only({ actor: 'somebody' })).toEqual([])
    expect(await only({ action: 'removed' })).toEqual([])
  })

  test('an invalid query is refused with all findings', async () => {
    const response = await installation.call({
      url: '/v1/config/audit?from=soon&kind=x&action=y&limit=0&cursor=z',
    })
    expect(response.json().details.map(({ key }: { key: string }) => key)).toEqual([
      'from',
      'kind',
      'action',
      'limit',
      'cursor',
    ])
    expect(await refused({ from: '2026-01-02', to: '2026-01-01' })).toBe(
      '"from" must be less than or equal to "to"',
    )
    const { next } = await audit({ limit: 1 })
    expect(await refused({ kind: 'pipeline', cursor: next as string })).toContain('"cursor" must be')
  })

  test('every request is answered or refused', async () => {
    const names = ['from', 'to', 'actor', 'kind', 'entity', 'action', 'limit', 'cursor']
    const value = fc.oneof(
      fc.constantFrom('2026-01-01', '0', '-1', '9999999999999999', 'pipeline', 'MC4wLjA', 'created'),
      fc.string(),
    )
    const query = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(query, async pairs => {
        const url = `/v1/config/audit?${new URLSearchParams(pairs)}`
        expect([200, 400]).toContain((await installation.call({ url })).statusCode)
      }),
      { seed: 5, numRuns: 300 },
    )
  })

  test('a change that the configuration did not accept is not in the audit', async () => {
    const key = {
      account: installation.credentials.accountId,
      type: 'ingestion' as const,
      name: 'k',
      createdAtMs: 0,
    }
    const writes = ['a', 'b'].map(secret =>
      installation.write(create(accountKeys, 'kkkkkkkkkk', { ...key, key: secret })),
    )
    const outcomes = await Promise.allSettled(writes)
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await audit({ entity: 'kkkkkkkkkk' })).events.length).toBe(1)
  })
})
