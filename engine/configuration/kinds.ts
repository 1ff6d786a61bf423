import { accessGroups } from './access-groups.ts'
import {
  accessKeys,
  accessTokens,
  accountKeys,
  accounts,
  deadLetterSettings,
  deployments,
  drafts,
  enterprises,
  exemptions,
  gatewayRoutes,
  installations,
  members,
  pipelines,
  revisions,
  spreadReports,
  spreads,
} from './entities.ts'
import type { AnyKind } from './kind.ts'

/** Every kind of entity that the configuration knows. */
export const KINDS: readonly AnyKind[] = [
  installations,
  enterprises,
  accounts,
  members,
  accessTokens,
  accountKeys,
  pipelines,
  drafts,
  revisions,
  deployments,
  gatewayRoutes,
  accessKeys,
  deadLetterSettings,
  exemptions,
  spreads,
  spreadReports,
  accessGroups,
]
