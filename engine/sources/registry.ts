import type { Source } from './define-source.ts'
import { logAnalysisIngestion } from './log-analysis-ingestion.ts'

/** Every source of this program: adding one is a file and a line here. */
export const SOURCES: readonly Source[] = [logAnalysisIngestion]

const BY_TYPE = new Map(
  SOURCES.flatMap(source => [source.type, ...(source.aliases ?? [])].map(type => [type, source] as const)),
)

/** @param type wire id or alias */
export function sourceOf(type: string): Source | undefined {
  return BY_TYPE.get(type)
}
