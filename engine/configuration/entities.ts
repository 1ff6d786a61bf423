import { hash } from 'node:crypto'
import type { AlertDocument, NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import { defineKind, type Kind, type Rule } from './kind.ts'
import type { Rejection, RejectionCode } from './rejection.ts'

/**
 * Every kind of entity that the configuration knows. An entity's key is chosen so that what must be unique is
 * its key where that is possible: creating expects version 0, hence only one of two writers succeeds.
 */

export type Role = 'owner' | 'admin' | 'member' | 'readonly'

/** What the first start made; key: always `INSTALLATION_KEY`. */
export interface Installation {
  readonly enterprise: string
  readonly account: string
}

/** Key: ten hexadecimal digits. */
export interface Enterprise {
  readonly name: string
  readonly createdAtMs: number
}

/** Key: the short id, ten hexadecimal digits. */
export interface Account {
  /** UUID. */
  readonly id: string
  /** Key of the enterprise, null for a lone account. */
  readonly enterprise: string | null
  readonly company: string
  readonly ownerEmail: string
  readonly plan: Plan
  readonly status: 'active' | 'deactivated' | 'pending'
  /** Days that lines are kept. */
  readonly retentionDays: number
  readonly externalId: string | null
  readonly ingestionSuspended: boolean
  /** Absent: every feature is on. */
  readonly features?: AccountFeatures
  readonly createdAtMs: number
}

/** What of the product an account has; what is not named is on. */
export interface AccountFeatures {
  /** The throttle processor, which is a beta. */
  readonly throttle?: boolean
}

/**
 * Limits stand here, on the log, and not in anybody's settings: the fold must come to the same verdict everywhere.
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

/** Key: UUID. The secret itself is nowhere, only its hash. */
export interface AccessToken {
  readonly kind: 'user' | 'service' | 'enterprise'
  /** SHA-256 of the token, hexadecimal. */
  readonly hash: string
  readonly name: string
  /** Of user and service tokens. */
  readonly account: string | null
  /** Of enterprise tokens. */
  readonly enterprise: string | null
  /** UUID of the user, service account or enterprise service account. */
  readonly subjectId: string
  /** Of user tokens: the member whose present role holds. */
  readonly email: string | null
  /** Narrows what the token may do; null: all that its subject may. */
  readonly scope: Role | 'ingest' | null
  readonly expiresAtMs: number | null
  readonly revoked: boolean
  readonly createdAtMs: number
  /** Key of the token that the present secret was asked for with; absent: the first start. */
  readonly issuedBy?: string
  /** The secret before the present one, while it still works. */
  readonly previous?: { readonly hash: string; readonly untilMs: number }
}

/** Key: ten hexadecimal digits. */
export interface AccountKey {
  readonly account: string
  readonly type: 'ingestion' | 'service'
  /** 32 hexadecimal digits. */
  readonly key: string
  readonly name: string
  readonly createdAtMs: number
}

/** What a pipeline is besides its nodes. Key: UUID, the same as its draft's and its deployment's. */
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

/** The nodes of a pipeline and their alerts as they are being edited; nothing runs from here. */
export interface Draft {
  readonly account: string
  readonly nodes: readonly DraftNode[]
  /** Absent in drafts that never had one. */
  readonly alerts?: readonly AlertDocument[]
  /** When a node or an alert was last changed; null until then. */
  readonly updatedAtMs: number | null
}

export interface DraftNode extends NodeDocument {
  readonly description: string | null
  readonly generation: number
  /** What it is called in the pipeline's file; absent: nobody has named it. It does not run. */
  readonly name?: string
}

/** A published document, never changed. Key: UUID. */
export interface Revision {
  readonly account: string
  readonly pipeline: string
  readonly document: PipelineDocument
  /** Of its nodes, by id: they do not run, and are kept to be restored. Absent in older logs. */
  readonly descriptions?: Readonly<Record<string, string>>
  /** What its nodes are called in the pipeline's file, by id, kept alike. Absent: nothing. */
  readonly names?: Readonly<Record<string, string>>
  /** Number of the deployment that brought it. Absent in older logs, where it is that of the revision. */
  readonly deployment?: number
  readonly createdAtMs: number
}

/**
 * What of a pipeline runs. It outlives the pipeline, because partitions must be told that it is gone.
 * Key: the pipeline's id.
 */
export interface Deployment {
  readonly account: string
  /** Rises with each publication, pause and resumption, and once more when the pipeline goes. */
  readonly number: number
  /** null: nothing. */
  readonly revisionId: string | null
  /** It is deployed and handles nothing. */
  readonly paused?: boolean
}

/**
 * Where push sources are sent to: an address with access keys of its own. Key: UUID; a route that a source made has
 * the source's id.
 */
export interface GatewayRoute {
  readonly account: string
  /** Wire id of the sources that may use it, as it was sent. */
  readonly type: string
  readonly title: string | null
  readonly description: string | null
  /** UUID. */
  readonly consumerId: string
  /** Made along with a source: it goes with the last source that uses it. */
  readonly madeBySource: boolean
  readonly createdAtMs: number
}

/** Lets data in at a gateway route. Key: UUID. The key itself is nowhere, only its hash. */
export interface AccessKey {
  readonly account: string
  readonly gatewayRoute: string
  readonly title: string
  /** SHA-256 of the key, hexadecimal. */
  readonly hash: string
  readonly createdAtMs: number
}

/** What becomes of a pipeline's events that fail. Key: the pipeline's id. */
export interface DeadLetterSettings {
  readonly account: string
  readonly enabled: boolean
  /** How long they are kept. */
  readonly retentionDays: number
  /** How long a destination is tried before its events fail; null: for ever. */
  readonly giveUpAfterS: number | null
}

/** A key of a throttle that is not judged for a time. Key: see `exemptionKey`. */
export interface Exemption {
  readonly account: string
  readonly pipeline: string
  readonly node: string
  /** Text of the bucket key; null: the bucket of events without one. */
  readonly key: string | null
  /** UNIX ms; 0: ended before its time. */
  readonly untilMs: number
  /** The latest end that it ever had. */
  readonly lastMs: number
  readonly reason: string
  readonly createdAtMs: number
}

/** Whether an account's lines go to all partitions. Key: the short id of the account. */
export interface Spread {
  readonly account: string
  readonly enabled: boolean
  /** 1, 2, 3, …: how often it was changed. */
  readonly change: number
  /** When its lines were on all partitions before. */
  readonly spans: readonly SpreadSpan[]
}

/** UNIX ms. */
export interface SpreadSpan {
  readonly fromMs: number
  /** null: it lasts. */
  readonly untilMs: number | null
}

/** A partition's word that it has done its part of a change. Key: `<account>/<partition>`. */
export interface SpreadReport {
  readonly account: string
  readonly partition: number
  readonly change: number
  readonly atMs: number
}

/** Service tokens of one account, or tokens of one enterprise, that have not expired. */
export const MAX_SERVICE_TOKENS = 100
/** The same of one member, unless the plan says otherwise. */
export const MAX_PERSONAL_TOKENS = 20

/** Exemptions of one account that the configuration holds. */
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
    // Whoever revokes a token has stopped it, also where it is asking for another one at the same moment.
    ({ before, after }, view) => {
      if (after?.issuedBy === undefined || after.hash === before?.hash) return undefined
      const issuer = view.get(accessTokens, after.issuedBy)
      if (issuer !== undefined && !issuer.value.revoked) return undefined
      return { code: 'ISSUER_GONE', message: 'the token that asks was revoked' }
    },
  ],
})
export const pipelines: Kind<Pipeline> = defineKind<Pipeline>('pipeline', {
  account: ofAccount,
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
  sealed: ['nodes', 'alerts'],
  rules: [
    ({ before, after }, view) => {
      if (after === undefined) return undefined
      const limit = planOf(view.get(accounts, after.account))?.maxNodesPerPipeline ?? null
      // The limit is asked for first: there is seldom one, and the nodes may have to be opened.
      if (limit === null || after.nodes.length <= (before?.nodes.length ?? 0)) return undefined
      return above(limit, after.nodes.length, 'NODE_LIMIT', 'nodes in a pipeline')
    },
  ],
})
export const revisions = defineKind<Revision>('revision', { account: ofAccount, sealed: ['document'] })
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

export const gatewayRoutes = defineKind<GatewayRoute>('gateway-route', { account: ofAccount })
export const accessKeys = defineKind<AccessKey>('access-key', {
  account: ofAccount,
  unique: { hash: key => key.hash },
})

export const deadLetterSettings = defineKind<DeadLetterSettings>('dead-letter', { account: ofAccount })
export const exemptions: Kind<Exemption> = defineKind<Exemption>('exemption', {
  account: ofAccount,
  rules: [
    ({ before, after }, view) => {
      if (before !== undefined || after === undefined) return undefined
      if (view.count(exemptions, after.account) <= MAX_EXEMPTIONS) return undefined
      const message = `an account has at most ${MAX_EXEMPTIONS} exemptions; one that was ended early counts until its time would have been over`
      return { code: 'EXEMPTION_LIMIT', message }
    },
  ],
})
export const spreads = defineKind<Spread>('spread', { account: ofAccount })
export const spreadReports = defineKind<SpreadReport>('spread-report', {
  account: ofAccount,
  audited: false,
})

/** SHA-256 in hexadecimal digits: how secrets are looked up, so that the time it takes tells nothing of them. */
export function secretHash(secret: string): string {
  return hash('sha256', secret)
}

/** `<pipeline>/<node>/<SHA-256 of the bucket key>`, or `…/default`. */
export function exemptionKey(pipeline: string, node: string, key: string | null): string {
  if (key === null) return `${pipeline}/${node}/default`
  // UTF-8 has no way to write half a surrogate pair: two such keys must not become one.
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
