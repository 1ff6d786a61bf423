import type { Static } from 'typebox'
import type { SpreadRecord as SpreadSchema } from '../../../schemas/http/account/spread.ts'
import type {
  QuarantinedRecord,
  SystemPartition,
  SystemRates,
  SystemStatusRecord,
  SystemStore,
} from '../../../schemas/http/system-api.ts'
import { read, send } from '../api/request.ts'

export type SpreadRecord = Static<typeof SpreadSchema>
export type { QuarantinedRecord, SystemPartition, SystemRates, SystemStatusRecord, SystemStore }

async function data<Data>(path: string, signal: AbortSignal): Promise<Data> {
  return (await read<{ data: Data }>(`/v3/system/${path}`, { signal })).data
}

export function readStatus(signal: AbortSignal): Promise<SystemStatusRecord> {
  return data('status', signal)
}

/** Rates of the last hour, by minutes. */
export function readRates(signal: AbortSignal): Promise<SystemRates> {
  return data('metrics', signal)
}

/** Records of the log whose events fail at a node because an operator said so. */
export function readQuarantine(signal: AbortSignal): Promise<readonly QuarantinedRecord[]> {
  return data('quarantine', signal)
}

export async function readSpread(signal: AbortSignal): Promise<SpreadRecord> {
  return (await read<{ data: SpreadRecord }>('/v3/account/spread', { signal })).data
}

export async function writeSpread(enabled: boolean): Promise<void> {
  await send('/v3/account/spread', { method: 'PUT', body: { enabled } })
}
