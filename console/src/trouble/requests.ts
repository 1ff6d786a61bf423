import type {
  DeadLetterRecord,
  DeadLetterReplayRecord,
  DeadLetterSettingsRecord,
} from '../../../schemas/http/pipeline/dead-letter-api.ts'
import { read } from '../api/request.ts'

export type { DeadLetterRecord, DeadLetterReplayRecord, DeadLetterSettingsRecord }

/** A page of failed events, the newest first. */
export interface LetterPage {
  readonly meta: {
    readonly page: { readonly next: string | null }
    readonly settings: DeadLetterSettingsRecord
  }
  readonly data: readonly DeadLetterRecord[]
}

export function readLetters(
  pipelineId: string,
  filter: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<LetterPage> {
  return read(`/v3/pipeline/${pipelineId}/dead-letter?${new URLSearchParams(filter)}`, { signal })
}

export async function replayLetters(pipelineId: string, body: object): Promise<DeadLetterReplayRecord> {
  const path = `/v3/pipeline/${pipelineId}/dead-letter/replay`
  return (await read<{ data: DeadLetterReplayRecord }>(path, { method: 'POST', body })).data
}

export async function writeSettings(
  pipelineId: string,
  settings: DeadLetterSettingsRecord,
): Promise<DeadLetterSettingsRecord> {
  const path = `/v3/pipeline/${pipelineId}/dead-letter`
  return (await read<{ data: DeadLetterSettingsRecord }>(path, { method: 'PUT', body: settings })).data
}
