import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { type ApiClient, apiClient } from '../api-client.ts'
import type { Address } from '../connection.ts'
import { type Pipeline, publishPipeline } from '../pipeline/pipeline-access.ts'
import type { World } from '../world.ts'
import { DEMO_TITLE, demoPipeline } from './demo-pipeline.ts'

/** Name by which the enterprise knows the account. */
const EXTERNAL_ID = 'weir-demo'
const COMPANY = 'Weir demo'
const RETENTION_DAYS = 3
const TOKEN_NAME = 'weir demo'
const TOKEN_S = 7 * 86_400

/** Account of the sample data. */
export interface DemoAccount {
  readonly shortId: string
  readonly ingestionKey: string
  /** Whether it was just made, and has no lines yet. */
  readonly isNew: boolean
  /** API of the account, with the rights of the enterprise. */
  readonly api: ApiClient
}

interface AccountRecord extends JsonObject {
  account: string
  external_id: string | null
  status: string
}

interface KeyRecord extends JsonObject {
  id: string
  key: string
}

/** @param enterprise address of the API with an access token of the enterprise */
export async function demoAccount(enterprise: Address, world: World): Promise<DemoAccount> {
  const api = apiClient(enterprise, world)
  const found = await existing(api)
  if (found === undefined) {
    const body = {
      company: COMPANY,
      owneremail: 'demo@weir.invalid',
      external_id: EXTERNAL_ID,
      retention: RETENTION_DAYS,
    }
    const made = dataOf(
      await api.json('/v3/enterprise/account', { method: 'POST', body }),
    ) as AccountRecord & {
      ingestion_key: string
    }
    return {
      shortId: made.account,
      ingestionKey: made.ingestion_key,
      isNew: true,
      api: delegated(enterprise, made.account, world),
    }
  }
  if (found.status !== 'active') await api.json(`${pathOf(found)}/resume`, { method: 'POST' })
  const own = delegated(enterprise, found.account, world)
  return { shortId: found.account, ingestionKey: await ingestionKey(own), isNew: false, api: own }
}

/** Publishes the pipeline of the sample data, unless the account has one: it may have been changed on purpose. */
export async function publishDemoPipeline({ api }: DemoAccount, ratePerS: number): Promise<void> {
  if ((await pipelinesOf(api)).length > 0) return
  const body = demoPipeline(ratePerS)
  const made = dataOf(await api.json('/v3/pipeline/import', { method: 'PUT', body })) as Pipeline
  await publishPipeline(api, made.id, false)
}

/** Makes an access token of the account, which a session of the console holds. */
export async function demoToken({ api }: DemoAccount): Promise<string> {
  const body = { name: TOKEN_NAME, kind: 'service', expires: TOKEN_S }
  const { token } = (await api.json('/v1/config/tokens', { method: 'POST', body })) as { token: string }
  return token
}

/**
 * Withdraws the pipelines of the account, revokes its credentials, and suspends it. Its lines end with their retention.
 *
 * @returns false if there is no such account
 */
export async function removeDemo(enterprise: Address, world: World): Promise<boolean> {
  const api = apiClient(enterprise, world)
  const found = await existing(api)
  if (found === undefined || found.status !== 'active') return false
  const own = delegated(enterprise, found.account, world)
  for (const { id } of await pipelinesOf(own))
    await own.json(`/v3/pipeline/${encodeURIComponent(id)}`, { method: 'DELETE' })
  for (const { id } of (await own.json('/v1/config/tokens')) as JsonObject[])
    await own.json(`/v1/config/tokens/${String(id)}`, { method: 'DELETE' })
  for (const { id } of await keysOf(own)) await own.json(`/v1/config/keys/${id}`, { method: 'DELETE' })
  await api.json(`${pathOf(found)}/suspend`, { method: 'POST' })
  return true
}

async function existing(api: ApiClient): Promise<AccountRecord | undefined> {
  const accounts = dataOf(await api.json('/v3/enterprise/account')) as AccountRecord[]
  return accounts.find(({ external_id: id }) => id === EXTERNAL_ID)
}

async function ingestionKey(own: ApiClient): Promise<string> {
  const [first] = await keysOf(own)
  if (first !== undefined) return first.key
  const made = await own.json('/v1/config/keys', {
    method: 'POST',
    query: { type: 'ingestion' },
    body: { name: DEMO_TITLE.slice(0, 30) },
  })
  return (made as KeyRecord).key
}

async function keysOf(own: ApiClient): Promise<KeyRecord[]> {
  return (await own.json('/v1/config/keys', { query: { type: 'ingestion' } })) as KeyRecord[]
}

async function pipelinesOf(own: ApiClient): Promise<Pipeline[]> {
  return dataOf(await own.json('/v3/pipeline')) as Pipeline[]
}

function delegated(enterprise: Address, account: string, world: World): ApiClient {
  return apiClient({ ...enterprise, account }, world)
}

function pathOf({ account }: AccountRecord): string {
  return `/v3/enterprise/account/${encodeURIComponent(account)}`
}

/** The resource without its envelope. */
function dataOf(answer: JsonValue): JsonValue {
  return (answer as JsonObject).data ?? null
}
