import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import Type, { type TSchema } from 'typebox'
import type { ExclusionRule } from '../../engine/configuration/kinds/line-rules.ts'
import { Deleted } from '../../schemas/http/account/deleted.ts'
import {
  EXCLUSION_CONDITIONS,
  ExclusionChange,
  ExclusionCreate,
  ExclusionRecord,
  IngestionExclusionChange,
  IngestionExclusionCreate,
  IngestionExclusionRecord,
  RETENTION_CONDITIONS,
  RetentionRuleChange,
  RetentionRuleCreate,
  RetentionRuleRecord,
} from '../../schemas/http/account/line-rules-api.ts'
import { MAX_RETENTION_DAYS } from '../../schemas/http/account/retention-api.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { isJsonObject } from '../../schemas/json.ts'
import { assertValid } from '../configuration/assert-valid.ts'
import { givenMembers } from '../configuration/given-members.ts'
import { badRequest, type ValidationDetail } from '../http/errors.ts'
import { type ListName, RuleList } from './rule-list.ts'

const RulePath = Type.Object({ id: Type.String() })
const tags = ['line rules']
/** A rule of the kind bounds the characters of all rules together. */
const config = { needs: 'admin' as const, maxBodyBytes: undefined }
const EXCLUSION_MEMBERS = ['title', 'active', ...EXCLUSION_CONDITIONS] as const
const RETENTION_MEMBERS = ['name', 'priority', 'days', 'active', ...RETENTION_CONDITIONS] as const

/** Rules that exclude lines, and rules about the retention of lines. */
export const lineRuleRoutes: FastifyPluginAsyncTypebox = async app => {
  await app.register(ingestionExclusionRoutes)
  await app.register(streamExclusionRoutes)
  await app.register(retentionRuleRoutes)
}

const ingestionExclusionRoutes: FastifyPluginAsyncTypebox = async app => {
  const rules = new RuleList('exclusions', app.ports, EXCLUSION_CONDITIONS)
  const path = '/v1/config/ingestion/exclusions'
  const record = IngestionExclusionRecord
  const { create, change } = commonRoutes(app, { path, rules, kind: 'exclusion', record })

  app.post(path, { config, schema: { ...create, body: IngestionExclusionCreate } }, ({ caller, body }) =>
    rules.create(caller, { ...newExclusion(body), indexonly: body.indexonly ?? true }),
  )
  app.patch(
    `${path}/:id`,
    { config, attachValidation: true, schema: { ...change, body: IngestionExclusionChange } },
    async request => {
      const { caller, params, body } = request
      assertValid(request, sent => rules.changeDetails(caller, params.id, sent))
      return rules.change(caller, params.id, givenMembers(body, [...EXCLUSION_MEMBERS, 'indexonly']))
    },
  )
}

/** Rules on streamed lines are not sent to partitions: streaming does not happen there. */
const streamExclusionRoutes: FastifyPluginAsyncTypebox = async app => {
  const { configuration, entropy } = app.ports
  const rules = new RuleList('streamExclusions', { configuration, entropy }, EXCLUSION_CONDITIONS)
  const path = '/v1/config/stream/exclusions'
  const record = ExclusionRecord
  const { create, change } = commonRoutes(app, { path, rules, kind: 'stream exclusion', record })

  app.post(path, { config, schema: { ...create, body: ExclusionCreate } }, ({ caller, body }) =>
    rules.create(caller, newExclusion(body)),
  )
  app.patch(
    `${path}/:id`,
    { config, attachValidation: true, schema: { ...change, body: ExclusionChange } },
    async request => {
      const { caller, params, body } = request
      assertValid(request, sent => rules.changeDetails(caller, params.id, sent))
      return rules.change(caller, params.id, givenMembers(body, EXCLUSION_MEMBERS))
    },
  )
}

const retentionRuleRoutes: FastifyPluginAsyncTypebox = async app => {
  const rules = new RuleList('retentionRules', app.ports, RETENTION_CONDITIONS)
  const path = '/v1/config/retention-rules'
  const record = RetentionRuleRecord
  const { create, change } = commonRoutes(app, { path, rules, kind: 'retention', record })

  app.post(path, { config, schema: { ...create, body: RetentionRuleCreate } }, ({ caller, body }) => {
    const { name, priority, days, active = false, host = '', app = '', level = '', query = '' } = body
    return rules.create(caller, { name, priority, days, active, host, app, level, query })
  })
  app.patch(
    `${path}/:id`,
    { config, attachValidation: true, schema: { ...change, body: RetentionRuleChange } },
    async request => {
      const { caller, params, body } = request
      const before = rules.get(caller, params.id)
      assertValid(request, sent => [
        ...daysDetails(before, sent),
        ...rules.changeDetails(caller, params.id, sent),
      ])
      const details = daysDetails(before, body)
      if (details.length > 0) throw badRequest(details)
      return rules.change(caller, params.id, givenMembers(body, RETENTION_MEMBERS))
    },
  )
}

/** An existing rule with more days than a new one can have keeps them, even if they are sent back. */
function daysDetails(before: { readonly days: number }, sent: unknown): ValidationDetail[] {
  const days = isJsonObject(sent) ? sent.days : undefined
  if (typeof days !== 'number' || days <= MAX_RETENTION_DAYS || days === before.days) return []
  return [{ message: `"days" must be less than or equal to ${MAX_RETENTION_DAYS}`, key: 'days' }]
}

interface RuleFamily<Name extends ListName, Rule extends TSchema> {
  readonly path: string
  readonly rules: RuleList<Name>
  readonly kind: string
  readonly record: Rule
}

/** Registers the routes that all rules have in common. @returns the common part of the other routes' schemas */
function commonRoutes<Name extends ListName, Rule extends TSchema>(
  app: FastifyInstance,
  { path, rules, kind, record }: RuleFamily<Name, Rule>,
) {
  const one = { tags, params: RulePath, response: { 200: record, ...V1_ERROR_REPLIES } }
  const many = { 200: Type.Array(record), ...V1_ERROR_REPLIES }

  app.get(
    path,
    { config, schema: { summary: `List the ${kind} rules`, tags, response: many } },
    async ({ caller }) => rules.list(caller),
  )
  app.get<{ Params: { id: string } }>(
    `${path}/:id`,
    { config, schema: { summary: `Read one of the ${kind} rules`, ...one } },
    async ({ caller, params }) => rules.get(caller, params.id),
  )
  app.delete<{ Params: { id: string } }>(
    `${path}/:id`,
    {
      config,
      schema: {
        summary: `Delete one of the ${kind} rules`,
        ...one,
        response: { 200: Deleted, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) => {
      await rules.remove(caller, params.id)
      return { deleted: true }
    },
  )
  return {
    create: { summary: `Create one of the ${kind} rules`, tags, response: one.response },
    change: { summary: `Change one of the ${kind} rules; omitted members stay as they are`, ...one },
  }
}

function newExclusion({
  title = '',
  active = false,
  apps = [],
  hosts = [],
  query = '',
}: ExclusionCreate): Omit<ExclusionRule, 'id'> {
  return { title, active, apps, hosts, query }
}
