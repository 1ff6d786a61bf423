import { MAX_RETENTION_DAYS } from '../../schemas/http/account/retention-api.ts'
import { setting } from './declaration.ts'
import {
  folder,
  type GivenServiceKey,
  integer,
  key32,
  matching,
  oneOf,
  serviceKeys,
  token,
} from './setting-values.ts'

/** Settings of the data, and of the things that a first start creates. */
export const INSTALLATION_SETTINGS = {
  dataDirectory: setting(
    'WEIR_DATA_DIR',
    'Folder of the log, the store and the credentials.',
    folder,
    './weir-data',
  ),
  secretKey: setting(
    'WEIR_SECRET_KEY',
    'Key that encrypts stored secrets; 64 hexadecimal digits. Default: a new key in the data folder.',
    matching(/^[0-9a-f]{64}$/i, '64 hexadecimal digits'),
    undefined,
    { secret: true },
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'Minimum severity of log messages.',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
  ),
  retentionDays: setting(
    'WEIR_RETENTION_DAYS',
    'Retention in days of the account that a first start creates; later "weir retention set" changes it. Default: 30.',
    integer(1, MAX_RETENTION_DAYS) as (value: string) => number | undefined,
    undefined,
  ),
  serviceKeys: setting(
    'WEIR_SERVICE_KEYS',
    'Comma-separated account:key pairs; each start creates the missing service keys.',
    serviceKeys,
    [] as readonly GivenServiceKey[],
    { secret: true },
  ),
  bootstrapAccountId: setting(
    'WEIR_BOOTSTRAP_ACCOUNT_ID',
    'Short id of the account that a first start creates.',
    matching(/^[0-9a-f]{10}$/, 'ten lower-case hexadecimal digits'),
    undefined,
  ),
  bootstrapAccessToken: setting(
    'WEIR_BOOTSTRAP_ACCESS_TOKEN',
    'Access token that a first start creates.',
    token('sts'),
    undefined,
    { secret: true },
  ),
  bootstrapEnterpriseAccessToken: setting(
    'WEIR_BOOTSTRAP_ENTERPRISE_ACCESS_TOKEN',
    'Enterprise token that a first start creates.',
    token('ste'),
    undefined,
    { secret: true },
  ),
  bootstrapIngestionKey: setting(
    'WEIR_BOOTSTRAP_INGESTION_KEY',
    'Ingestion key that a first start creates.',
    key32,
    undefined,
    { secret: true },
  ),
  bootstrapServiceKey: setting(
    'WEIR_BOOTSTRAP_SERVICE_KEY',
    'Service key that a first start creates.',
    key32,
    undefined,
    { secret: true },
  ),
} as const
