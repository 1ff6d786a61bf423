import type { CidrBlock } from '../../engine/addresses/cidr.ts'
import { type SettingsOf, setting } from './declaration.ts'
import {
  networks,
  oneOf,
  optionalPort,
  optionalText,
  origins,
  port,
  proxyList,
  regularExpression,
  text,
} from './setting-values.ts'

/** Settings of the HTTP servers, and of connections that are made for users. */
export const HTTP_SETTINGS = {
  host: setting('WEIR_HOST', 'Address to listen on.', text, '127.0.0.1'),
  port: setting('WEIR_PORT', 'Port of the API and of ingestion; 0 takes a free one.', port, 8080),
  ingestPort: setting(
    'WEIR_INGEST_PORT',
    'Separate port for ingestion. Default: ingestion uses WEIR_PORT.',
    optionalPort,
    undefined,
  ),
  metricsPort: setting(
    'WEIR_METRICS_PORT',
    'Additional port that serves only /metrics, /readyz and /healthz; 0 takes a free one. Default: none.',
    optionalPort,
    undefined,
  ),
  console: setting(
    'WEIR_CONSOLE',
    'on: the API serves the web console at /console/. off: it does not.',
    oneOf('on', 'off'),
    'on',
  ),
  signInLink: setting(
    'WEIR_SIGN_IN_LINK',
    'on: the start of one process on a terminal, and "weir console", print a link that signs the local user in once. off: they do not.',
    oneOf('on', 'off'),
    'on',
  ),
  tlsCertificate: setting(
    'WEIR_TLS_CERT',
    'Path of the PEM certificate chain for HTTPS.',
    optionalText,
    undefined,
  ),
  tlsKey: setting('WEIR_TLS_KEY', 'Path of the PEM private key for HTTPS.', optionalText, undefined),
  ingestHost: setting(
    'WEIR_INGEST_HOST',
    'Host, with a port if needed, at which senders reach ingestion: the default host of log-analysis destinations. Default: WEIR_HOST and its port.',
    optionalText,
    undefined,
  ),
  logHostPattern: setting(
    'WEIR_LOG_HOST_PATTERN',
    'Regular expression for the hosts that log-analysis destinations may use. Default: any host.',
    regularExpression,
    undefined,
  ),
  trustedProxies: setting(
    'WEIR_TRUSTED_PROXIES',
    'Comma-separated addresses or networks of proxies whose x-forwarded-for is trusted.',
    proxyList,
    [] as readonly string[],
  ),
  corsOrigins: setting(
    'WEIR_CORS_ORIGINS',
    'Comma-separated origins from which browsers may send lines; * for any.',
    origins,
    ['*'] as readonly string[],
  ),
  allowServiceKeyCreation: setting(
    'WEIR_ALLOW_SERVICE_KEY_CREATION',
    'on: service keys can still be created, although access tokens have replaced them.',
    oneOf('on', 'off'),
    'off',
  ),
  checkArchiving: setting(
    'WEIR_CHECK_ARCHIVING',
    'on: an archiving configuration is accepted only if its endpoint, or otherwise the host of its provider, accepts a TCP connection (default port 443).',
    oneOf('on', 'off'),
    'off',
  ),
  outboundDeny: setting(
    'WEIR_OUTBOUND_DENY',
    'Comma-separated addresses or networks to which connections for users are refused, in addition to those that are always refused.',
    networks,
    [] as readonly CidrBlock[],
  ),
  outboundAllow: setting(
    'WEIR_OUTBOUND_ALLOW',
    'Comma-separated addresses or networks to which connections for users are allowed. A cluster refuses loopback and private networks otherwise. Of overlapping networks, the longest prefix counts.',
    networks,
    [] as readonly CidrBlock[],
  ),
} as const

type HttpSettings = SettingsOf<typeof HTTP_SETTINGS>

export function httpProblems(settings: HttpSettings): string[] {
  const { tlsCertificate, tlsKey } = settings
  const problems: string[] = []
  if ((tlsCertificate === undefined) !== (tlsKey === undefined))
    problems.push('WEIR_TLS_CERT and WEIR_TLS_KEY must be set together')
  return [...problems, ...samePorts(settings)]
}

function samePorts({ port, ingestPort, metricsPort }: HttpSettings): string[] {
  const pairs = [
    ['WEIR_INGEST_PORT', ingestPort, 'WEIR_PORT', port],
    ['WEIR_METRICS_PORT', metricsPort, 'WEIR_PORT', port],
    ['WEIR_METRICS_PORT', metricsPort, 'WEIR_INGEST_PORT', ingestPort],
  ] as const
  // Each 0 is another free port.
  return pairs
    .filter(([, one, , other]) => one !== undefined && one !== 0 && one === other)
    .map(([name, , otherName]) => `${name} must differ from ${otherName}`)
}
