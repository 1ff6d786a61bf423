import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { ArrowDownToLine, ArrowUpFromLine, CircleAlert, Cog, TriangleAlert } from 'lucide-react'
import { count } from '../../numbers.ts'
import { TROUBLE_ICONS } from '../delivery-sign.tsx'
import type { FileNode } from '../document/file.ts'
import { type NodeKind, titleOf } from '../document/nodes.ts'
import { TEXT } from '../texts.ts'
import { CHANGE_SIGNS, type NodeFigures, type NodeMarks } from './figures.ts'
import style from './graph.module.css'
import type { LaidOutNode } from './layout.ts'

export interface NodeData extends Record<string, unknown> {
  readonly laidOut: LaidOutNode
  readonly marks: NodeMarks
  readonly isSelected: boolean
  /** Whether the tab key reaches this node: one of all. */
  readonly isTabStop: boolean
  readonly canConnect: boolean
}

export type CanvasNode = Node<NodeData, 'pipeline'>

const ICONS = { source: ArrowDownToLine, transform: Cog, sink: ArrowUpFromLine } as const

export function KindIcon({ kind }: { readonly kind: NodeKind }) {
  const Icon = ICONS[kind]
  return <Icon size={15} aria-hidden className={style.kindIcon} data-kind={kind} />
}

/** A node on the canvas. */
export function GraphNode({
  data: { laidOut, marks, isSelected, isTabStop, canConnect },
}: NodeProps<CanvasNode>) {
  const { placed, outputs, height } = laidOut
  const { kind, node } = placed
  return (
    <div
      className={style.node}
      data-kind={kind}
      data-selected={isSelected || undefined}
      data-change={marks.change}
      style={{ height }}
    >
      {kind !== 'source' && (
        <Handle type="target" position={Position.Left} className={style.handle} isConnectable={canConnect} />
      )}
      <button
        type="button"
        className={style.head}
        data-node={node.name}
        tabIndex={isTabStop ? 0 : -1}
        aria-pressed={isSelected}
      >
        <KindIcon kind={kind} />
        <NodeName kind={kind} node={node} marks={marks} />
      </button>
      {outputs.length === 1 && (
        <Handle
          type="source"
          id={outputs[0]?.reference ?? ''}
          position={Position.Right}
          className={style.handle}
          isConnectable={canConnect}
        />
      )}
      {outputs.length > 1 && (
        <ul className={style.outputs}>
          {outputs.map(({ reference, label }) => (
            <li key={reference}>
              <span>{label}</span>
              <Handle
                type="source"
                id={reference}
                position={Position.Right}
                className={style.handle}
                isConnectable={canConnect}
              />
            </li>
          ))}
        </ul>
      )}
      {marks.figures !== undefined && <Figures marks={marks} kind={kind} />}
    </div>
  )
}

/** Title and type of a node with its marks. Screen readers hear the marks in words. */
export function NodeName({
  kind,
  node,
  marks,
  showsFigures = false,
}: {
  readonly kind: NodeKind
  readonly node: FileNode
  readonly marks: NodeMarks
  /** Whether the figures are seen here; they are heard in any case. */
  readonly showsFigures?: boolean
}) {
  const { findings, errors, figures, delivery, change } = marks
  const DeliveryIcon = delivery && TROUBLE_ICONS[delivery]
  const words = figures && wordsOfFigures(figures)
  return (
    <>
      <span className={style.names}>
        <b>{titleOf(node)}</b>
        <small>{node.type}</small>
        {showsFigures && words !== undefined && (
          <small className={style.words} aria-hidden>
            {words}
          </small>
        )}
        <span className="hidden">{wordsOf(kind, marks)}</span>
      </span>
      {change !== undefined && (
        <span className={style.change} data-change={change} title={TEXT.changes.words[change]} aria-hidden>
          {CHANGE_SIGNS[change]}
        </span>
      )}
      {DeliveryIcon !== undefined && (
        <span
          className={style.badge}
          data-level={delivery}
          title={TEXT.delivery.signs[delivery as 'resting']}
          aria-hidden
        >
          <DeliveryIcon size={13} />
        </span>
      )}
      {findings > 0 && (
        <span className={style.badge} data-level="finding" aria-hidden>
          <CircleAlert size={13} />
          {findings}
        </span>
      )}
      {errors > 0 && (
        <span className={style.badge} data-level="error" aria-hidden>
          <TriangleAlert size={13} />
          {errors > 9_999 ? '9,999+' : count(errors)}
        </span>
      )}
    </>
  )
}

function Figures({ marks: { figures }, kind }: { readonly marks: NodeMarks; readonly kind: NodeKind }) {
  if (figures === undefined) return null
  const { eventsIn, eventsOut, dropped, failed, merged, held } = figures
  return (
    <dl className={style.figures} aria-hidden>
      <div>
        {kind !== 'source' && <Figure name={TEXT.simulate.eventsIn} value={eventsIn} />}
        <Figure name={TEXT.simulate.eventsOut} value={eventsOut} />
      </div>
      <div>
        {dropped > 0 && <Figure name={TEXT.simulate.dropped} value={dropped} />}
        {failed > 0 && <Figure name={TEXT.simulate.failed} value={failed} isBad />}
        {merged > 0 && <Figure name={TEXT.graphText.merged} value={merged} />}
        {held !== 0 && <Figure name={TEXT.graphText.held} value={held} />}
      </div>
    </dl>
  )
}

function Figure({
  name,
  value,
  isBad = false,
}: {
  readonly name: string
  readonly value: number | undefined
  readonly isBad?: boolean
}) {
  return (
    <span data-bad={isBad || undefined}>
      {name} <b>{value === undefined ? TEXT.graphText.unknown : count(value)}</b>
    </span>
  )
}

function wordsOf(kind: NodeKind, { findings, errors, figures, delivery, change }: NodeMarks): string {
  return [
    TEXT.kindNames[kind],
    figures && wordsOfFigures(figures),
    change && TEXT.changes.words[change],
    delivery && TEXT.delivery.words[delivery],
    findings > 0 && TEXT.findings(findings),
    errors > 0 && TEXT.errors(count(errors), errors === 1),
  ]
    .filter(each => typeof each === 'string')
    .join(', ')
}

function wordsOfFigures({
  eventsIn,
  eventsOut,
  dropped,
  failed,
  merged,
  held,
  isRate,
}: NodeFigures): string | undefined {
  if (eventsIn === undefined || eventsOut === undefined) return undefined
  const { simulate, graphText } = TEXT
  const further: readonly (readonly [string, number])[] = [
    [simulate.dropped, dropped],
    [simulate.failed, failed],
    [graphText.merged, merged],
    [graphText.held, held],
  ]
  return [
    graphText.counts(count(eventsIn), count(eventsOut), isRate),
    ...further
      .filter(([, value]) => value !== 0)
      .map(([name, value]) => `${count(value)} ${name.toLowerCase()}`),
  ].join(', ')
}
