import type { Static } from 'typebox'
import type { IngestionStatus, SuspensionOffer } from '../../../schemas/http/account/ingestion-state.ts'
import { actingFor } from './delegation.ts'
import { read, send } from './request.ts'

const INGESTION = '/v1/config/ingestion'

export function readIngestion(signal: AbortSignal): Promise<Static<typeof IngestionStatus>> {
  return read(`${INGESTION}/status`, { signal })
}

/**
 * First step of a suspension.
 *
 * @param account account of the enterprise; absent: that of the page
 * @returns the token that confirms it
 */
export async function offerSuspension(account?: string): Promise<string> {
  const { token } = await read<Static<typeof SuspensionOffer>>(`${INGESTION}/suspend`, {
    method: 'POST',
    headers: actingFor(account),
  })
  return token
}

/** Suspends ingestion of an account. @param token that of the first step @throws Problem */
export async function confirmSuspension(token: string, account?: string): Promise<void> {
  await send(`${INGESTION}/suspend/confirm`, {
    method: 'POST',
    body: { token },
    headers: actingFor(account),
  })
}

/** @throws Problem */
export async function resumeIngestion(account?: string): Promise<void> {
  await send(`${INGESTION}/resume`, { method: 'POST', headers: actingFor(account) })
}
