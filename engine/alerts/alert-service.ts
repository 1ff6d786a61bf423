import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { type Problem, pointerTo } from '../event/problem.ts'
import { templateProblem } from '../event/template.ts'
import { Secret } from '../nodes/contract/secret.ts'

/** Required and optional members of each service. */
const MEMBERS: ReadonlyMap<string, { readonly required: string[]; readonly optional?: string[] }> = new Map([
  ['slack', { required: ['uri', 'message_text'] }],
  ['webhook', { required: ['uri', 'message_text'], optional: ['method', 'headers', 'auth'] }],
  ['pager_duty', { required: ['uri', 'summary', 'severity', 'source', 'routing_key', 'event_action'] }],
  ['log_analysis', { required: ['severity', 'subject', 'body', 'ingestion_key'] }],
])

/** Members in which references to fields of the alert event are allowed. */
const TEMPLATES = [
  ...['uri', 'message_text', 'summary', 'source', 'routing_key', 'event_action'],
  ...['subject', 'body', 'ingestion_key'],
]

/** Members of `auth` that each authentication method requires. */
const CREDENTIALS: ReadonlyMap<string, readonly string[]> = new Map([
  ['none', []],
  ['basic', ['user', 'password']],
  ['bearer', ['token']],
])

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))
const secretText = (description: string) => Type.Optional(Secret({ minLength: 1, description }))
/** Clients may send all members and leave unused ones empty. */
const credential = (description: string) => Type.Optional(Secret({ description }))

/** Receiver of an alert's notices (pipeline API, section 7; content: components, section 8.1). */
export const AlertService = Type.Object(
  {
    name: Type.Enum([...MEMBERS.keys()], {
      description: 'The service; the other members depend on it',
    }),
    uri: secretText('Address of the service; for slack, webhook and pager_duty'),
    message_text: text('Body of the notice for slack and webhook; for webhook it may be JSON as text'),
    method: Type.Optional(
      Type.Enum(['post', 'put', 'patch', 'delete', 'get', 'head', 'options', 'trace'], {
        description: 'HTTP method of a webhook; default: post',
      }),
    ),
    headers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            header_name: Type.String({ minLength: 1, description: 'Name' }),
            header_value: Secret({ minLength: 1, description: 'Value' }),
          },
          { additionalProperties: false },
        ),
        { description: 'Additional headers of a webhook' },
      ),
    ),
    auth: Type.Optional(
      Type.Object(
        {
          strategy: Type.Enum([...CREDENTIALS.keys()], { description: 'How' }),
          user: Type.Optional(Type.String({ description: 'Only for basic' })),
          password: credential('Only for basic'),
          token: credential('Only for bearer'),
        },
        {
          additionalProperties: false,
          description: 'Authentication of a webhook; default: none',
        },
      ),
    ),
    summary: text('Summary for pager_duty'),
    source: text('Origin that pager_duty shows'),
    routing_key: secretText('Integration key for pager_duty'),
    event_action: text('Action for pager_duty, such as trigger or resolve'),
    severity: Type.Optional(
      Type.Enum(['INFO', 'WARNING', 'ERROR', 'CRITICAL'], {
        description: 'Severity, for pager_duty and log_analysis',
      }),
    ),
    subject: text('Start of the line that log_analysis stores'),
    body: text('Rest of the line that log_analysis stores'),
    ingestion_key: secretText('Ingestion key for the line that log_analysis stores'),
  },
  { additionalProperties: false },
)

/** Checks that the schema cannot express, with pointers into the service; its members may have any type. */
export function serviceProblems(service: JsonObject): Problem[] {
  return [
    ...memberProblems(service),
    ...TEMPLATES.flatMap(member => templateProblems(service[member], pointerTo('', member))),
    ...headerProblems(service.headers),
    ...authProblems(service.auth),
  ]
}

function memberProblems(service: JsonObject): Problem[] {
  const { name } = service
  const members = typeof name === 'string' ? MEMBERS.get(name) : undefined
  if (members === undefined) return []
  const { required, optional = [] } = members
  const known = new Set(['name', ...required, ...optional])
  const foreign = Object.keys(AlertService.properties).filter(member => !known.has(member))
  return [
    ...required
      .filter(member => service[member] === undefined)
      .map(member => ({ instancePath: '', message: `must have required property '${member}'` })),
    ...foreign
      .filter(member => service[member] !== undefined)
      .map(member => ({
        instancePath: pointerTo('', member),
        message: `must NOT be sent when name is "${name}"`,
      })),
  ]
}

function headerProblems(headers: JsonValue | undefined): Problem[] {
  if (!Array.isArray(headers)) return []
  return headers.flatMap((header, index) =>
    isJsonObject(header) ? templateProblems(header.header_value, `/headers/${index}/header_value`) : [],
  )
}

/** Names and secrets are not templates: a password may contain braces. */
function authProblems(auth: JsonValue | undefined): Problem[] {
  if (!isJsonObject(auth) || typeof auth.strategy !== 'string') return []
  const needed = CREDENTIALS.get(auth.strategy)
  if (needed === undefined) return [] // reported by the schema
  return [...CREDENTIALS.values()].flat().flatMap(member => {
    const value = auth[member]
    const instancePath = pointerTo('/auth', member)
    if (!needed.includes(member)) {
      if (typeof value !== 'string' || value === '') return []
      return [{ instancePath, message: `must NOT be sent when strategy is "${auth.strategy}"` }]
    }
    if (value === undefined)
      return [{ instancePath: '/auth', message: `must have required property '${member}'` }]
    return value === '' ? [{ instancePath, message: 'must NOT have fewer than 1 characters' }] : []
  })
}

function templateProblems(value: JsonValue | undefined, instancePath: string): Problem[] {
  const message = typeof value === 'string' ? templateProblem(value) : undefined
  return message === undefined ? [] : [{ instancePath, message }]
}
