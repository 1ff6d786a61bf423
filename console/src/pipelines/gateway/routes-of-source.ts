import { useQuery } from '@tanstack/react-query'
import type { FileNode } from '../document/file.ts'
import type { NodeType } from '../requests.ts'
import { type GatewayRouteRecord, readRoutes } from './requests.ts'

/** Gateway routes as a source sees them. */
export interface RoutesOfSource {
  /** Route of a saved source. */
  readonly own: GatewayRouteRecord | undefined
  /** Routes that a new source can share. */
  readonly shared: readonly GatewayRouteRecord[]
}

/**
 * Gateway routes that matter for a node.
 *
 * @param nodeId id of the node at the server, which is also the id of a route that the node made; undefined for a new node
 */
export function useGatewayRoutes(
  node: FileNode,
  nodeId: string | undefined,
  type: NodeType | undefined,
): RoutesOfSource {
  const { data = [] } = useQuery({
    queryKey: ['gateway routes', nodeId],
    queryFn: ({ signal }) => readRoutes(signal),
    enabled: type?.kind === 'source',
  })
  if (type?.kind !== 'source') return { own: undefined, shared: [] }
  const routeId = nodeId === undefined ? undefined : (node.gateway_route_id ?? nodeId)
  return {
    own: data.find(({ id }) => id === routeId),
    shared:
      nodeId === undefined
        ? data.filter(each => each.type === type.type || type.aliases.includes(each.type))
        : [],
  }
}
