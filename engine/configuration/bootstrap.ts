import { DEFAULT_RETENTION_DAYS } from '../../schemas/log/cuts.ts'
import type { Clock } from '../clock/clock.ts'
import type { Entropy } from '../entropy/entropy.ts'
import { type Change, type ConfigurationLog, create } from './configuration-log.ts'
import {
  type AccessToken,
  type AccountKey,
  accessTokens,
  accountKeys,
  accounts,
  enterprises,
  INSTALLATION_KEY,
  type Installation,
  installations,
  type Plan,
  secretHash,
} from './entities.ts'
import { memberKey, members } from './kinds/members.ts'
import { newKey, newShortId, newToken } from './mint.ts'
import { ConfigurationRejected } from './rejection.ts'

/** Values that an operator can set instead of generated ones. */
export interface BootstrapValues {
  /** Ten hexadecimal digits. */
  readonly accountId?: string | undefined
  /** `sts_` and 40 hexadecimal digits. */
  readonly accessToken?: string | undefined
  /** `ste_` and 40 hexadecimal digits. */
  readonly enterpriseAccessToken?: string | undefined
  /** 32 hexadecimal digits, as is the service key. */
  readonly ingestionKey?: string | undefined
  readonly serviceKey?: string | undefined
  /** Retention of the account's lines in days. */
  readonly retentionDays?: number | undefined
}

/** Credentials in plain text; tokens are visible only this once. */
export interface BootstrapCredentials {
  readonly accountId: string
  readonly accessToken: string
  readonly enterpriseAccessToken: string
  readonly ingestionKey: string
  readonly serviceKey: string
}

export type Bootstrapped =
  | { readonly created: true; readonly credentials: BootstrapCredentials }
  | { readonly created: false; readonly accountId: string }

const OWNER_EMAIL = 'owner@weir.local'
const COMPANY = 'Weir'
const AUTHOR = { subjectId: 'bootstrap', account: '' }

/** Limits of an account unless an administrator sets others. */
export const DEFAULT_PLAN: Plan = {
  type: 'enterprise',
  maxPipelines: null,
  maxNodesPerPipeline: null,
  maxIngestionKeys: 10, // configuration and account API, section 9; also for the next line
  maxServiceKeys: 20,
}

const FORMATS = {
  accountId: /^[0-9a-f]{10}$/,
  accessToken: /^sts_[0-9a-f]{40}$/,
  enterpriseAccessToken: /^ste_[0-9a-f]{40}$/,
  ingestionKey: /^[0-9a-f]{32}$/,
  serviceKey: /^[0-9a-f]{32}$/,
} as const

/**
 * Creates an enterprise, an account, its owner and their credentials, unless the log has them. One event that expects version 0
 * does this, so of several processes that start together one wins, and the others use its result.
 *
 * @throws RangeError when a given value does not have the form that clients expect
 */
export async function bootstrap(
  log: ConfigurationLog,
  { clock, entropy }: { clock: Clock; entropy: Entropy },
  given: BootstrapValues = {},
): Promise<Bootstrapped> {
  checkForms(given)
  const present = log.get(installations, INSTALLATION_KEY)
  if (present !== undefined) return { created: false, accountId: present.value.account }
  const credentials: BootstrapCredentials = {
    accountId: given.accountId ?? newShortId(entropy),
    accessToken: given.accessToken ?? newToken('sts', entropy),
    enterpriseAccessToken: given.enterpriseAccessToken ?? newToken('ste', entropy),
    ingestionKey: given.ingestionKey ?? newKey(entropy),
    serviceKey: given.serviceKey ?? newKey(entropy),
  }
  try {
    await log.append(
      firstChanges(credentials, given.retentionDays ?? DEFAULT_RETENTION_DAYS, clock.wallMs(), entropy),
      AUTHOR,
    )
  } catch (error) {
    const winner = log.get(installations, INSTALLATION_KEY)
    if (!(error instanceof ConfigurationRejected) || winner === undefined) throw error
    return { created: false, accountId: winner.value.account }
  }
  return { created: true, credentials }
}

function checkForms(given: BootstrapValues): void {
  for (const [name, format] of Object.entries(FORMATS)) {
    const value = given[name as keyof typeof FORMATS]
    // The value may be secret, so the message does not contain it.
    if (value !== undefined && !format.test(value))
      throw new RangeError(`${name} must match ${format.source}`)
  }
}

function firstChanges(
  credentials: BootstrapCredentials,
  retentionDays: number,
  nowMs: number,
  entropy: Entropy,
): Change[] {
  const enterprise = newShortId(entropy)
  const account = credentials.accountId
  const installation: Installation = { enterprise, account }
  return [
    create(installations, INSTALLATION_KEY, installation),
    create(enterprises, enterprise, { name: COMPANY, createdAtMs: nowMs }),
    create(accounts, account, {
      id: entropy.uuid(),
      enterprise,
      company: COMPANY,
      ownerEmail: OWNER_EMAIL,
      plan: DEFAULT_PLAN,
      status: 'active',
      retentionDays,
      externalId: null,
      ingestionSuspended: false,
      createdAtMs: nowMs,
    }),
    create(members, memberKey(account, OWNER_EMAIL), {
      account,
      email: OWNER_EMAIL,
      role: 'owner',
      groups: [],
      subjectId: entropy.uuid(),
      createdAtMs: nowMs,
    }),
    tokenChange('service', credentials.accessToken, { account }, nowMs, entropy),
    tokenChange('enterprise', credentials.enterpriseAccessToken, { enterprise }, nowMs, entropy),
    keyChange('ingestion', credentials.ingestionKey, account, nowMs, entropy),
    keyChange('service', credentials.serviceKey, account, nowMs, entropy),
  ]
}

function tokenChange(
  kind: AccessToken['kind'],
  token: string,
  owner: { readonly account: string } | { readonly enterprise: string },
  createdAtMs: number,
  entropy: Entropy,
): Change {
  return create(accessTokens, entropy.uuid(), {
    kind,
    hash: secretHash(token),
    name: 'first start',
    account: null,
    enterprise: null,
    ...owner,
    subjectId: entropy.uuid(),
    email: null,
    scope: null,
    expiresAtMs: null,
    revoked: false,
    createdAtMs,
  })
}

function keyChange(
  type: AccountKey['type'],
  key: string,
  account: string,
  createdAtMs: number,
  entropy: Entropy,
): Change {
  return create(accountKeys, newShortId(entropy), { account, type, key, name: 'first start', createdAtMs })
}
