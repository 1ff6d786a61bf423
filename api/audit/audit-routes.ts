import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import {
  type ChangedValues,
  type ConfigurationHistory,
  type PastChange,
  placeOfAccount,
  placeOfEnterprise,
} from '../../engine/configuration/history.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { type AuditEvent, AuditPage } from '../../schemas/http/account/audit-api.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { TIME_FORMS } from '../../schemas/http/time-forms.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import type { Caller } from '../auth/caller.ts'
import { maskedValue } from '../configuration/masked-value.ts'
import { isoTime } from '../http/iso-time.ts'
import { jsonDifferences } from '../pipeline/revisions/json-difference.ts'
import {
  ACTIONS,
  AUDITED_KINDS,
  type AuditFilter,
  encodeCursor,
  MAX_EVENTS,
  readAuditRequest,
} from './audit-request.ts'

/** A page ends at this size. */
const PAGE_BYTES = 1_000_000
/** Changes whose values are read from the log together. */
const READ_TOGETHER = 20

const AuditQuery = Type.Object({
  from: Type.Optional(Type.String({ description: `Start of the period: ${TIME_FORMS}. Inclusive.` })),
  to: Type.Optional(Type.String({ description: 'End of the period, in the same forms; exclusive.' })),
  actor: Type.Optional(
    Type.String({ description: 'Subject id or e-mail address, or the name of a token or key.' }),
  ),
  kind: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: AUDITED_KINDS })),
  entity: Type.Optional(Type.String({ description: 'Id of the changed entity.' })),
  action: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...ACTIONS] })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_EVENTS, default: 100 })),
  cursor: Type.Optional(Type.String({ description: '`next` of the previous page.' })),
})

/** `/v1/config/audit`: changes of the configuration, with author and time. */
export const auditRoutes: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, clock, configuration } = app.ports
  app.get(
    '/v1/config/audit',
    {
      config: { needs: 'administrator' },
      schema: {
        summary: 'List changes of the configuration of the account, or of the enterprise, newest first',
        tags: ['audit'],
        querystring: AuditQuery,
        response: { 200: AuditPage, ...V1_ERROR_REPLIES },
      },
      // The schema only documents: times can be written in several ways.
      validatorCompiler: () => () => true,
    },
    async ({ caller, query }) => {
      const place = placeOf(caller)
      const { filter, limit, before, condition } = readAuditRequest(query, place, clock.wallMs())
      const { history } = configuration
      await history.catchUp()
      const wanted = matching(history, history.newestFirst(place, before), filter)
      const { events, last } = await page(catalogue, history, wanted, limit)
      return { events, next: last === undefined ? null : encodeCursor(last, condition) }
    },
  )
}

function placeOf({ account, enterpriseId }: Caller): string {
  return account === undefined ? placeOfEnterprise(enterpriseId ?? '') : placeOfAccount(account.shortId)
}

function* matching(
  history: ConfigurationHistory,
  changes: Iterable<PastChange>,
  { fromMs, toMs, actor, kind, entity, action }: AuditFilter,
): Iterable<PastChange> {
  for (const change of changes) {
    if (fromMs !== undefined && change.atMs < fromMs) continue
    if (toMs !== undefined && change.atMs >= toMs) continue
    if (kind !== undefined && change.kindName !== kind && change.kind.name !== kind) continue
    if (entity !== undefined && change.entity !== entity) continue
    if (action !== undefined && change.action !== action) continue
    if (actor !== undefined && !isBy(history, change, actor)) continue
    yield change
  }
}

function isBy({ subjects }: ConfigurationHistory, change: PastChange, actor: string): boolean {
  const { id, email, name } = subjects.get(change.actor)
  return id === actor || name === actor || email?.toLowerCase() === actor.toLowerCase()
}

interface Page {
  readonly events: AuditEvent[]
  /** The last change of the page; undefined when nothing is older. */
  readonly last: PastChange | undefined
}

/** Returns the first changes, up to the requested number or the size of a page; one change always fits. */
async function page(
  catalogue: Catalogue,
  history: ConfigurationHistory,
  changes: Iterable<PastChange>,
  limit: number,
): Promise<Page> {
  const rest = changes[Symbol.iterator]()
  const events: AuditEvent[] = []
  let bytes = 0
  let last: PastChange | undefined
  let following = taken(rest, READ_TOGETHER)
  while (following.length > 0) {
    const values = await history.valuesOf(following)
    for (const [at, change] of following.entries()) {
      const event = eventOf(catalogue, history, change, values[at] as ChangedValues)
      bytes += jsonText(event).length
      if (events.length === limit || (events.length > 0 && bytes > PAGE_BYTES)) return { events, last }
      events.push(event)
      last = change
    }
    following = taken(rest, READ_TOGETHER)
  }
  return { events, last: undefined }
}

function taken<Value>(rest: Iterator<Value>, most: number): Value[] {
  const values: Value[] = []
  while (values.length < most) {
    const next = rest.next()
    if (next.done) break
    values.push(next.value)
  }
  return values
}

function eventOf(
  catalogue: Catalogue,
  history: ConfigurationHistory,
  change: PastChange,
  values: ChangedValues,
): AuditEvent {
  const { offset, index, kind, kindName, entity } = change
  const place = `${kind.name} ${entity}`
  const masked = (value: unknown) =>
    isJsonObject(value as JsonValue)
      ? maskedValue(catalogue, kind, value as JsonObject, text => history.mark(text, place))
      : null
  const before = masked(values.before)
  const after = masked(values.after)
  const { id, type, email, name } = history.subjects.get(change.actor)
  return {
    id: `${offset}.${index}`,
    at: isoTime(change.atMs),
    actor: { id, type, email, name },
    action: change.action,
    kind: kindName,
    entity,
    name: nameOf(after ?? before),
    changed: before && after ? jsonDifferences(before, after).map(({ path }) => path) : [],
    before,
    after,
  }
}

/** The name of an entity for people. */
function nameOf(value: JsonObject | null): string | null {
  const named = ['title', 'name', 'email', 'company'].map(member => value?.[member])
  return (named.find(text => typeof text === 'string' && text !== '') as string | undefined) ?? null
}
