import type { JsonObject } from '../../../../schemas/json.ts'
import type { Problem } from '../../../event/problem.ts'
import { defineOwnStore, type PublishSite } from '../../contract/define-destination.ts'
import { logAnalysisElsewhere } from './log-analysis-elsewhere.ts'
import {
  hostIn,
  LogAnalysisOptions,
  logAnalysisProblems,
  withLogAnalysisDefaults,
} from './log-analysis-options.ts'
import { compileOwnStore } from './own-store.ts'
import { ALIASES, EXPLICIT_SCHEME, PASS_THROUGH_SCHEME, TYPE } from './wire-options.ts'

/**
 * The log store of this installation, or the log ingestion of another one. Options and defaults: pipeline API, section 6.3;
 * meaning: components, section 7.2.
 */
export const logAnalysis = defineOwnStore({
  type: TYPE,
  aliases: ALIASES,
  summary: 'Store events as log lines, to be searched and counted.',
  notes: [
    'With the host of another installation, lines go to its log ingestion with `ingestion_key`, in batches of one hostname, address, ' +
      'network card and tags. A Weir stores each of them once, also when batches are repeated.',
  ],
  config: LogAnalysisOptions,
  check: logAnalysisProblems,
  complete: withLogAnalysisDefaults,
  publishProblems: foreignProblems,
  delivery: 'lines',
  foldOptions: ['query', 'message'],
  errors: ['E_NOT_FOUND', 'E_DELIVERY_FAILED', 'E_EXPRESSION_COST'],
  elsewhere: logAnalysisElsewhere,
  goesElsewhere: (config, { isOwnHost }) => foreignHost(config, isOwnHost) !== undefined,
  compile: ({ query, message }) => compileOwnStore({ query, message }),
  examples: [
    {
      title: 'members of the line are named by options',
      config: {
        query: { hostname: 'gate-{{.door}}' },
        message: { scheme: EXPLICIT_SCHEME, line: '{{.text}}', app: 'gate' },
      },
      event: { door: 7, text: 'open', level: 'warn' },
      line: { host: 'gate-7', app: 'gate', text: 'open' },
    },
    {
      title: 'members of the line are those of the event',
      config: { query: { hostname: '{{.host}}' }, message: { scheme: PASS_THROUGH_SCHEME } },
      event: { line: 'open', app: 'gate', host: 'gate-7' },
      line: { host: 'gate-7', app: 'gate', text: 'open' },
    },
    {
      title: 'a field of the host is missing: there is no line',
      config: { query: { hostname: '{{.door}}' } },
      event: { text: 'open' },
      failed: ['E_NOT_FOUND', '.door'],
    },
    {
      title: 'the host renders to an empty text: there is no line',
      config: { query: { hostname: '{{.door}}' } },
      event: { door: '', text: 'open' },
      failed: ['E_DELIVERY_FAILED', null],
    },
  ],
  configs: [
    {
      sent: {},
      defaults: {
        ack_enabled: true,
        use_ingestion_key: false,
        query: { hostname: TYPE },
        message: { scheme: EXPLICIT_SCHEME },
      },
    },
    {
      sent: {
        ack_enabled: false,
        host: 'logs.example.com',
        ingestion_key: 'key',
        query: {
          hostname: '{{ .host }}',
          tags: ['production', '{{ metadata.query.app }}'],
          ip: '{{ metadata.query.ip }}',
          mac: '{{ metadata.query.mac }}',
        },
        message: {
          scheme: EXPLICIT_SCHEME,
          line: '{{ .text }}',
          app: '{{ .app }}',
          file: '{{ .file }}',
          env: 'production',
          meta_field: 'metadata._meta',
          timestamp_field: '.time',
        },
      },
      defaults: { use_ingestion_key: true },
    },
    {
      sent: {
        mezmo_host: 'logs.example.com',
        query: { hostname: 'gateway' },
        message: { scheme: PASS_THROUGH_SCHEME },
      },
      defaults: { ack_enabled: true, use_ingestion_key: false },
    },
  ],
})

/** Delivery to another account of this installation is not part of this version. */
function foreignProblems(config: JsonObject, site: PublishSite): Problem[] {
  const isElsewhere = foreignHost(config, site.isOwnHost) !== undefined
  const problems = isElsewhere ? (logAnalysisElsewhere.publishProblems?.(config, site) ?? []) : []
  const { ingestion_key: key } = config
  if (typeof key !== 'string' || !site.isForeignKey(key)) return problems
  const message = `must be an ingestion key of this account: delivery to another account is not part of this version, so ${site.notPublished}`
  return [...problems, { instancePath: '/ingestion_key', message }]
}

/** The host that options name, if it is that of another installation. */
function foreignHost(config: JsonObject, isOwnHost: PublishSite['isOwnHost']): string | undefined {
  const host = hostIn(config)
  return host === undefined || isOwnHost(host) ? undefined : host
}
