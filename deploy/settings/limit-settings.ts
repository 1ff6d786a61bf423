import { type SettingsOf, setting } from './declaration.ts'
import { integer, requestCount } from './setting-values.ts'

/** Limits of accounts and requests. */
export const LIMIT_SETTINGS = {
  bodyLimitBytes: setting(
    'WEIR_BODY_LIMIT_BYTES',
    'Maximum size of a request body.',
    integer(1024, 12 * 1024 ** 2),
    2_097_152,
  ),
  maxObjectBytes: setting(
    'WEIR_MAX_OBJECT_BYTES',
    'Maximum size of the body of a view, a board, or another object of /v1/config; a larger one gets 400.',
    integer(1024, 12 * 1024 ** 2),
    262_144,
  ),
  maxAccountCharacters: setting(
    'WEIR_MAX_ACCOUNT_CHARACTERS',
    'Maximum length of all views, boards, pipelines and other objects of an account together, as they are stored.',
    integer(65_536, 1024 ** 3),
    16_777_216,
  ),
  changeBytesPerHour: setting(
    'WEIR_CHANGE_BYTES_PER_HOUR',
    'Bytes of configuration changes per account and hour, at each process; an enterprise has four times as many. Unused ones are saved up for 8 hours. More get 429, except deletions.',
    integer(4_194_304, 1024 ** 4),
    33_554_432,
  ),
  maxIngestionKeys: setting(
    'WEIR_MAX_INGESTION_KEYS',
    'Maximum number of ingestion keys per account. Default: the limit of its plan, which is 10.',
    integer(1, 100_000) as (value: string) => number | undefined,
    undefined,
  ),
  maxServiceKeys: setting(
    'WEIR_MAX_SERVICE_KEYS',
    'Maximum number of service keys per account. Default: the limit of its plan, which is 20.',
    integer(1, 100_000) as (value: string) => number | undefined,
    undefined,
  ),
  maxMemberKeys: setting(
    'WEIR_MAX_MEMBER_KEYS',
    "Maximum number of personal access tokens per member. Default: the limit of the account's plan, which is 20.",
    integer(1, 10_000) as (value: string) => number | undefined,
    undefined,
  ),
  rateLimitApi: setting(
    'WEIR_RATE_LIMIT_API',
    'API requests per second and credential, at each process; more get 429. Default: no limit.',
    requestCount,
    undefined,
  ),
  rateLimitApiBurst: setting(
    'WEIR_RATE_LIMIT_API_BURST',
    'Maximum number of these requests at once. Default: the number of one second.',
    requestCount,
    undefined,
  ),
  rateLimitIngest: setting(
    'WEIR_RATE_LIMIT_INGEST',
    'Ingestion requests per second and credential, at each process; more get 429, and some senders then drop their lines. Default: no limit.',
    requestCount,
    undefined,
  ),
  rateLimitIngestBurst: setting(
    'WEIR_RATE_LIMIT_INGEST_BURST',
    'Maximum number of these requests at once. Default: the number of one second.',
    requestCount,
    undefined,
  ),
  maxExportLines: setting(
    'WEIR_MAX_EXPORT_LINES',
    'Maximum number of lines of one /v1/export, also without a requested size. Pages of /v2/export have up to 10000.',
    integer(1, 20_000),
    10_000,
  ),
  maxExportsPerAccount: setting(
    'WEIR_MAX_EXPORTS_PER_ACCOUNT',
    'Maximum number of simultaneous exports per account, at each process; more get 429. Default: no limit.',
    requestCount,
    undefined,
  ),
  maxTails: setting('WEIR_MAX_TAILS', 'Maximum number of live tails per process.', integer(0, 10_000), 200),
  maxTailsPerAccount: setting(
    'WEIR_MAX_TAILS_PER_ACCOUNT',
    'Maximum number of live tails per account, at each process.',
    integer(0, 10_000),
    20,
  ),
  maxTapsPerAccount: setting(
    'WEIR_MAX_TAPS_PER_ACCOUNT',
    'Maximum number of taps on pipelines per account, at each process. A process has at most 100, of all accounts together.',
    integer(1, 10_000),
    10,
  ),
  suspensionTokenMinutes: setting(
    'WEIR_SUSPENSION_TOKEN_MINUTES',
    'Minutes for which the token that confirms a suspension of ingestion is valid.',
    integer(1, 24 * 60),
    15,
  ),
} as const

export function limitProblems(settings: SettingsOf<typeof LIMIT_SETTINGS>): string[] {
  const pairs = [
    ['WEIR_RATE_LIMIT_API', settings.rateLimitApi, settings.rateLimitApiBurst],
    ['WEIR_RATE_LIMIT_INGEST', settings.rateLimitIngest, settings.rateLimitIngestBurst],
  ] as const
  return pairs
    .filter(([, rate, burst]) => rate === undefined && burst !== undefined)
    .map(([name]) => `${name}_BURST has no effect unless ${name} is set`)
}
