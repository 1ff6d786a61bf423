import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { FIELD_PATH_MESSAGE, isFieldPath } from '../../../event/field-path.ts'
import { type Problem, pointerTo } from '../../../event/problem.ts'
import { templateProblem } from '../../../event/template.ts'
import type { NodeContext, NodeSettings } from '../../contract/node-declaration.ts'
import { Secret } from '../../contract/secret.ts'
import { ackEnabled } from '../../options/delivery-options.ts'
import {
  EXPLICIT_SCHEME,
  HOST_SPELLINGS,
  isPathOption,
  PASS_THROUGH_SCHEME,
  WIRE_TYPE,
} from './wire-options.ts'

/** A host name or address, with or without scheme and port. */
const HOST =
  /^(?:https?:\/\/)?(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?\/?$/

const template = (description: string, maxLength?: number) =>
  Type.Optional(Type.String({ minLength: 1, ...(maxLength === undefined ? {} : { maxLength }), description }))

/** Options of the destination: pipeline API, section 6.3. */
export const LogAnalysisOptions = Type.Object(
  {
    ack_enabled: ackEnabled,
    host: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Host of log ingestion; this installation's own when left out",
      }),
    ),
    mezmo_host: Type.Optional(Type.String({ minLength: 1, description: 'Alias of host, for older clients' })),
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
)

/** Checks rules that the schema cannot express. */
export function logAnalysisProblems(sent: JsonObject, settings: NodeSettings): Problem[] {
  return [
    ...hostProblems(sent, settings),
    ...keyProblems(sent),
    ...queryProblems(sent.query),
    ...messageProblems(sent.message),
  ]
}

/** The host in options, in either spelling; undefined: that of this installation. */
export function hostIn(config: JsonObject): string | undefined {
  return HOST_SPELLINGS.map(spelling => config[spelling]).find(each => typeof each === 'string')
}

/** Completes checked options with their defaults. */
export function withLogAnalysisDefaults(
  stored: JsonObject,
  { typeAsSent, settings: { ownHost } }: NodeContext,
): JsonObject {
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
