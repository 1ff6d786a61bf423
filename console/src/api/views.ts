import type { ViewRecord, ViewWrite } from '../../../schemas/http/account/view.ts'
import { read, send } from './request.ts'

export type { ViewRecord }

const PATH = '/v1/config/view'

/** Saved views of the account. @throws Problem */
export function views(signal: AbortSignal): Promise<readonly ViewRecord[]> {
  return read(PATH, { signal })
}

/** @throws Problem */
export function createView(view: ViewWrite): Promise<ViewRecord> {
  return read(PATH, { method: 'POST', body: view })
}

/** Replaces a view as a whole. @throws Problem */
export function replaceView(id: string, view: ViewWrite): Promise<ViewRecord> {
  return read(`${PATH}/${encodeURIComponent(id)}`, { method: 'PUT', body: view })
}

/** @throws Problem */
export async function deleteView(id: string): Promise<void> {
  await send(`${PATH}/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
