import { hash } from 'node:crypto'
import type { AlertDocument, NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import { defineKind, type Kind, type Rule } from './kind.ts'
import type { Rejection, RejectionCode } from './rejection.ts'

/**
 * All kinds of entities of the configuration. An entity's key contains its unique text where possible: creating expects
 * version 0, so only one of two writers succeeds.
 */

export type Role = 'owner' | 'admin' | 'member' | 'readonly'

/** Result of the first start. Its key is always `INSTALLATION_KEY`. */
export interface Installation {
  readonly enterprise: string
  readonly account: string
}

/** Owner of accounts. Key: ten hexadecimal digits. */
export interface Enterprise {
  readonly name: string
  readonly createdAtMs: number
}

/** Account, to which lines and pipelines belong. Key: its short id, ten hexadecimal digits. */
export interface Account {
  /** UUID of the account. */
  readonly id: string
  /** Key of the enterprise, null for a lone account. */
  readonly enterprise: string | null
  readonly company: string
  readonly ownerEmail: string
  readonly plan: Plan
  readonly status: 'active' | 'deactivated' | 'pending'
  /** Retention of lines in days. */
  readonly retentionDays: number
  readonly externalId: string | null
  readonly ingestionSuspended: boolean
  /** Features by name, such as node types declare; those that are not listed are on. */
  readonly features?: Readonly<Record<string, boolean>>
  readonly createdAtMs: number
}

/**
 * Limits of an account. They are on the log and not in settings, because the fold must give the same result in every process.
 * null: no limit.
 */
export interface Plan {
  readonly type: string
  readonly maxPipelines: number | null
  readonly maxNodesPerPipeline: number | null
  readonly maxIngestionKeys: number | null
  readonly maxServiceKeys: number | null
  /** Personal tokens of one member; absent: `MAX_PERSONAL_TOKENS`. */
  readonly maxMemberKeys?: number
}

/** Token of the API. Key: UUID. Only the hash of its secret is stored. */
export interface AccessToken {
  readonly kind: 'user' | 'service' | 'enterprise'
  /** SHA-256 of the token, hexadecimal. */
  readonly hash: string
  readonly name: string
  /** Account of a user or service token. */
  readonly account: string | null
  /** Enterprise of an enterprise token. */
  readonly enterprise: string | null
  /** UUID of the user, service account or enterprise service account. */
  readonly subjectId: string
  /** Member of a user token, whose present role applies. */
  readonly email: string | null
  /** Scope to which the token was narrowed; null: not narrowed, all rights of its subject. */
  readonly scope: Role | 'ingest' | null
  readonly expiresAtMs: number | null
  readonly revoked: boolean
  readonly createdAtMs: number
  /** Key of the token that requested the present secret; absent: the first start. */
  readonly issuedBy?: string
  /** The previous secret, while it still works. */
  readonly previous?: { readonly hash: string; readonly untilMs: number }
}

/** Key of an account for ingestion or the API. Key: ten hexadecimal digits. */
export interface AccountKey {
  readonly account: string
  readonly type: 'ingestion' | 'service'
  /** Secret text of 32 hexadecimal digits. */
  readonly key: string
  readonly name: string
  readonly createdAtMs: number
}

/** Members of a pipeline except its nodes. Key: UUID, the same as that of its draft and its deployment. */
export interface Pipeline {
  readonly account: string
  readonly title: string
  readonly origin: string
  readonly deployType: string
  readonly deploymentGroups: readonly string[]
  readonly createdAtMs: number
  readonly updatedAtMs: number | null
  readonly published: { readonly revisionId: string; readonly atMs: number } | null
}

/** The nodes and alerts of a pipeline that are being edited. A draft is never run. */
export interface Draft {
  readonly account: string
  readonly nodes: readonly DraftNode[]
  /** Absent in drafts that never had an alert. */
  readonly alerts?: readonly AlertDocument[]
  /** Time of the last change of a node or an alert; null: none yet. */
  readonly updatedAtMs: number | null
}

export interface DraftNode extends NodeDocument {
  readonly description: string | null
  readonly generation: number
  /** Name in the pipeline's file; absent: the node has no name. It has no effect on processing. */
  readonly name?: string
}

/** A published document, never changed. Old ones are removed. Key: UUID. */
export interface Revision {
  readonly account: string
  readonly pipeline: string
  readonly document: PipelineDocument
  /** Descriptions of nodes, by id. They have no effect on processing, and are kept to be restored. Absent in older logs. */
  readonly descriptions?: Readonly<Record<string, string>>
  /** Names of nodes in the pipeline's file, by id, kept for the same reason. Absent: none. */
  readonly names?: Readonly<Record<string, string>>
  /** Ids of nodes of the own store whose lines go to another installation. Absent: none. */
  readonly elsewhere?: readonly string[]
  /** Number of the deployment that published it. Absent in older logs, where it equals the number of the revision. */
  readonly deployment?: number
  readonly createdAtMs: number
}

/**
 * Deployed revision of a pipeline. It outlives the pipeline, because partitions must learn that the pipeline was removed.
 * Key: the pipeline's id.
 */
export interface Deployment {
  readonly account: string
  /** Rises with each publication, pause and resumption, and once more when the pipeline is deleted. */
  readonly number: number
  /** null: nothing is deployed. */
  readonly revisionId: string | null
  /** true: the revision is deployed, but handles no events. See `pauseModeOf`, also for the next two. */
  readonly paused?: boolean
  /** true, together with `paused`: the events of its sources are dropped. */
  readonly drops?: boolean
  /** true: senders of its sources keep their events. The revision still handles those that were accepted before. */
  readonly held?: boolean
}

/**
 * An address with its own access keys that receives data for push sources. Key: UUID; a gateway route that a source made has the
 * source's id.
 */
export interface GatewayRoute {
  readonly account: string
  /** Wire id of the sources that may use it, as sent. */
  readonly type: string
  readonly title: string | null
  readonly description: string | null
  /** UUID that the API shows as `consumer_id`. */
  readonly consumerId: string
  /** true: it was made together with a source, and is removed with the last source that uses it. */
  readonly madeBySource: boolean
  readonly createdAtMs: number
}

/** Key for sending data to a gateway route. Key: UUID. Only the hash of the secret is stored. */
export interface AccessKey {
  readonly account: string
  readonly gatewayRoute: string
  readonly title: string
  /** SHA-256 of the key, hexadecimal. */
  readonly hash: string
  readonly createdAtMs: number
}

/** Settings for a pipeline's failed events. Key: the pipeline's id. */
export interface DeadLetterSettings {
  readonly account: string
  readonly enabled: boolean
  /** Retention of failed events in days. */
  readonly retentionDays: number
  /** Seconds during which delivery to a destination is retried before its events fail; null: forever. */
  readonly giveUpAfterS: number | null
}

/** A key that a throttle does not limit for a time. Key: see `exemptionKey`. */
export interface Exemption {
  readonly account: string
  readonly pipeline: string
  readonly node: string
  /** Text of the bucket key; null: the bucket of events without one. */
  readonly key: string | null
  /** End of the exemption, UNIX ms; 0: it was ended early. */
  readonly untilMs: number
  /** The latest end that the exemption ever had. */
  readonly lastMs: number
  readonly reason: string
  readonly createdAtMs: number
}

/** Whether an account's lines are distributed over all partitions. Key: the short id of the account. */
export interface Spread {
  readonly account: string
  readonly enabled: boolean
  /** Number of changes so far: 1, 2, 3, … */
  readonly change: number
  /** Earlier times during which its lines were on all partitions. */
  readonly spans: readonly SpreadSpan[]
}

/** Span of time with its start and end, UNIX ms. */
export interface SpreadSpan {
  readonly fromMs: number
  /** null: the span has not ended. */
  readonly untilMs: number | null
}

/** A partition's report that it has completed its part of a change. Key: `<account>/<partition>`. */
export interface SpreadReport {
  readonly account: string
  readonly partition: number
  readonly change: number
  readonly atMs: number
}

/** Maximum number of unexpired service tokens of an account, or of tokens of an enterprise. */
export const MAX_SERVICE_TOKENS = 100
/** Maximum number of unexpired personal tokens of a member, unless the plan sets another. */
export const MAX_PERSONAL_TOKENS = 20

/**
 * Maximum length of a draft as it is stored, some three megabytes of nodes: a change of one node writes all of them again. (Our
 * choice.)
 */
const MAX_DRAFT_CHARACTERS = 4_194_304

/** Maximum number of exemptions of an account in the configuration. */
export const MAX_EXEMPTIONS = 1_000

export const INSTALLATION_KEY = 'installation'

const ofAccount = (value: { readonly account: string }) => value.account

export const installations = defineKind<Installation>('installation')
export const enterprises = defineKind<Enterprise>('enterprise')
export const accounts = defineKind<Account>('account', { unique: { id: account => account.id } })
export const accessTokens: Kind<AccessToken> = defineKind<AccessToken>('token', {
  unique: { hash: token => token.hash, previousHash: token => token.previous?.hash },
  account: token => token.account ?? '',
  rules: [
    ({ before, after }, view) => {
      if (before !== undefined || after === undefined) return undefined
      const held = view
        .list(accessTokens, after.account ?? '')
        .filter(({ value }) => sharesTokenLimit(value, after) && isLive(value, after.createdAtMs)).length
      const plan = planOf(view.get(accounts, after.account ?? ''))
      const [limit, whose] =
        after.kind === 'user'
          ? [plan?.maxMemberKeys ?? MAX_PERSONAL_TOKENS, 'a member has']
          : [MAX_SERVICE_TOKENS, 'there are']
      if (held <= limit) return undefined
      return { code: 'TOKEN_LIMIT', message: `${whose} at most ${limit} tokens of that kind` }
    },
    // Revoking a token also stops requests that use it at the same moment to create another one.
    ({ before, after }, view) => {
      if (after?.issuedBy === undefined || after.hash === before?.hash) return undefined
      const issuer = view.get(accessTokens, after.issuedBy)
      if (issuer !== undefined && !issuer.value.revoked) return undefined
      return { code: 'ISSUER_GONE', message: 'the token of this request was revoked' }
    },
  ],
})
export const pipelines: Kind<Pipeline> = defineKind<Pipeline>('pipeline', {
  account: ofAccount,
  isUserSized: true,
  rules: [
    ({ before, after }, view) => {
      if (before !== undefined || after === undefined) return undefined
      const limit = planOf(view.get(accounts, after.account))?.maxPipelines ?? null
      return above(limit, view.count(pipelines, after.account), 'PIPELINE_LIMIT', 'pipelines')
    },
  ],
})
export const drafts = defineKind<Draft>('draft', {
  account: ofAccount,
  isUserSized: true,
  maxCharacters: MAX_DRAFT_CHARACTERS,
  sealed: ['nodes', 'alerts'],
  rules: [
    ({ before, after }, view) => {
      if (after === undefined) return undefined
      const limit = planOf(view.get(accounts, after.account))?.maxNodesPerPipeline ?? null
      // The limit is checked first: it is rarely set, and reading the nodes may decrypt them.
      if (limit === null || after.nodes.length <= (before?.nodes.length ?? 0)) return undefined
      return above(limit, after.nodes.length, 'NODE_LIMIT', 'nodes in a pipeline')
    },
  ],
})
/** Revisions do not count against the limit of the account: a publication removes old ones instead. */
export const revisions = defineKind<Revision>('revision', {
  account: ofAccount,
  sealed: ['document'],
  isDeferrable: true,
})
export const deployments = defineKind<Deployment>('deployment', { account: ofAccount })
export const accountKeys = defineKind<AccountKey>('key', {
  account: ofAccount,
  sealed: ['key'],
  unique: { hash: ({ key }) => secretHash(key) },
  rules: [
    keyLimit('ingestion', plan => plan.maxIngestionKeys),
    keyLimit('service', plan => plan.maxServiceKeys),
  ],
})

export const gatewayRoutes = defineKind<GatewayRoute>('gateway-route', {
  account: ofAccount,
  isUserSized: true,
})
export const accessKeys = defineKind<AccessKey>('access-key', {
  account: ofAccount,
  isUserSized: true,
  unique: { hash: key => key.hash },
})

export const deadLetterSettings = defineKind<DeadLetterSettings>('dead-letter', { account: ofAccount })
export const exemptions: Kind<Exemption> = defineKind<Exemption>('exemption', {
  account: ofAccount,
  rules: [
    ({ before, after }, view) => {
      if (before !== undefined || after === undefined) return undefined
      if (view.count(exemptions, after.account) <= MAX_EXEMPTIONS) return undefined
      const message = `an account has at most ${MAX_EXEMPTIONS} exemptions; an exemption that was ended early counts until its original end`
      return { code: 'EXEMPTION_LIMIT', message }
    },
  ],
})
export const spreads = defineKind<Spread>('spread', { account: ofAccount })
export const spreadReports = defineKind<SpreadReport>('spread-report', {
  account: ofAccount,
  audited: false,
})

/** SHA-256 in hexadecimal digits. Secrets are looked up by their hash, so that the duration reveals nothing about them. */
export function secretHash(secret: string): string {
  return hash('sha256', secret)
}

/** `<pipeline>/<node>/<SHA-256 of the bucket key>`, or `…/default`. */
export function exemptionKey(pipeline: string, node: string, key: string | null): string {
  if (key === null) return `${pipeline}/${node}/default`
  // UTF-8 cannot encode half a surrogate pair; two such keys must not get the same hash.
  const bytes = key.isWellFormed() ? Buffer.from(key) : Buffer.from(key, 'utf16le')
  return `${pipeline}/${node}/${hash('sha256', bytes)}`
}

function sharesTokenLimit(token: AccessToken, other: AccessToken): boolean {
  if (token.kind !== other.kind || token.enterprise !== other.enterprise) return false
  return token.kind !== 'user' || token.subjectId === other.subjectId
}

function isLive({ revoked, expiresAtMs }: AccessToken, nowMs: number): boolean {
  return !revoked && (expiresAtMs === null || expiresAtMs > nowMs)
}

function keyLimit(type: AccountKey['type'], limitOf: (plan: Plan) => number | null): Rule<AccountKey> {
  return ({ before, after }, view) => {
    if (before !== undefined || after?.type !== type) return undefined
    const plan = planOf(view.get(accounts, after.account))
    const held = view.list(accountKeys, after.account).filter(({ value }) => value.type === type).length
    return above(plan === undefined ? null : limitOf(plan), held, 'KEY_LIMIT', `${type} keys`)
  }
}

function planOf(account: { readonly value: Account } | undefined): Plan | undefined {
  return account?.value.plan
}

function above(
  limit: number | null,
  count: number,
  code: RejectionCode,
  what: string,
): Rejection | undefined {
  if (limit === null || count <= limit) return undefined
  return { code, message: `the plan allows ${limit} ${what}` }
}
