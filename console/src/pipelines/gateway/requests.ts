import type {
  AccessKeyRecord,
  GatewayRouteRecord,
  NewAccessKeyRecord,
} from '../../../../schemas/http/pipeline/gateway-route.ts'
import { type RequestOptions, read, send } from '../../api/request.ts'

export type { AccessKeyRecord, GatewayRouteRecord, NewAccessKeyRecord }

const ROUTES = '/v3/pipeline/gateway-route'
const keysOf = (routeId: string) => `${ROUTES}/${encodeURIComponent(routeId)}/access-key`

async function data<Data>(path: string, options: RequestOptions): Promise<Data> {
  return (await read<{ data: Data }>(path, options)).data
}

/** Gateway routes of the account, the oldest first. */
export function readRoutes(signal: AbortSignal): Promise<readonly GatewayRouteRecord[]> {
  return data(ROUTES, { signal })
}

export function readAccessKeys(routeId: string, signal: AbortSignal): Promise<readonly AccessKeyRecord[]> {
  return data(keysOf(routeId), { signal })
}

/** @returns the key itself, which no other answer has */
export function createAccessKey(routeId: string, title: string): Promise<NewAccessKeyRecord> {
  return data(keysOf(routeId), { method: 'POST', body: { title, type: 'generated' } })
}

export async function removeAccessKey(routeId: string, keyId: string): Promise<void> {
  await send(`${keysOf(routeId)}/${encodeURIComponent(keyId)}`, { method: 'DELETE' })
}
