import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { FIELD_PATH_MESSAGE, isFieldPath } from '../../../event/field-path.ts'
import { type Problem, pointerTo } from '../../../event/problem.ts'
import { templateProblem } from '../../../event/template.ts'
import { defineDestination } from '../../contract/define-destination.ts'
import type { NodeContext, NodeSettings } from '../../contract/node-declaration.ts'
import { ackEnabled } from '../../options/delivery-options.ts'

const EXPLICIT_SCHEME = 'Explicit field selection'
export const PASS_THROUGH_SCHEME = 'Message pass-through'

const TYPE = 'log-analysis'
const WIRE_TYPE = 'mezmo'
const ALIASES = [WIRE_TYPE, 'log-store'] as const
/** The same option; which name fits depends on the name of the type (pipeline API, appendix A). */
const HOST_SPELLINGS = ['host', 'mezmo_host'] as const

/** A host name or address, with scheme and port or without. */
const HOST =
  /^(?:https?:\/\/)?(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?\/?$/

const template = (description: string, maxLength?: number) =>
  Type.Optional(Type.String({ minLength: 1, ...(maxLength === undefined ? {} : { maxLength }), description }))

/**
 * The log-management side of an installation: this one's own store, so far. Options and defaults: pipeline API,
 * section 6.3; meaning: components, section 7.2.
 */
export const logAnalysis = defineDestination({
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
        Type.String({ minLength: 1, description: 'The same as host, for clients that call it so' }),
      ),
      use_ingestion_key: Type.Optional(
        Type.Boolean({ description: 'Send with ingestion_key; true when left out and a key is there' }),
      ),
      ingestion_key: Type.Optional(
        Type.String({
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
          { additionalProperties: false, description: 'Where lines are from' },
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
          { additionalProperties: false, description: 'What lines are made of' },
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
  delivers: true,
  configs: [
    {
      sent: {},
      stored: {
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
      stored: {
        ack_enabled: false,
        host: 'logs.example.com',
        use_ingestion_key: true,
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
    },
    {
      sent: {
        mezmo_host: 'logs.example.com',
        query: { hostname: 'gateway' },
        message: { scheme: PASS_THROUGH_SCHEME },
      },
      stored: {
        ack_enabled: true,
        mezmo_host: 'logs.example.com',
        use_ingestion_key: false,
        query: { hostname: 'gateway' },
        message: { scheme: PASS_THROUGH_SCHEME },
      },
    },
  ],
})

/** True for a hostname that stands there because nobody wrote one: the default is the id of the type as sent. */
export function isDefaultHostname(hostname: string): boolean {
  return hostname === TYPE || (ALIASES as readonly string[]).includes(hostname)
}

/** The host of the log ingestion that a stored configuration names, lower case, without scheme and port. */
export function namedHost(config: JsonObject): string | undefined {
  for (const spelling of HOST_SPELLINGS) {
    const host = config[spelling]
    if (typeof host === 'string')
      return host
        .replace(/^https?:\/\//, '')
        .replace(/(:\d+)?\/?$/, '')
        .toLowerCase()
  }
  return undefined
}

/** True when a text is read as a path, not as a template, where an option takes both. */
export function isPathOption(text: string): boolean {
  return !text.includes('{{') && (text.startsWith('.') || isFieldPath(text))
}

function withDefaults(stored: JsonObject, { typeAsSent, settings: { ingestHost } }: NodeContext): JsonObject {
  const query = isJsonObject(stored.query) ? stored.query : {}
  const hasHost = HOST_SPELLINGS.some(spelling => stored[spelling] !== undefined)
  const hostSpelling = typeAsSent === WIRE_TYPE ? 'mezmo_host' : 'host'
  return {
    ...stored,
    ...(hasHost || ingestHost === undefined ? {} : { [hostSpelling]: ingestHost }),
    use_ingestion_key: stored.use_ingestion_key ?? stored.ingestion_key !== undefined,
    query: { ...query, hostname: query.hostname ?? typeAsSent },
    message: stored.message ?? { scheme: EXPLICIT_SCHEME },
  }
}

function hostProblems(sent: JsonObject, { logHostPattern }: NodeSettings): Problem[] {
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
    if (logHostPattern === undefined || logHostPattern.test(host)) return []
    return [{ instancePath, message: `must match pattern "${logHostPattern.source}"` }]
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
  if (typeof value !== 'string' || value === '') return [] // The schema has said so.
  const message = check(value)
  return message === undefined ? [] : [{ instancePath, message }]
}

function pathProblem(text: string): string | undefined {
  return isFieldPath(text) ? undefined : FIELD_PATH_MESSAGE
}
