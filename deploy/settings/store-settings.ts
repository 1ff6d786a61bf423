import { setting } from './declaration.ts'
import { databaseName, port, text, url } from './setting-values.ts'

/** Settings of the store: a ClickHouse server, or "weir store". */
export const STORE_SETTINGS = {
  clickhouseUrl: setting(
    'CLICKHOUSE_URL',
    'Address of a ClickHouse server. Default: the embedded engine.',
    url,
    undefined,
  ),
  clickhouseUser: setting('CLICKHOUSE_USER', 'User name for the ClickHouse server.', text, 'default'),
  clickhousePassword: setting('CLICKHOUSE_PASSWORD', 'Password of the ClickHouse user.', text, '', {
    secret: true,
  }),
  clickhouseDatabase: setting(
    'CLICKHOUSE_DATABASE',
    'Database on the ClickHouse server.',
    databaseName,
    'weir',
  ),
  storeHost: setting('WEIR_STORE_HOST', 'Address on which "weir store" listens.', text, '127.0.0.1'),
  storePort: setting('WEIR_STORE_PORT', 'Port of "weir store"; 0 takes a free one.', port, 8123),
} as const
