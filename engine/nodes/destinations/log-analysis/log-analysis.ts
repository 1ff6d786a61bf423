import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { FIELD_PATH_MESSAGE, isFieldPath } from '../../../event/field-path.ts'
import { type Problem, pointerTo } from '../../../event/problem.ts'
import { templateProblem } from '../../../event/template.ts'
import { defineOwnStore, type PublishSite } from '../../contract/define-destination.ts'
import type { NodeContext, NodeSettings } from '../../contract/node-declaration.ts'
import { Secret } from '../../contract/secret.ts'
import { ackEnabled } from '../../options/delivery-options.ts'
import { compileOwnStore } from './own-store.ts'
import {
  ALIASES,
  bareHost,
  EXPLICIT_SCHEME,
  HOST_SPELLINGS,
  isPathOption,
  PASS_THROUGH_SCHEME,
  TYPE,
  WIRE_TYPE,
} from './wire-options.ts'

/** A host name or address, with or without scheme and port. */
const HOST =
  /^(?:https?:\/\/)?(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?\/?$/

const template = (description: string, maxLength?: number) =>
  Type.Optional(Type.String({ minLength: 1, ...(maxLength === undefined ? {} : { maxLength }), description }))

/**
 * The log store of an installation, at present only of this one. Options and defaults: pipeline API, section 6.3;
 * meaning: components, section 7.2.
 */
export const logAnalysis = defineOwnStore({
  type: TYPE,
  aliases: ALIASES,
  summary: 'Store events as log lines, to be searched and counted.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      host: Type.Optional(
        Type.String({
          minLength: 1,
          description: "Host of log ingestion; this installation's own when left out",
        }),
      ),
      mezmo_host: Type.Optional(
        Type.String({ minLength: 1, description: 'Alias of host, for older clients' }),
      ),
      use_ingestion_key: Type.Optional(
        Type.Boolean({ description: 'Send with ingestion_key; true when left out and a key is there' }),
      ),
      ingestion_key: Type.Optional(
        Secret({
          minLength: 1,
          description:
            'Ingestion key of this account, to which lines go; with a key of another account the node cannot be published',
        }),
      ),
      query: Type.Optional(
        Type.Object(
          {
            hostname: template('Host that lines are from; the id of the type when left out'),
            tags: Type.Optional(
              Type.Array(Type.String({ minLength: 1 }), {
                description: 'Tags of lines; may refer to fields',
              }),
            ),
            ip: template('Address of the host; may refer to fields', 512),
            mac: template('Network card of the host; may refer to fields', 512),
          },
          { additionalProperties: false, description: 'Origin of lines' },
        ),
      ),
      message: Type.Optional(
        Type.Object(
          {
            scheme: Type.Enum([EXPLICIT_SCHEME, PASS_THROUGH_SCHEME], {
              description: 'Whether the members of a line are named here or taken over from the event',
            }),
            line: template('Text of the line: a path, or a text that refers to fields', 1024),
            app: template('Application of the line; may refer to fields', 512),
            file: template('File of the line; may refer to fields', 512),
            env: template('Environment of the line; may refer to fields', 512),
            meta_field: template('Field that holds the meta data of the line', 512),
            timestamp_field: template('Field that holds the time of the line', 512),
          },
          { additionalProperties: false, description: 'Parts of lines' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  check: (sent, settings) => [
    ...hostProblems(sent, settings),
    ...keyProblems(sent),
    ...queryProblems(sent.query),
    ...messageProblems(sent.message),
  ],
  complete: withDefaults,
  publishProblems: foreignProblems,
  delivery: 'lines',
  foldOptions: ['query', 'message'],
  errors: ['E_NOT_FOUND', 'E_DELIVERY_FAILED', 'E_EXPRESSION_COST'],
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

/** Delivery to another installation or account is not part of this version. */
function foreignProblems(
  config: JsonObject,
  { isOwnHost, isForeignKey, notPublished }: PublishSite,
): Problem[] {
  const problems: Problem[] = []
  const host = HOST_SPELLINGS.map(spelling => config[spelling]).find(each => typeof each === 'string')
  if (host !== undefined && !isOwnHost(host)) {
    const message = `Delivery to the log ingestion of another installation (${bareHost(host)}) is not available in this version`
    problems.push({ instancePath: '', message })
  }
  const { ingestion_key: key } = config
  if (typeof key === 'string' && isForeignKey(key)) {
    const message = `must be an ingestion key of this account: delivery to another account is not part of this version, so ${notPublished}`
    problems.push({ instancePath: '/ingestion_key', message })
  }
  return problems
}

function withDefaults(stored: JsonObject, { typeAsSent, settings: { ownHost } }: NodeContext): JsonObject {
  const query = isJsonObject(stored.query) ? stored.query : {}
  const hasHost = HOST_SPELLINGS.some(spelling => stored[spelling] !== undefined)
  const hostSpelling = typeAsSent === WIRE_TYPE ? 'mezmo_host' : 'host'
  return {
    ...stored,
    ...(hasHost || ownHost === undefined ? {} : { [hostSpelling]: ownHost }),
    use_ingestion_key: stored.use_ingestion_key ?? stored.ingestion_key !== undefined,
    query: { ...query, hostname: query.hostname ?? typeAsSent },
    message: stored.message ?? { scheme: EXPLICIT_SCHEME },
  }
}

/**
 * Names of hosts are case-insensitive. The installation's own host, which answers contain if a request named none, is
 * always allowed.
 */
function hostProblems(sent: JsonObject, { installationHosts: pattern, ownHost }: NodeSettings): Problem[] {
  if (HOST_SPELLINGS.every(spelling => sent[spelling] !== undefined)) {
    return [
      { instancePath: '/mezmo_host', message: 'must NOT be sent together with host: they are the same' },
    ]
  }
  return HOST_SPELLINGS.flatMap(spelling => {
    const host = sent[spelling]
    if (typeof host !== 'string' || host === '') return []
    const instancePath = pointerTo('', spelling)
    if (!HOST.test(host)) return [{ instancePath, message: 'must be a valid host name' }]
    if (pattern === undefined || host.toLowerCase() === ownHost?.toLowerCase()) return []
    if (new RegExp(pattern.source, `${pattern.flags.replace('i', '')}i`).test(host)) return []
    return [{ instancePath, message: `must match pattern "${pattern.source}"` }]
  })
}

function keyProblems(sent: JsonObject): Problem[] {
  const hasKey = sent.ingestion_key !== undefined
  if (sent.use_ingestion_key === true && !hasKey) {
    return [{ instancePath: '', message: "must have required property 'ingestion_key'" }]
  }
  if (sent.use_ingestion_key === false && hasKey) {
    return [{ instancePath: '/ingestion_key', message: 'must NOT be sent when use_ingestion_key is false' }]
  }
  return []
}

function queryProblems(query: JsonValue | undefined): Problem[] {
  if (!isJsonObject(query)) return []
  const problems = ['hostname', 'ip', 'mac'].flatMap(key =>
    problemAt(pointerTo('/query', key), query[key], templateProblem),
  )
  const tags = Array.isArray(query.tags) ? query.tags : []
  return problems.concat(
    tags.flatMap((tag, index) => problemAt(`/query/tags/${index}`, tag, templateProblem)),
  )
}

function messageProblems(message: JsonValue | undefined): Problem[] {
  if (!isJsonObject(message)) return []
  const options: readonly (readonly [key: string, check: (text: string) => string | undefined])[] = [
    ['line', text => (isPathOption(text) ? pathProblem(text) : templateProblem(text))],
    ['app', templateProblem],
    ['file', templateProblem],
    ['env', templateProblem],
    ['meta_field', pathProblem],
    ['timestamp_field', pathProblem],
  ]
  const onlyScheme = message.scheme === PASS_THROUGH_SCHEME
  return options.flatMap(([key, check]) => {
    const instancePath = pointerTo('/message', key)
    if (onlyScheme && message[key] !== undefined) {
      return [{ instancePath, message: `must NOT be sent when scheme is "${PASS_THROUGH_SCHEME}"` }]
    }
    return problemAt(instancePath, message[key], check)
  })
}

function problemAt(
  instancePath: string,
  value: JsonValue | undefined,
  check: (text: string) => string | undefined,
): Problem[] {
  if (typeof value !== 'string' || value === '') return [] // reported by the schema
  const message = check(value)
  return message === undefined ? [] : [{ instancePath, message }]
}

function pathProblem(text: string): string | undefined {
  return isFieldPath(text) ? undefined : FIELD_PATH_MESSAGE
}
