import { X } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useSearchParams } from 'wouter'
import { IconButton } from '../../components/icon-button.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { count } from '../../numbers.ts'
import { Loading } from '../../shell/states.tsx'
import { withChangedNode, withoutNode } from '../document/edits.ts'
import type { FileNode, PipelineFile } from '../document/file.ts'
import { type PlacedNode, titleOf } from '../document/nodes.ts'
import type { Draft } from '../draft/use-draft.ts'
import { ChosenAddress } from '../gateway/chosen-address.tsx'
import { useGatewayRoutes } from '../gateway/routes-of-source.ts'
import { KindIcon } from '../graph/graph-node.tsx'
import type { NodeType } from '../requests.ts'
import { TEXT } from '../texts.ts'
import { EditedNode, withConfig } from './edited-node.tsx'
import style from './node.module.css'
import { ShownOptions } from './shown-options.tsx'
import { hasState } from './stateful-types.ts'

/** Tabs that few nodes have, or few visits need, are loaded when they are opened. */
const AddressTab = lazy(() => import('../gateway/address-tab.tsx'))
const AlertsTab = lazy(() => import('./alerts-tab.tsx'))
const DeliveryTab = lazy(() => import('./delivery-tab.tsx'))
const ErrorList = lazy(() => import('./error-list.tsx'))
const JsonTab = lazy(() => import('./json-tab.tsx'))
const NodeState = lazy(() => import('./node-state.tsx'))
const TapTab = lazy(() => import('../trial/tap-tab.tsx'))

export interface NodePanelProps {
  readonly pipelineId: string
  readonly placed: PlacedNode
  /** Whether the node runs, and the shown draft does not have it. */
  readonly isRemoved: boolean
  readonly document: PipelineFile
  /** Id of the node at the server; undefined for one that was not saved yet. */
  readonly nodeId: string | undefined
  /** Whether the events of the node leave in requests, as the server knows it. */
  readonly sends: boolean
  readonly types: readonly NodeType[]
  /** The draft that the node belongs to; undefined where it is only looked at. */
  readonly draft: Draft | undefined
  /** Whether the caller can watch events of the node; only nodes of the running document have events. */
  readonly canTap: boolean
  readonly canWrite: boolean
  /** Whether the caller may see lines of all members. */
  readonly seesLines: boolean
  /** Version that is shown. */
  readonly revision: 'draft' | 'deployed'
  /** Number of errors of the node in the last 24 hours. */
  readonly errors: number
  readonly onClose: () => void
}

type PanelTab = keyof typeof TEXT.nodeTabs

/** Details of the selected node. */
export function NodePanel({
  pipelineId,
  placed,
  isRemoved,
  document,
  nodeId,
  sends,
  types,
  draft,
  canTap,
  canWrite,
  seesLines,
  revision,
  errors,
  onClose,
}: NodePanelProps) {
  const [parameters, setParameters] = useSearchParams()
  const { kind, node } = placed
  const type = typeOf(types, placed)
  const routes = useGatewayRoutes(node, nodeId, type)
  const alerts = document.alerts?.filter(({ on }) => on === node.name) ?? []
  const hasAddress = routes.own !== undefined || (draft !== undefined && routes.shared.length > 0)
  const tappable = canTap && kind !== 'sink' && nodeId !== undefined
  const tabs = (
    ['options', 'json', 'address', 'state', 'delivery', 'tap', 'errors', 'alerts'] as const
  ).filter(
    each =>
      (each !== 'state' || hasState(node.type)) &&
      (each !== 'delivery' || sends) &&
      (each !== 'json' || draft !== undefined) &&
      (each !== 'address' || hasAddress) &&
      (each !== 'alerts' || alerts.length > 0) &&
      (each !== 'tap' || tappable) &&
      (each !== 'errors' || (canWrite && seesLines)),
  )
  const tab = tabs.find(each => each === parameters.get('open')) ?? 'options'
  const onRemove = () => {
    draft?.change(withoutNode(draft.document, node.name))
    onClose()
  }
  const nameOfTab = (each: PanelTab) =>
    each === 'errors' && errors > 0 ? `${TEXT.nodeTabs.errors} (${count(errors)})` : TEXT.nodeTabs[each]
  return (
    <aside className={style.panel} aria-label={TEXT.nodePanel}>
      <div className={style.head}>
        <KindIcon kind={kind} />
        <div>
          <h2>{titleOf(node)}</h2>
          <p className="soft">{node.type}</p>
        </div>
        <IconButton label={TEXT.closePanel} onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      {type !== undefined && <p className={style.summary}>{type.summary}</p>}
      {type?.runs === false && <p className={style.warning}>{TEXT.notRunning}</p>}
      {isRemoved && <p className={style.warning}>{TEXT.changes.removed}</p>}
      <Tabs
        label={TEXT.nodePanel}
        names={tabs}
        present={tab}
        nameOf={nameOfTab}
        onChoose={each =>
          setParameters(
            before => {
              before.set('open', each)
              return before
            },
            { replace: true },
          )
        }
      />
      <div className={style.content} role="tabpanel" aria-label={TEXT.nodeTabs[tab]}>
        <Suspense fallback={<Loading isLoading />}>
          {tab === 'options' &&
            (draft === undefined ? (
              <ShownOptions node={node} />
            ) : (
              <EditedNode placed={placed} draft={draft} type={type} onRemove={onRemove} />
            ))}
          {tab === 'json' && draft !== undefined && (
            <JsonTab
              placed={placed}
              onChange={config =>
                draft.change(
                  withChangedNode(draft.document, node.name, withConfig(node, config)),
                  `${node.name} json`,
                )
              }
            />
          )}
          {tab === 'state' && hasState(node.type) && (
            <NodeState {...{ pipelineId, nodeId }} type={node.type} />
          )}
          {tab === 'delivery' && nodeId !== undefined && (
            <DeliveryTab {...{ pipelineId, nodeId, revision, seesLines, canWrite }} />
          )}
          {tab === 'tap' && kind !== 'sink' && nodeId !== undefined && (
            <TapTab pipelineId={pipelineId} kind={kind} nodeId={nodeId} />
          )}
          {tab === 'address' && routes.own !== undefined && (
            <AddressTab route={routes.own} canWrite={canWrite} />
          )}
          {tab === 'address' && routes.own === undefined && draft !== undefined && (
            <ChosenAddress
              routes={routes.shared}
              present={node.gateway_route_id}
              onChoose={routeId =>
                draft.change(withChangedNode(draft.document, node.name, withRoute(node, routeId)))
              }
            />
          )}
          {tab === 'alerts' && <AlertsTab alerts={alerts} />}
          {tab === 'errors' && <ErrorList pipelineId={pipelineId} nodeId={nodeId} />}
        </Suspense>
      </div>
    </aside>
  )
}

function withRoute(node: FileNode, routeId: string | undefined): FileNode {
  const { gateway_route_id: _, ...rest } = node
  return routeId === undefined ? rest : { ...rest, gateway_route_id: routeId }
}

/** Declaration of the type of a node. */
export function typeOf(types: readonly NodeType[], { kind, node }: PlacedNode): NodeType | undefined {
  return types.find(
    each => each.kind === kind && (each.type === node.type || each.aliases.includes(node.type)),
  )
}
