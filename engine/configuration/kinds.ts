import { acceptedLosses } from './accepted-losses.ts'
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
import type { AnyKind } from './kind.ts'
import { archivings } from './kinds/archiving.ts'
import { boards } from './kinds/boards.ts'
import { categories } from './kinds/categories.ts'
import { enterpriseKeys } from './kinds/enterprise-keys.ts'
import { indexRateAlerts } from './kinds/index-rate-alert.ts'
import { lineRules } from './kinds/line-rules.ts'
import { accessGroups, members } from './kinds/members.ts'
import { presetAlerts } from './kinds/preset-alerts.ts'
import { profileResets } from './kinds/profile-reset.ts'
import { quarantines } from './kinds/quarantine.ts'
import { quotaStates, quotas } from './kinds/quotas.ts'
import { stateVariables } from './kinds/state-variables.ts'
import { streams } from './kinds/stream.ts'
import { suspensionTokens } from './kinds/suspension.ts'
import { tokenUses } from './kinds/token-uses.ts'
import { views } from './kinds/views.ts'

/** All kinds of entities of the configuration. */
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
  profileResets,
  stateVariables,
  quarantines,
]
