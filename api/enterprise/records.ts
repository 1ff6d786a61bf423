import type { Account, Enterprise, Plan } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import type { AccountRecord, EnterpriseRecord } from '../../schemas/http/account/account-api.ts'
import { isoTime } from '../http/iso-time.ts'

/** Maximum number of days that clients of accounts accept and show. */
const MAX_SHOWN_RETENTION_DAYS = 90

/**
 * Days as clients of accounts know them: for an account that keeps lines longer (`/v1/config/retention`), the maximum.
 */
export function shownRetention({ retentionDays }: Pick<Account, 'retentionDays'>): number {
  return Math.min(retentionDays, MAX_SHOWN_RETENTION_DAYS)
}

export function accountRecord({ id, value }: Entity<Account>): AccountRecord {
  return {
    account: id,
    account_id: id,
    enterprise_id: value.enterprise,
    company: value.company,
    owneremail: value.ownerEmail,
    plan: planRecord(value.plan),
    status: value.status,
    retention: shownRetention(value),
    quota: { retention: shownRetention(value) },
    external_id: value.externalId,
    created: isoTime(value.createdAtMs),
    ...(value.features?.throttle === false ? { features: { throttle: false } } : {}),
    meta: { suspendIngestion: value.ingestionSuspended },
  }
}

function planRecord({ type, maxPipelines, maxNodesPerPipeline }: Plan): AccountRecord['plan'] {
  return {
    type,
    ...(maxPipelines === null ? {} : { max_pipelines: maxPipelines }),
    ...(maxNodesPerPipeline === null ? {} : { max_nodes_per_pipeline: maxNodesPerPipeline }),
  }
}

export function enterpriseRecord(
  { id, value }: Entity<Enterprise>,
  children: readonly Entity<Account>[],
): EnterpriseRecord {
  return {
    enterprise: id,
    enterprise_id: id,
    name: value.name,
    created: isoTime(value.createdAtMs),
    accounts: children.map(accountRecord),
  }
}
