import { byWireId } from '../graph/node-declaration.ts'
import type { Source } from './define-source.ts'
import { logAnalysisIngestion } from './log-analysis-ingestion.ts'

/** Every source of the contract: adding one is a file and a line here. */
export const SOURCES: readonly Source[] = [logAnalysisIngestion]

const BY_TYPE = byWireId(SOURCES)

/** @param type wire id or alias */
export function sourceOf(type: string): Source | undefined {
  return BY_TYPE.get(type)
}
