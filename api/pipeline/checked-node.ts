import type { DraftNode } from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import type { Problem } from '../../engine/event/problem.ts'
import { checkNode } from '../../engine/nodes/check-node.ts'
import type { NodeSettings } from '../../engine/nodes/contract/node-declaration.ts'
import { canonicalTypeOf } from '../../engine/nodes/known-types.ts'
import type { NodeWrite } from '../../schemas/http/pipeline-api.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { NodeKind } from './links.ts'
import { settingsFor } from './log-hosts.ts'
import { named } from './revisions/revision.ts'
import { gatewayRouteOfNew, gatewayRouteProblems, sentGatewayRouteOf } from './source-gateway-route.ts'

/** Where the node goes. */
export interface NodePlace extends Pick<DraftNode, 'id' | 'kind' | 'generation' | 'name'> {
  /** The node that is being replaced. */
  readonly stored: DraftNode | undefined
}

export interface NodeRules {
  readonly settings: NodeSettings
  /** Where gateway routes are; absent: they are not looked for. */
  readonly routes: { readonly configuration: ConfigurationView; readonly account: string } | undefined
  /** Whether the request's schema found nothing about a member. */
  readonly isWellTyped: (member: string) => boolean
}

/**
 * The node that a write asks for, all defaults in place, with every finding about it that the schema of the request
 * does not have, except how it hangs together with others.
 *
 * @param sent members of a node as it is written; what is not well typed may have any type
 */
export function checkedNode(
  sent: JsonObject & { readonly type: string },
  { id, kind, generation, stored, name = stored?.name }: NodePlace,
  { settings, routes, isWellTyped }: NodeRules,
): { readonly node: DraftNode; readonly problems: Problem[] } {
  const { type } = sent
  const sentRoute = sentGatewayRouteOf(sent)
  const problems = typeProblems(kind, type, stored)
  if (routes !== undefined)
    problems.push(
      ...gatewayRouteProblems(routes.configuration, routes.account, { kind, type }, sentRoute, stored),
    )
  const storedConfig = stored !== undefined && isSameType(stored, type) ? stored.user_config : undefined
  const previous = storedConfig === undefined ? {} : { previous: storedConfig }
  const userConfig = sent.user_config as JsonValue | undefined
  const options = { ...previous, settings: settingsFor(settings, userConfig) }
  const check = isWellTyped('user_config') ? checkNode(kind, type, userConfig, options) : { problems: [] }
  if ('problems' in check) for (const problem of check.problems) problems.push(problem)
  const { title, description, inputs } = sent as NodeWrite
  const route =
    stored === undefined ? gatewayRouteOfNew({ id, kind, type }, sentRoute) : stored.gateway_route_id
  const node: DraftNode = {
    id,
    kind,
    type,
    title: title ?? null,
    description: description ?? null,
    generation,
    user_config: 'stored' in check ? check.stored : (storedConfig ?? {}),
    inputs: isWellTyped('inputs') ? (inputs ?? []) : [],
    ...(route === undefined ? {} : { gateway_route_id: route }),
    ...named(name),
  }
  return { node, problems }
}

/** The type never changes; an alias of it is the same (pipeline API, section 1.6 and appendix A). */
function typeProblems(kind: NodeKind, type: string, stored: DraftNode | undefined): Problem[] {
  if (stored === undefined || isSameType(stored, type)) return []
  if (canonicalTypeOf(kind, type) === undefined) return [] // The check of the type says more.
  return [
    { instancePath: '/type', message: `must stay "${stored.type}": the type of a node does not change` },
  ]
}

/** Options of one type say nothing about those of another. */
function isSameType({ kind, type: stored }: DraftNode, type: string): boolean {
  return stored === type || canonicalTypeOf(kind, stored) === canonicalTypeOf(kind, type)
}
