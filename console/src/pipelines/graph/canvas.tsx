import '@xyflow/react/dist/base.css'
import { type Connection, MiniMap, ReactFlow, ReactFlowProvider } from '@xyflow/react'
import { useMemo, useRef } from 'react'
import type { EdgeChange } from '../document/draft-changes.ts'
import type { PipelineFile } from '../document/file.ts'
import { connectionsOf, edgeId, nodesOf, titleOf } from '../document/nodes.ts'
import { TEXT } from '../texts.ts'
import { type FiguresByEdge, type MarksByName, NO_MARKS } from './figures.ts'
import style from './graph.module.css'
import { type CanvasEdge, edgeWords, type FiguresPlace, GraphEdge } from './graph-edge.tsx'
import { type CanvasNode, GraphNode } from './graph-node.tsx'
import {
  type Direction,
  type LaidOutGraph,
  type LaidOutNode,
  laidOut,
  NODE_WIDTH,
  neighbourOf,
} from './layout.ts'
import { FIT, useFitting } from './use-fitting.ts'
import { ZoomButtons } from './zoom-buttons.tsx'

const NODE_TYPES = { pipeline: GraphNode }
const EDGE_TYPES = { connection: GraphEdge }
/** From so many nodes on a small map stands beside the graph. */
const MINIMAP_NODES = 30
/** The picture is laid out by the program, and has keys of its own. */
const FIXED = {
  nodeTypes: NODE_TYPES,
  edgeTypes: EDGE_TYPES,
  nodesDraggable: false,
  nodesFocusable: false,
  edgesFocusable: false,
  elementsSelectable: false,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  zoomOnDoubleClick: false,
  minZoom: 0.2,
  maxZoom: 1.5,
  fitView: true,
  fitViewOptions: FIT,
  proOptions: { hideAttribution: true },
} as const
const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

export interface CanvasProps {
  readonly document: PipelineFile
  readonly marks: MarksByName
  /** Figures of the connections; absent where none are shown. */
  readonly figures?: FiguresByEdge | undefined
  /** Whether the figures of connections are numbers of events alone. */
  readonly isBrief?: boolean
  /** Changes of the connections by `edgeId`; absent where none are shown. */
  readonly changes?: ReadonlyMap<string, EdgeChange> | undefined
  /** Name of the selected node. */
  readonly selected: string | null
  readonly onSelect: (name: string | null) => void
  /** Connects an output with a node; absent where nothing may be changed. */
  readonly onConnect?: ((reference: string, to: string) => void) | undefined
  readonly canConnect?: ((from: string, to: string) => boolean) | undefined
}

/** A pipeline drawn from left to right. */
export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  )
}

function Flow({
  document: file,
  marks,
  figures,
  isBrief = false,
  changes,
  selected,
  onSelect,
  onConnect,
  canConnect,
}: CanvasProps) {
  const whole = useRef<HTMLDivElement>(null)
  const ofNodes = [...marks.values()].some(each => each.figures !== undefined)
  const ofEdges = figures !== undefined
  const graph = useMemo(() => laidOut(file, { ofNodes, ofEdges, isBrief }), [file, ofNodes, ofEdges, isBrief])
  const { nodes } = graph
  const tabStop = nodes.some(({ placed }) => placed.node.name === selected)
    ? selected
    : (nodes[0]?.placed.node.name ?? null)
  const shownNodes = canvasNodes(nodes, { marks, selected, tabStop, canConnect: onConnect !== undefined })
  const edges = useMemo(
    () => canvasEdges(file, graph, { figures, changes, selected }),
    [file, graph, figures, changes, selected],
  )
  const setMoved = useFitting(whole, nodes, selected)

  const walk = (direction: Direction) => {
    const name = neighbourOf(file, nodes, selected ?? tabStop ?? '', direction)
    if (name === undefined) return
    onSelect(name)
    whole.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(name)}"]`)?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the buttons within
    <div
      ref={whole}
      className={style.canvas}
      onKeyDown={event => {
        const direction = ARROWS[event.key]
        if (direction === undefined) return
        event.preventDefault()
        walk(direction)
      }}
    >
      <ReactFlow<CanvasNode, CanvasEdge>
        {...FIXED}
        nodes={shownNodes}
        edges={edges}
        onNodeClick={(_, { id }) => onSelect(id)}
        onPaneClick={() => onSelect(null)}
        // Moves of the program have no event.
        onMoveStart={event => {
          if (event !== null) setMoved(true)
        }}
        onConnect={({ sourceHandle, target }: Connection) => {
          if (sourceHandle !== null) onConnect?.(sourceHandle, target)
        }}
        isValidConnection={({ source, target }) => canConnect?.(source, target) ?? false}
        nodesConnectable={onConnect !== undefined}
        aria-label={TEXT.graph}
      >
        <ZoomButtons onMoved={setMoved} />
        {nodes.length >= MINIMAP_NODES && (
          <MiniMap pannable className={style.minimap ?? ''} nodeColor="var(--line-strong)" aria-hidden />
        )}
      </ReactFlow>
    </div>
  )
}

function canvasNodes(
  nodes: readonly LaidOutNode[],
  {
    marks,
    selected,
    tabStop,
    canConnect,
  }: {
    readonly marks: MarksByName
    readonly selected: string | null
    readonly tabStop: string | null
    readonly canConnect: boolean
  },
): CanvasNode[] {
  return nodes.map(each => {
    const { name } = each.placed.node
    return {
      id: name,
      type: 'pipeline',
      position: { x: each.x, y: each.y },
      width: NODE_WIDTH,
      height: each.height,
      data: {
        laidOut: each,
        marks: marks.get(name) ?? NO_MARKS,
        isSelected: name === selected,
        isTabStop: name === tabStop,
        canConnect: canConnect && marks.get(name)?.change !== 'removed',
      },
    }
  })
}

function canvasEdges(
  file: PipelineFile,
  { crossings }: LaidOutGraph,
  { figures, changes, selected }: Pick<CanvasProps, 'figures' | 'changes' | 'selected'>,
): CanvasEdge[] {
  const connections = connectionsOf(file)
  const titles = new Map(nodesOf(file).map(({ node }) => [node.name, titleOf(node)]))
  const ofOutput = Map.groupBy(connections, ({ reference }) => reference)
  const ofInput = Map.groupBy(connections, ({ to }) => to)
  return connections.map(connection => {
    const { from, to, reference, output } = connection
    const ownFigures = figures?.get(edgeId(connection))
    const change = changes?.get(edgeId(connection))
    const isOnlyOne = (group: readonly unknown[] | undefined) => group?.length === 1
    let place: FiguresPlace = 'middle'
    if (isOnlyOne(ofOutput.get(reference))) place = 'source'
    else if (isOnlyOne(ofInput.get(to))) place = 'target'
    const fromTitle = `${titles.get(from)}${output === undefined ? '' : ` ${output}`}`
    return {
      id: edgeId(connection),
      type: 'connection',
      source: from,
      sourceHandle: reference,
      target: to,
      className: [
        from === selected || to === selected ? style.nearEdge : style.edge,
        change && style[`${change}Edge`],
      ].join(' '),
      ariaLabel: edgeWords(fromTitle, titles.get(to) ?? to, ownFigures, change),
      data: { figures: ownFigures, place, crossings: crossings.get(edgeId(connection)) ?? [] },
    }
  })
}
