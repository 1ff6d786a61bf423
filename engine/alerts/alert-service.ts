import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { type Problem, pointerTo } from '../event/problem.ts'
import { templateProblem } from '../event/template.ts'

/** What each service is told, and what it may be told besides. */
const MEMBERS: ReadonlyMap<string, { readonly required: string[]; readonly optional?: string[] }> = new Map([
  ['slack', { required: ['uri', 'message_text'] }],
  ['webhook', { required: ['uri', 'message_text'], optional: ['method', 'headers', 'auth'] }],
  ['pager_duty', { required: ['uri', 'summary', 'severity', 'source', 'routing_key', 'event_action'] }],
  ['log_analysis', { required: ['severity', 'subject', 'body', 'ingestion_key'] }],
])

/** Texts into which fields of the alert event can be put. */
const TEMPLATES = [
  ...['uri', 'message_text', 'summary', 'source', 'routing_key', 'event_action'],
  ...['subject', 'body', 'ingestion_key'],
]

/** What each way to authenticate needs of the members of `auth`. */
const CREDENTIALS: ReadonlyMap<string, readonly string[]> = new Map([
  ['none', []],
  ['basic', ['user', 'password']],
  ['bearer', ['token']],
])

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))
/** Clients may send all members, those that they do not use empty. */
const credential = (description: string) => Type.Optional(Type.String({ description }))

/** Where an alert's notices go (pipeline API, section 7; what is sent: components, section 8.1). */
export const AlertService = Type.Object(
  {
    name: Type.Enum([...MEMBERS.keys()], {
      description: 'The service; it decides which members there are',
    }),
    uri: text('Address of the service; of slack, webhook and pager_duty'),
    message_text: text('What slack and webhook are told; for webhook also JSON, as text'),
    method: Type.Optional(
      Type.Enum(['post', 'put', 'patch', 'delete', 'get', 'head', 'options', 'trace'], {
        description: 'How a webhook is called; post when absent',
      }),
    ),
    headers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            header_name: Type.String({ minLength: 1, description: 'Name' }),
            header_value: Type.String({ minLength: 1, description: 'Value' }),
          },
          { additionalProperties: false },
        ),
        { description: 'Further headers of a webhook' },
      ),
    ),
    auth: Type.Optional(
      Type.Object(
        {
          strategy: Type.Enum([...CREDENTIALS.keys()], { description: 'How' }),
          user: credential('For basic'),
          password: credential('For basic'),
          token: credential('For bearer'),
        },
        {
          additionalProperties: false,
          description: 'How a webhook is told who calls; not at all when absent',
        },
      ),
    ),
    summary: text('What pager_duty is told'),
    source: text('What pager_duty shows as the origin'),
    routing_key: text('Integration key of pager_duty'),
    event_action: text('Such as trigger or resolve; of pager_duty'),
    severity: Type.Optional(
      Type.Enum(['INFO', 'WARNING', 'ERROR', 'CRITICAL'], { description: 'Of pager_duty and log_analysis' }),
    ),
    subject: text('Beginning of the line that log_analysis stores'),
    body: text('The rest of that line'),
    ingestion_key: text('Ingestion key that the line is stored with'),
  },
  { additionalProperties: false },
)

/** What the schema cannot tell, with pointers into the service; its members may have any type. */
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

/** Names and secrets are taken as they are: a password may hold braces. */
function authProblems(auth: JsonValue | undefined): Problem[] {
  if (!isJsonObject(auth) || typeof auth.strategy !== 'string') return []
  const needed = CREDENTIALS.get(auth.strategy)
  if (needed === undefined) return [] // The schema has said so.
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
