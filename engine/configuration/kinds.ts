import { acceptedLosses } from './accepted-losses.ts'
import { archivings } from './archiving.ts'
import { boards } from './boards.ts'
import { categories } from './categories.ts'
import { enterpriseKeys } from './enterprise-keys.ts'
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
  pipelines,
  revisions,
  spreadReports,
  spreads,
} from './entities.ts'
import { indexRateAlerts } from './index-rate-alert.ts'
import type { AnyKind } from './kind.ts'
import { lineRules } from './line-rules.ts'
import { accessGroups, members } from './members.ts'
import { presetAlerts } from './preset-alerts.ts'
import { quotaStates, quotas } from './quotas.ts'
import { streams } from './stream.ts'
import { suspensionTokens } from './suspension.ts'
import { tokenUses } from './token-uses.ts'
import { views } from './views.ts'

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
  categories,
  presetAlerts,
  views,
  boards,
  indexRateAlerts,
  archivings,
  streams,
  suspensionTokens,
  enterpriseKeys,
  lineRules,
  quotas,
  quotaStates,
  tokenUses,
  acceptedLosses,
]
