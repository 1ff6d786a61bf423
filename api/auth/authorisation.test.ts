import { Readable } from 'node:stream'
import { Registry } from '@prometheus-io/client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { create, remove, replace } from '../../engine/configuration/configuration-log.ts'
import { accessTokens, accountKeys, secretHash } from '../../engine/configuration/entities.ts'
import { enterpriseKeys } from '../../engine/configuration/kinds/enterprise-keys.ts'
import { members } from '../../engine/configuration/kinds/members.ts'
import {
  changeAccount,
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'
import type { Needs } from './permission.ts'

/**
 * Permissions as tables: every endpoint with its requirement, every kind of caller with its rights. A route without a row
 * fails the test.
 */
const ENDPOINTS: Readonly<Record<string, Needs>> = {
  'GET /v3/pipeline': 'read',
  'POST /v3/pipeline': 'write',
  'GET /v3/pipeline/node-type': 'read',
  'GET /v3/pipeline/error': 'write',
  'GET /v3/pipeline/error/count': 'write',
  'GET /v3/pipeline/dead-letter': 'read',
  'GET /v3/pipeline/delivery': 'read',
  'GET /v3/pipeline/:pipelineId': 'read',
  'PUT /v3/pipeline/:pipelineId': 'write',
  'DELETE /v3/pipeline/:pipelineId': 'write',
  'POST /v3/pipeline/:pipelineId/publish': 'write',
  'GET /v3/pipeline/:pipelineId/export': 'write',
  'PUT /v3/pipeline/import': 'write',
  'GET /v3/pipeline/:pipelineId/graph': 'read',
  'PUT /v3/pipeline/:pipelineId/graph': 'write',
  'POST /v3/pipeline/:pipelineId/pause': 'write',
  'POST /v3/pipeline/:pipelineId/simulate': 'write',
  'POST /v3/pipeline/simulate': 'write',
  'GET /v3/explain': 'write',
  'GET /v3/pipeline/:pipelineId/explain': 'write',
  'GET /v3/pipeline/:pipelineId/error': 'write',
  'POST /v3/pipeline/:pipelineId/preview': 'write',
  'GET /v3/pipeline/:pipelineId/preview': 'write',
  'GET /v3/pipeline/:pipelineId/preview/:previewId': 'write',
  'DELETE /v3/pipeline/:pipelineId/preview/:previewId': 'write',
  'POST /v3/pipeline/:pipelineId/resume': 'write',
  'GET /v3/pipeline/:pipelineId/revision': 'read',
  'GET /v3/pipeline/:pipelineId/revision/:number': 'write',
  'POST /v3/pipeline/:pipelineId/revision/:number/restore': 'write',
  'GET /v3/pipeline/:pipelineId/revision/:from/diff/:to': 'write',
  'GET /v3/pipeline/:pipelineId/dead-letter': 'read',
  'PUT /v3/pipeline/:pipelineId/dead-letter': 'write',
  'POST /v3/pipeline/:pipelineId/dead-letter/replay': 'write',
  'GET /v3/pipeline/:pipelineId/transform/:nodeId/exemption': 'read',
  'PUT /v3/pipeline/:pipelineId/transform/:nodeId/exemption': 'write',
  'DELETE /v3/pipeline/:pipelineId/transform/:nodeId/exemption': 'write',
  'GET /v3/pipeline/:pipelineId/transform/:nodeId/bucket': 'read',
  'GET /v3/pipeline/:pipelineId/transform/:nodeId/bucket/:key': 'read',
  'GET /v3/pipeline/:pipelineId/transform/:nodeId/profile': 'read',
  'POST /v3/pipeline/:pipelineId/transform/:nodeId/profile/reset': 'write',
  'GET /v3/pipeline/:pipelineId/sink/:nodeId/delivery': 'read',
  'POST /v3/pipeline/:pipelineId/sink/:nodeId/check': 'write',
  'GET /v3/pipeline/state-variable': 'read',
  'PUT /v3/pipeline/state-variable/:stateId': 'write',
  'GET /v3/pipeline/gateway-route': 'read',
  'POST /v3/pipeline/gateway-route': 'write',
  'GET /v3/pipeline/gateway-route/:routeId': 'read',
  'PUT /v3/pipeline/gateway-route/:routeId': 'write',
  'DELETE /v3/pipeline/gateway-route/:routeId': 'write',
  'GET /v3/pipeline/gateway-route/:routeId/access-key': 'read',
  'POST /v3/pipeline/gateway-route/:routeId/access-key': 'write',
  'DELETE /v3/pipeline/gateway-route/:routeId/access-key/:keyId': 'write',
  'POST /v3/pipeline/:pipelineId/source': 'write',
  'GET /v3/pipeline/:pipelineId/source': 'write',
  'GET /v3/pipeline/:pipelineId/source/:nodeId': 'write',
  'PUT /v3/pipeline/:pipelineId/source/:nodeId': 'write',
  'DELETE /v3/pipeline/:pipelineId/source/:nodeId': 'write',
  'POST /v3/pipeline/:pipelineId/transform': 'write',
  'GET /v3/pipeline/:pipelineId/transform': 'write',
  'GET /v3/pipeline/:pipelineId/transform/:nodeId': 'write',
  'PUT /v3/pipeline/:pipelineId/transform/:nodeId': 'write',
  'DELETE /v3/pipeline/:pipelineId/transform/:nodeId': 'write',
  'POST /v3/pipeline/:pipelineId/sink': 'write',
  'GET /v3/pipeline/:pipelineId/sink': 'write',
  'GET /v3/pipeline/:pipelineId/sink/:nodeId': 'write',
  'PUT /v3/pipeline/:pipelineId/sink/:nodeId': 'write',
  'DELETE /v3/pipeline/:pipelineId/sink/:nodeId': 'write',
  'GET /v3/pipeline/:pipelineId/alert': 'write',
  'GET /v3/pipeline/:pipelineId/alert/:alertId': 'write',
  'POST /v3/pipeline/:pipelineId/source/:nodeId/alert': 'write',
  'PUT /v3/pipeline/:pipelineId/source/:nodeId/alert/:alertId': 'write',
  'DELETE /v3/pipeline/:pipelineId/source/:nodeId/alert/:alertId': 'write',
  'POST /v3/pipeline/:pipelineId/transform/:nodeId/alert': 'write',
  'PUT /v3/pipeline/:pipelineId/transform/:nodeId/alert/:alertId': 'write',
  'DELETE /v3/pipeline/:pipelineId/transform/:nodeId/alert/:alertId': 'write',
  'GET /v3/pipeline/:pipelineId/source/:nodeId/tap': 'write',
  'GET /v3/pipeline/:pipelineId/transform/:nodeId/tap': 'write',
  'POST /v3/auth/session': 'public',
  'DELETE /v3/auth/session': 'public',
  'GET /v3/auth/account': 'caller',
  'GET /v3/auth/account/:accountId': 'caller',
  'GET /v3/auth/token': 'caller',
  'GET /v3/account/spread': 'read',
  'PUT /v3/account/spread': 'admin',
  'GET /v1/config/ingestion/exclusions': 'admin',
  'POST /v1/config/ingestion/exclusions': 'admin',
  'GET /v1/config/ingestion/exclusions/:id': 'admin',
  'PATCH /v1/config/ingestion/exclusions/:id': 'admin',
  'DELETE /v1/config/ingestion/exclusions/:id': 'admin',
  'GET /v1/config/stream/exclusions': 'admin',
  'POST /v1/config/stream/exclusions': 'admin',
  'GET /v1/config/stream/exclusions/:id': 'admin',
  'PATCH /v1/config/stream/exclusions/:id': 'admin',
  'DELETE /v1/config/stream/exclusions/:id': 'admin',
  'GET /v1/config/retention-rules': 'admin',
  'POST /v1/config/retention-rules': 'admin',
  'GET /v1/config/retention-rules/:id': 'admin',
  'PATCH /v1/config/retention-rules/:id': 'admin',
  'DELETE /v1/config/retention-rules/:id': 'admin',
  'GET /v1/config/retention': 'read',
  'PUT /v1/config/retention': 'admin',
  'GET /v1/config/usage-quotas': 'admin',
  'PUT /v1/config/usage-quotas': 'admin',
  'GET /v3/enterprise': 'enterprise',
  'GET /v3/enterprise/account': 'enterprise',
  'POST /v3/enterprise/account': 'enterprise',
  'PUT /v3/enterprise/account/:accountId': 'enterprise',
  'POST /v3/enterprise/account/:accountId/suspend': 'enterprise',
  'POST /v3/enterprise/account/:accountId/resume': 'enterprise',
  'GET /v3/enterprise/account/:accountId': 'enterprise',
  'GET /v1/config/view': 'read',
  'POST /v1/config/view': 'write',
  'GET /v1/config/view/:id': 'read',
  'PUT /v1/config/view/:id': 'write',
  'DELETE /v1/config/view/:id': 'write',
  'GET /v1/config/presetalert': 'read',
  'POST /v1/config/presetalert': 'write',
  'GET /v1/config/presetalert/:id': 'read',
  'PUT /v1/config/presetalert/:id': 'write',
  'DELETE /v1/config/presetalert/:id': 'write',
  'GET /v1/config/categories/:type': 'read',
  'POST /v1/config/categories/:type': 'write',
  'GET /v1/config/categories/:type/:id': 'read',
  'PUT /v1/config/categories/:type/:id': 'write',
  'DELETE /v1/config/categories/:type/:id': 'write',
  'GET /v1/config/board': 'read',
  'POST /v1/config/board': 'write',
  'GET /v1/config/board/:id': 'read',
  'PUT /v1/config/board/:id': 'write',
  'DELETE /v1/config/board/:id': 'write',
  'GET /v1/config/index-rate': 'admin',
  'PUT /v1/config/index-rate': 'admin',
  'GET /v1/export': 'read',
  'GET /v2/export': 'read',
  'GET /v3/search': 'read',
  'GET /v3/search/line/:lineId': 'read',
  'GET /v3/search/context': 'read',
  'GET /v3/search/histogram': 'read',
  'GET /v3/search/facet': 'read',
  'GET /v3/search/field': 'read',
  'GET /v3/search/value': 'read',
  'GET /ws/tail': 'read',
  'GET /v3/pipeline/metrics': 'read',
  'GET /v3/pipeline/:pipelineId/metrics': 'read',
  'GET /v3/pipeline/:pipelineId/metrics/live': 'read',
  'GET /v3/usage/series': 'read',
  'GET /v2/usage': 'read',
  'GET /v2/usage/:kind': 'read',
  'GET /v2/usage/:kind/:name': 'read',
  'GET /v1/usage/:kind': 'read',
  'GET /v1/usage/:kind/:name': 'read',
  'GET /v1/config/archiving': 'admin',
  'POST /v1/config/archiving': 'admin',
  'PUT /v1/config/archiving': 'admin',
  'DELETE /v1/config/archiving': 'admin',
  'GET /v1/config/keys': 'admin',
  'POST /v1/config/keys': 'admin',
  'GET /v1/config/keys/:keyId': 'admin',
  'PUT /v1/config/keys/:keyId': 'admin',
  'DELETE /v1/config/keys/:keyId': 'admin',
  'GET /v1/config/members': 'admin',
  'POST /v1/config/members': 'admin',
  'GET /v1/config/members/:email': 'admin',
  'PUT /v1/config/members/:email': 'admin',
  'DELETE /v1/config/members/:email': 'admin',
  'GET /v1/config/groups': 'admin',
  'POST /v1/config/groups': 'admin',
  'GET /v1/config/groups/:groupId': 'admin',
  'PATCH /v1/config/groups/:groupId': 'admin',
  'DELETE /v1/config/groups/:groupId': 'admin',
  'GET /v1/config/stream': 'admin',
  'POST /v1/config/stream': 'admin',
  'PUT /v1/config/stream': 'admin',
  'DELETE /v1/config/stream': 'admin',
  'GET /v1/config/ingestion/status': 'read',
  'POST /v1/config/ingestion/suspend': 'admin',
  'POST /v1/config/ingestion/suspend/confirm': 'admin',
  'POST /v1/config/ingestion/resume': 'admin',
  'GET /v1/enterprise/account': 'enterprise',
  'POST /v1/enterprise/account': 'enterprise',
  'GET /v1/enterprise/account/:accountId': 'enterprise',
  'PUT /v1/enterprise/account/:accountId': 'enterprise',
  'DELETE /v1/enterprise/account/:accountId': 'enterprise',
  'GET /v1/enterprise/keys': 'enterprise',
  'POST /v1/enterprise/keys': 'enterprise',
  'GET /v1/enterprise/keys/:keyId': 'enterprise',
  'DELETE /v1/enterprise/keys/:keyId': 'enterprise',
  'GET /v3/system/status': 'administrator',
  'GET /v3/system/metrics': 'administrator',
  'GET /v3/system/quarantine': 'administrator',
  'GET /v1/config/audit': 'administrator',
  'GET /v1/config/tokens': 'token',
  'POST /v1/config/tokens': 'token',
  'GET /v1/config/tokens/:tokenId': 'token',
  'PATCH /v1/config/tokens/:tokenId': 'token',
  'POST /v1/config/tokens/:tokenId/rotate': 'token',
  'DELETE /v1/config/tokens/:tokenId': 'token',
  'POST /logs/ingest': 'ingest',
  'POST /logs/agent': 'ingest',
  'POST /v1/:routeId': 'access-key',
  'PUT /v1/:routeId': 'access-key',
  'POST /v1/:routeId/*': 'access-key',
  'PUT /v1/:routeId/*': 'access-key',
  'OPTIONS /logs/ingest': 'public',
  'OPTIONS /logs/agent': 'public',
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'public',
  'GET /openapi.json': 'public',
}

/** These need a service key in addition to the credential of any caller. */
const NEEDS_SERVICE_KEY = /^((POST|PATCH|DELETE) \/v1\/config\/groups|POST \/v1\/enterprise\/account)/

/**
 * Addresses without a row: pages of the API document, parts of the contract that are not built yet, malformed pipeline
 * ids, and refused methods.
 */
const WITHOUT_ROW =
  /^(\S+ (\/docs(\/.*)?|\/v3\/pipeline\/gateway-route\/\*)|(PUT|DELETE) \/v3\/pipeline\/gateway-route|(GET|PATCH|DELETE|OPTIONS) \/v1\/:routeId(\/\*)?)$/

type Verdict = 'passes' | 401 | 403

interface CallerRow {
  readonly name: string
  readonly headers: (world: World) => Record<string, string>
  readonly verdict: (needs: Needs, url: string, method: string) => Verdict
}

interface World {
  readonly installation: TestInstallation
  readonly tokens: Readonly<Record<string, string>>
  /** Cookies of sessions, by the names of their tokens. */
  readonly sessions: Readonly<Record<string, string>>
  readonly enterpriseKey: string
  readonly gatewayRoute: string
  readonly accessKey: string
}

const OTHER_ACCOUNT = '0123456789'
const FOREIGN_ACCOUNT = '9876543210'

const always = (verdict: Verdict) => () => verdict
const upTo =
  (...allowed: Needs[]) =>
  (needs: Needs): Verdict =>
    allowed.includes(needs) ? 'passes' : 403
const bearer = (token: string) => (world: World) => ({ authorization: `Token ${world.tokens[token]}` })
const delegating = (token: string, account: (world: World) => string) => (world: World) => ({
  ...bearer(token)(world),
  'x-delegate-account-id': account(world),
})
const session = (token: string) => (world: World) => ({ cookie: world.sessions[token] as string })
const ownAccount = ({ installation }: World) => installation.credentials.accountId

const READER = upTo('read', 'caller', 'token')
const WRITER = upTo('read', 'write', 'caller', 'token', 'ingest')
const ADMIN = upTo('read', 'write', 'admin', 'administrator', 'caller', 'token', 'ingest')
const OWNER = upTo('read', 'write', 'admin', 'administrator', 'owner', 'caller', 'token', 'ingest')
const DELEGATE = upTo('read', 'write', 'admin', 'administrator', 'enterprise', 'caller', 'token', 'ingest')
const SENDER = upTo('ingest')
/** Sessions are not accepted where lines are sent; the older API of enterprises requires a key besides. */
const ofSession =
  (rights: (needs: Needs) => Verdict) =>
  (needs: Needs, url: string, method: string): Verdict => {
    const lacksKey = url === '/v1/enterprise/account' && method === 'POST' && rights(needs) === 'passes'
    return needs === 'ingest' || lacksKey ? 401 : rights(needs)
  }
const SERVICE_KEY = (needs: Needs, url: string): Verdict =>
  url.startsWith('/v3/') || needs === 'ingest'
    ? 401
    : upTo('read', 'write', 'admin', 'administrator', 'caller')(needs)

const CALLERS: readonly CallerRow[] = [
  { name: 'nobody', headers: () => ({}), verdict: always(401) },
  {
    name: 'an unknown token',
    headers: () => ({ authorization: `Token sts_${'0'.repeat(40)}` }),
    verdict: always(401),
  },
  { name: 'an expired token', headers: bearer('expired'), verdict: always(401) },
  { name: 'a revoked token', headers: bearer('revoked'), verdict: always(401) },
  { name: 'a token of a deactivated account', headers: bearer('deactivated'), verdict: always(401) },
  { name: 'a token of a person who left', headers: bearer('left'), verdict: always(401) },
  { name: 'another scheme', headers: () => ({ authorization: 'Digest abc' }), verdict: always(401) },
  {
    name: 'an ingestion key as servicekey',
    headers: ({ installation }) => ({ servicekey: installation.credentials.ingestionKey }),
    verdict: always(401),
  },
  {
    name: 'an ingestion key',
    headers: ({ installation }) => ({ apikey: installation.credentials.ingestionKey }),
    verdict: needs => (needs === 'ingest' ? 'passes' : 401),
  },
  {
    name: 'a service key as a token',
    headers: ({ installation }) => ({ authorization: `Token ${installation.credentials.serviceKey}` }),
    verdict: always(401),
  },
  {
    name: 'a service key',
    headers: ({ installation }) => ({ servicekey: installation.credentials.serviceKey }),
    verdict: SERVICE_KEY,
  },
  {
    name: 'a service key in the apikey header',
    headers: ({ installation }) => ({ apikey: installation.credentials.serviceKey }),
    // Groups require the key in the other header.
    verdict: (needs, url, method) =>
      url.startsWith('/v1/config/groups') && method !== 'GET' ? 401 : SERVICE_KEY(needs, url),
  },
  {
    name: 'a service key by basic authentication',
    headers: ({ installation }) => ({ authorization: basic(installation.credentials.serviceKey) }),
    verdict: SERVICE_KEY,
  },
  {
    name: 'an access token by basic authentication',
    headers: ({ installation }) => ({ authorization: basic(installation.credentials.accessToken) }),
    verdict: (needs, url) => (url.startsWith('/v3/') ? 401 : ADMIN(needs)),
  },
  {
    name: 'a wrong token beside a right service key',
    headers: ({ installation }) => ({
      authorization: 'Token nonsense',
      servicekey: installation.credentials.serviceKey,
    }),
    verdict: always(401),
  },
  { name: 'a service account', headers: bearer('service'), verdict: ADMIN },
  {
    name: 'a service account by bearer',
    headers: ({ tokens }) => ({ authorization: `bEaReR ${tokens.service}` }),
    verdict: ADMIN,
  },
  { name: 'a service account with scope readonly', headers: bearer('serviceReadonly'), verdict: READER },
  { name: 'a service account that can only ingest', headers: bearer('serviceIngest'), verdict: SENDER },
  {
    name: 'a service account of another account',
    headers: bearer('other'),
    // Groups also require a service key, and this one does not belong to the account.
    verdict: (needs, url, method) =>
      url.startsWith('/v1/config/groups') && method !== 'GET' ? 401 : ADMIN(needs),
  },
  { name: 'a secret within its grace after a rotation', headers: bearer('inGrace'), verdict: ADMIN },
  { name: 'a secret whose grace is over', headers: bearer('afterGrace'), verdict: always(401) },
  { name: 'a readonly user', headers: bearer('readonly'), verdict: READER },
  { name: 'a member', headers: bearer('member'), verdict: WRITER },
  { name: 'an admin', headers: bearer('admin'), verdict: ADMIN },
  {
    name: 'an owner',
    headers: bearer('owner'),
    verdict: OWNER,
  },
  { name: 'the session of a readonly user', headers: session('readonly'), verdict: ofSession(READER) },
  { name: 'the session of a member', headers: session('member'), verdict: ofSession(WRITER) },
  // Groups can be written without a service key.
  { name: 'the session of an admin', headers: session('admin'), verdict: ofSession(ADMIN) },
  { name: 'the session of an owner', headers: session('owner'), verdict: ofSession(OWNER) },
  {
    name: 'the session of an enterprise token for a child',
    headers: world => ({ ...session('enterprise')(world), 'x-delegate-account-id': ownAccount(world) }),
    verdict: ofSession(DELEGATE),
  },
  { name: 'an owner with scope readonly', headers: bearer('ownerReadonly'), verdict: READER },
  { name: 'a member whose token can only ingest', headers: bearer('memberIngest'), verdict: SENDER },
  {
    name: 'a readonly user whose token can only ingest, which it must not',
    headers: bearer('readonlyIngest'),
    verdict: always(401),
  },
  { name: 'a readonly user with scope admin', headers: bearer('readonlyAdmin'), verdict: READER },
  {
    name: 'an owner who names their own account for delegation',
    headers: delegating('owner', ownAccount),
    verdict: always(403),
  },
  {
    name: 'an enterprise token',
    headers: bearer('enterprise'),
    verdict: upTo('enterprise', 'caller', 'token', 'administrator'),
  },
  {
    name: 'an enterprise token for a child',
    headers: delegating('enterprise', ownAccount),
    verdict: DELEGATE,
  },
  {
    name: 'an enterprise token for an unknown account',
    headers: delegating('enterprise', () => 'ffffffffff'),
    verdict: always(403),
  },
  {
    name: 'an enterprise token for an account of nobody',
    headers: delegating('enterprise', () => FOREIGN_ACCOUNT),
    verdict: always(403),
  },
  {
    name: 'a service key of an enterprise',
    headers: ({ enterpriseKey }) => ({ 'enterprise-servicekey': enterpriseKey }),
    verdict: (needs, url) => (url.startsWith('/v1/enterprise/') ? upTo('enterprise')(needs) : 401),
  },
  {
    name: 'a service key of an enterprise for a child',
    headers: world => ({
      'enterprise-servicekey': world.enterpriseKey,
      'x-delegate-account-id': ownAccount(world),
    }),
    verdict: (_needs, url) => (url.startsWith('/v1/enterprise/') ? 403 : 401),
  },
  {
    name: 'an unknown service key of an enterprise',
    headers: () => ({ 'enterprise-servicekey': 'f'.repeat(32) }),
    verdict: always(401),
  },
  {
    name: 'a service key of an account as one of an enterprise',
    headers: ({ installation }) => ({ 'enterprise-servicekey': installation.credentials.serviceKey }),
    verdict: always(401),
  },
  {
    name: 'an access key of a gateway route',
    headers: ({ accessKey }) => ({ authorization: accessKey }),
    verdict: always(401),
  },
  {
    name: 'a revoked enterprise token for a child',
    headers: delegating('enterpriseRevoked', ownAccount),
    verdict: always(401),
  },
  {
    name: 'an expired enterprise token for a child',
    headers: delegating('enterpriseExpired', ownAccount),
    verdict: always(401),
  },
]

const basic = (key: string) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`

let world: World

beforeAll(async () => {
  const installation = await testInstallation({
    settings: { ...TEST_SETTINGS, allowServiceKeyCreation: true },
  })
  await installation.account(OTHER_ACCOUNT)
  await installation.account(FOREIGN_ACCOUNT, { enterprise: null })
  await installation.account('dddddddddd', { status: 'deactivated' })
  const { token, user } = installation
  const nowMs = installation.clock.wallMs()
  const tokens = {
    service: installation.credentials.accessToken,
    enterprise: installation.credentials.enterpriseAccessToken,
    expired: await token({ expiresAtMs: nowMs }),
    revoked: await token({ revoked: true }),
    deactivated: await token({ account: 'dddddddddd' }),
    left: await token({ kind: 'user', email: 'gone@example.org' }),
    serviceReadonly: await token({ scope: 'readonly' }),
    serviceIngest: await token({ scope: 'ingest' }),
    readonly: await user('readonly'),
    member: await user('member'),
    admin: await user('admin'),
    owner: await user('owner'),
    ownerReadonly: await user('owner', { scope: 'readonly' }),
    readonlyAdmin: await user('readonly', { scope: 'admin' }),
    readonlyIngest: await user('readonly', { scope: 'ingest' }),
    memberIngest: await user('member', { scope: 'ingest' }),
    enterpriseRevoked: await token({ kind: 'enterprise', revoked: true }),
    enterpriseExpired: await token({ kind: 'enterprise', expiresAtMs: nowMs }),
    inGrace: `sts_${'a'.repeat(40)}`,
    afterGrace: `sts_${'b'.repeat(40)}`,
    other: await token({ account: OTHER_ACCOUNT }),
  }
  await token({ previous: { hash: secretHash(tokens.inGrace), untilMs: nowMs + 60_000 } })
  await token({ previous: { hash: secretHash(tokens.afterGrace), untilMs: nowMs } })
  const enterpriseKey = 'e'.repeat(32)
  const { enterprise } = installation
  await installation.write(
    create(enterpriseKeys, 'eeeeeeeeee', { enterprise, key: enterpriseKey, name: '', createdAtMs: 0 }),
  )
  const created = async (url: string, payload: object) =>
    (await installation.call({ method: 'POST', url, payload })).json().data
  const { id: gatewayRoute } = await created('/v3/pipeline/gateway-route', { type: 'http', title: 'doors' })
  const { key: accessKey } = await created(`/v3/pipeline/gateway-route/${gatewayRoute}/access-key`, {
    title: 'gate',
    type: 'generated',
  })
  const sessions: Record<string, string> = {}
  for (const name of ['readonly', 'member', 'admin', 'owner', 'enterprise'] as const) {
    const { headers } = await installation.app.inject({
      method: 'POST',
      url: '/v3/auth/session',
      headers: { 'x-weir-console': '1' },
      payload: { token: tokens[name] },
    })
    sessions[name] = String(headers['set-cookie']).split(';', 1)[0] as string
  }
  world = { installation, tokens, sessions, enterpriseKey, gatewayRoute, accessKey }
})

afterAll(() => world.installation.app.close())

test('every route has a row in the table, and every row a route', () => {
  const routes = world.installation.app.routeTable
    .routes()
    .map(({ method, url, needs }) => [`${method} ${url}`, needs] as const)
    .filter(([name]) => !name.startsWith('HEAD ') && !WITHOUT_ROW.test(name))
  expect(Object.fromEntries(routes)).toEqual(ENDPOINTS)
})

test('a route that does not declare its callers prevents a start of the server', async () => {
  const { ports } = world.installation
  const { buildServer } = await import('../server.ts')
  const app = await buildServer({ ...ports, registry: new Registry() })
  app.get('/v1/forgotten', async () => ({}))
  await expect(app.ready()).rejects.toThrow('GET /v1/forgotten')
})

// One test per caller: a row of its table is an endpoint, so a failure shows as a difference of tables.
test.each(CALLERS)('$name', async ({ headers, verdict }) => {
  const headersFor = (endpoint: string) => {
    const own = headers(world)
    const decides = endpoint.includes('/v1/enterprise') ? 'enterprise-servicekey' : 'authorization'
    const isComplete = (own.authorization ?? own[decides]) === undefined
    if (isComplete || !NEEDS_SERVICE_KEY.test(endpoint)) return own
    return { ...own, servicekey: world.installation.credentials.serviceKey }
  }
  // Only an access key of the route is accepted there.
  const onRoute: Verdict = headers(world).authorization === world.accessKey ? 'passes' : 401
  const verdictOn = (needs: Needs, url: string, method: string) => {
    if (needs === 'public') return 'public'
    return needs === 'access-key' ? onRoute : verdict(needs, url, method)
  }
  const expected: Record<string, string> = {}
  const found: Record<string, string> = {}
  for (const [endpoint, needs] of Object.entries(ENDPOINTS)) {
    const [method, pattern] = endpoint.split(' ') as ['GET', string]
    const url = pattern
      .replace(/^\/v1\/:routeId/, `/v1/${world.gatewayRoute}`)
      .replaceAll(/:\w+/g, '0a1b2c3d4e')
    // An admitted request without a body reaches validation. Ingestion refuses an empty request before it checks the
    // right.
    const response = await world.installation.app.inject({
      method,
      url,
      headers: { 'x-weir-console': '1', ...headersFor(endpoint) },
      ...(needs === 'ingest' && { query: { hostname: 'h' }, payload: { lines: [{ line: 'a' }] } }),
    })
    expected[endpoint] = JSON.stringify(answerOf(verdictOn(needs, url, method), url))
    const passes = needs === 'public' ? [200, 204, 400] : [200, 400, 404, 409]
    const status = passes.includes(response.statusCode) ? 'passes' : response.statusCode
    const code = response.statusCode === 401 ? response.json().code : undefined
    // A caller who lacks only the second credential is recognised and named.
    const lacksSecond = response.statusCode === 401 && NEEDS_SERVICE_KEY.test(endpoint)
    const isNamed = response.headers['x-auth-access-type'] !== undefined && !lacksSecond
    found[endpoint] = JSON.stringify({ status, code, isNamed })
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  }
  expect(found).toEqual(expected)
})

describe('a token that is revoked while the body of a request arrives', () => {
  const writes = Object.entries(ENDPOINTS).filter(
    ([endpoint, needs]) => !endpoint.startsWith('GET ') && needs !== 'public' && needs !== 'access-key',
  )

  test.each(writes)('is refused: %s', async (endpoint, needs) => {
    const { app, configuration, credentials, token, write } = world.installation
    const secret = await token({ kind: needs === 'enterprise' ? 'enterprise' : 'service' })
    const held = configuration.find(accessTokens, 'hash', secretHash(secret))!
    const [method, pattern] = endpoint.split(' ') as ['POST', string]
    const lateBody = Readable.from(
      (async function* () {
        await write(replace(accessTokens, held, { ...held.value, revoked: true }))
        yield Buffer.from('{"lines":[{"line":"a"}]}')
      })(),
    )
    const response = await app.inject({
      method,
      url: pattern.replaceAll(/:\w+/g, '0a1b2c3d4e'),
      query: needs === 'ingest' ? { hostname: 'h' } : {},
      headers: {
        authorization: `Token ${secret}`,
        'content-type': 'application/json',
        ...(NEEDS_SERVICE_KEY.test(endpoint) && { servicekey: credentials.serviceKey }),
      },
      payload: lateBody,
    })
    expect(configuration.find(accessTokens, 'hash', secretHash(secret))!.value.revoked).toBe(true)
    expect([response.statusCode, response.json().code]).toEqual([401, unauthorized(pattern)])
  })
})

test.each([
  ['DELETE', '/v1/config/view/0123456789'],
  ['DELETE', '/v3/pipeline/0123456789'],
  ['DELETE', '/v1/enterprise/account/0123456789'],
] as const)('%s %s with a token that another process has revoked is refused', async (method, url) => {
  const { app, configuration, token, write } = await testInstallation()
  const secret = await token({ kind: url.includes('enterprise') ? 'enterprise' : 'service' })
  const held = configuration.find(accessTokens, 'hash', secretHash(secret))!
  vi.spyOn(configuration, 'catchUp').mockImplementationOnce(async () => {
    await write(replace(accessTokens, held, { ...held.value, revoked: true }))
  })
  const response = await app.inject({ method, url, headers: { authorization: `Token ${secret}` } })
  expect(response.statusCode).toBe(401)
  await app.close()
})

/** A recognised caller is named in the headers, even without the right. */
function answerOf(verdict: Verdict | 'public', url: string) {
  switch (verdict) {
    case 'public':
      return { status: 'passes', isNamed: false }
    case 401:
      return { status: 401, code: unauthorized(url), isNamed: false }
    default:
      return { status: verdict, isNamed: true }
  }
}

function unauthorized(url: string): string {
  if (url.startsWith('/v3')) return 'EUNAUTHORIZED'
  return url.includes(world.gatewayRoute) ? 'ERR_UNAUTHORIZED' : 'NotAuthorized'
}

describe('an answer', () => {
  test('has the same bytes for expired, revoked and unknown tokens', async () => {
    const { app } = world.installation
    const bodies = await Promise.all(
      [world.tokens.expired, world.tokens.revoked, world.tokens.left, `sts_${'0'.repeat(40)}`, 'x'].map(
        async token =>
          (await app.inject({ url: '/v2/usage', headers: { authorization: `Token ${token}` } })).body,
      ),
    )
    expect(new Set(bodies).size).toBe(1)
  })

  test('has the words that clients know for a bad service key', async () => {
    const response = await world.installation.app.inject({
      url: '/v1/export',
      headers: { servicekey: 'f'.repeat(32) },
    })
    expect(response.statusCode).toBe(401)
    expect(response.body).toBe(
      '{"error":"Service Key Validation Error: Invalid or deactivated servicekey","code":"NotAuthorized","status":"error"}',
    )
  })

  test('the query parameter servicekey counts if there is no header', async () => {
    const { app, credentials } = world.installation
    const url = `/v2/usage?servicekey=${credentials.serviceKey}`
    expect((await app.inject({ url })).statusCode).not.toBe(401)
    expect((await app.inject({ url, headers: { apikey: 'f'.repeat(32) } })).statusCode).toBe(401)
  })

  test('an empty carrier counts as absent, so the next one is used', async () => {
    const { app, credentials } = world.installation
    const headers = { servicekey: '', apikey: credentials.serviceKey }
    expect((await app.inject({ url: '/v2/usage', headers })).statusCode).not.toBe(401)
  })

  test('a token works until the millisecond before it expires', async () => {
    const { app, clock, token } = world.installation
    const secret = await token({ expiresAtMs: clock.wallMs() + 1 })
    const call = () => app.inject({ url: '/v3/pipeline', headers: { authorization: `Token ${secret}` } })
    expect((await call()).statusCode).toBe(200)
    clock.advance(1)
    expect((await call()).statusCode).toBe(401)
  })

  test('revoked tokens, deleted keys and removed members have no access at once', async () => {
    const { app, configuration, token, user, write } = await testInstallation()
    const status = async (headers: Record<string, string>) =>
      (await app.inject({ url: '/v2/usage', headers })).statusCode === 401 ? 401 : 'passes'
    const secret = await token({})
    const asToken = { authorization: `Token ${secret}` }
    expect(await status(asToken)).toBe('passes')
    const held = configuration.find(accessTokens, 'hash', secretHash(secret))!
    await write(replace(accessTokens, held, { ...held.value, revoked: true }))
    expect(await status(asToken)).toBe(401)
    const key = configuration.list(accountKeys).find(({ value }) => value.type === 'service')!
    expect(await status({ servicekey: key.value.key })).toBe('passes')
    await write(remove(accountKeys, key))
    expect(await status({ servicekey: key.value.key })).toBe(401)
    const personal = { authorization: `Token ${await user('admin')}` }
    expect(await status(personal)).toBe('passes')
    const member = configuration.list(members).find(({ value }) => value.role === 'admin')!
    await write(remove(members, member))
    expect(await status(personal)).toBe(401)
    // Another person with the same address has separate tokens.
    await write(create(members, member.id, { ...member.value, subjectId: 'another person' }))
    expect(await status(personal)).toBe(401)
    await app.close()
  })

  test('a personal token has the present role of its user', async () => {
    const { app, configuration, user, write } = await testInstallation()
    const headers = { authorization: `Token ${await user('readonly')}` }
    const attempt = () =>
      app.inject({ method: 'POST', url: '/v3/pipeline', headers, payload: { title: 't' } })
    expect((await attempt()).statusCode).toBe(403)
    const member = configuration.list(members).find(({ value }) => value.role === 'readonly')!
    await write(replace(members, member, { ...member.value, role: 'member' }))
    expect((await attempt()).statusCode).toBe(200)
    await app.close()
  })

  test('debug headers name the child account of a delegated call, and an e-mail address only for users', async () => {
    const { app, credentials, enterprise } = world.installation
    const delegated = await app.inject({
      url: '/v3/pipeline',
      headers: {
        authorization: `Token ${world.tokens.enterprise}`,
        'x-delegate-account-id': OTHER_ACCOUNT,
      },
    })
    expect(delegated.headers).toMatchObject({
      'x-auth-access-type': 'enterprise',
      'x-auth-account-short-id': OTHER_ACCOUNT,
      'x-auth-enterprise-id': enterprise,
    })
    expect(delegated.headers).not.toHaveProperty('x-auth-subject-email')
    const personal = await app.inject({
      url: '/v3/pipeline',
      headers: { authorization: `Token ${world.tokens.member}` },
    })
    expect(personal.headers).toMatchObject({
      'x-auth-access-type': 'user',
      'x-auth-account-short-id': credentials.accountId,
      'x-auth-subject-email': expect.stringMatching(/^member-.*@example\.org$/),
    })
    const plain = await app.inject({
      url: '/v3/enterprise/account',
      headers: { authorization: `Token ${world.tokens.enterprise}` },
    })
    expect(plain.headers).not.toHaveProperty('x-auth-account-id')
  })
})

describe('another account', () => {
  test('has no access with any id of the first, at any endpoint', async () => {
    const { app, call, configuration, credentials } = world.installation
    const pipeline = (await call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'mine' } })).json()
      .data
    const payload = { type: 'log-analysis-ingestion' }
    const source = await call({ method: 'POST', url: `/v3/pipeline/${pipeline.id}/source`, payload })
    const ids: Readonly<Record<string, string>> = {
      pipelineId: pipeline.id,
      nodeId: source.json().data.id,
      tokenId: configuration.find(accessTokens, 'hash', secretHash(credentials.accessToken))!.id,
      accountId: credentials.accountId,
    }
    const owned = Object.keys(ENDPOINTS).filter(endpoint =>
      Object.keys(ids).some(id => endpoint.includes(`:${id}`)),
    )
    expect(owned.length).toBeGreaterThan(40)
    const headers = { authorization: `Token ${world.tokens.other}` }
    const before = configuration.nextOffset
    for (const endpoint of owned) {
      const [method, pattern] = endpoint.split(' ') as ['GET', string]
      const url = pattern.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? '1')
      const response = await app.inject({ method, url, headers })
      // For enterprise tokens the account is known to be the wrong one; bodies may be checked first.
      const expected = ENDPOINTS[endpoint] === 'enterprise' ? [403] : method === 'GET' ? [404] : [400, 404]
      expect({ endpoint, status: response.statusCode, expected }).toEqual({
        endpoint,
        status: expected.find(status => status === response.statusCode),
        expected,
      })
    }
    expect(configuration.nextOffset).toBe(before)
  })

  test('does not see the pipelines and nodes of the first', async () => {
    const { app, call } = world.installation
    const created = await call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'mine' } })
    const id = created.json().data.id
    const source = await call({
      method: 'POST',
      url: `/v3/pipeline/${id}/source`,
      payload: { type: 'log-analysis-ingestion' },
    })
    const headers = { authorization: `Token ${world.tokens.other}` }
    expect((await app.inject({ url: '/v3/pipeline', headers })).json().data).toEqual([])
    const node = `/v3/pipeline/${id}/source/${source.json().data.id}`
    for (const [method, url] of [
      ['GET', `/v3/pipeline/${id}`],
      ['PUT', `/v3/pipeline/${id}`],
      ['DELETE', `/v3/pipeline/${id}`],
      ['POST', `/v3/pipeline/${id}/publish`],
      ['POST', `/v3/pipeline/${id}/source`],
      ['GET', node],
      ['PUT', node],
      ['DELETE', node],
    ] as const) {
      const body = url.includes('/source') ? { type: 'log-analysis-ingestion' } : { title: 'x' }
      const payload = method === 'PUT' || method === 'POST' ? { payload: body } : {}
      const response = await app.inject({ method, url, headers, ...payload })
      expect([method, url, response.statusCode]).toEqual([method, url, 404])
    }
    expect((await call({ url: node })).statusCode).toBe(200)
  })

  test('an enterprise token sees the pipelines of the child that it names, and no others', async () => {
    const { app, call, credentials } = world.installation
    await call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'of the first' } })
    const listed = async (account: string) => {
      const headers = { authorization: `Token ${world.tokens.enterprise}`, 'x-delegate-account-id': account }
      return (await app.inject({ url: '/v3/pipeline', headers })).json().data.length
    }
    expect(await listed(credentials.accountId)).toBeGreaterThan(0)
    expect(await listed(OTHER_ACCOUNT)).toBe(0)
  })
})

describe('ingestion', () => {
  const line = { lines: [{ line: 'hello' }] }
  const post = (headers: Record<string, string>, url = '/logs/ingest?hostname=h') =>
    world.installation.app.inject({ method: 'POST', url, headers, payload: line })

  test('accepts ingestion keys in every carrier, and access tokens with the right to ingest', async () => {
    const { ingestionKey, accountId } = world.installation.credentials
    const encoded = (text: string) => Buffer.from(text).toString('base64')
    const carriers: Record<string, string>[] = [
      { apikey: ingestionKey },
      { authorization: basic(ingestionKey) },
      { authorization: `Basic ${encoded(`username:${ingestionKey}`)}` },
      { authorization: `Token ${world.tokens.service}` },
      { authorization: `Bearer ${world.tokens.serviceIngest}` },
      { authorization: `Token ${world.tokens.enterprise}`, 'x-delegate-account-id': accountId },
    ]
    for (const headers of carriers) {
      const response = await post(headers)
      expect([headers, response.statusCode]).toEqual([headers, 200])
      expect(response.headers['x-auth-account-short-id']).toBe(accountId)
    }
    expect((await post({}, `/logs/ingest?hostname=h&apikey=${ingestionKey}`)).statusCode).toBe(200)
  })

  test('refuses everything else with 401, or with 403 if the caller is known but lacks the right', async () => {
    const { serviceKey, ingestionKey, accountId } = world.installation.credentials
    const cases: [Record<string, string>, number][] = [
      [{}, 401],
      [{ apikey: serviceKey }, 401],
      [{ apikey: 'f'.repeat(32), authorization: basic(ingestionKey) }, 401],
      [{ authorization: `Token ${ingestionKey}` }, 401],
      [{ authorization: `Token ${world.tokens.revoked}` }, 401],
      [{ authorization: `Token ${world.tokens.readonly}` }, 403],
      [{ authorization: `Token ${world.tokens.enterprise}` }, 403],
      [{ apikey: ingestionKey, 'x-delegate-account-id': accountId }, 403],
    ]
    for (const [headers, expected] of cases) {
      expect([headers, (await post(headers)).statusCode]).toEqual([headers, expected])
    }
  })

  test('is closed while the account is suspended', async () => {
    const installation = await testInstallation()
    const headers = { apikey: installation.credentials.ingestionKey }
    const send = () =>
      installation.app.inject({ method: 'POST', url: '/logs/ingest?hostname=h', headers, payload: line })
    expect((await send()).statusCode).toBe(200)
    await changeAccount(installation, { ingestionSuspended: true })
    expect((await send()).statusCode).toBe(403)
    await installation.app.close()
  })
})
