import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react'
import { count, size } from '../../numbers.ts'
import type { EdgeChange } from '../document/draft-changes.ts'
import { TEXT } from '../texts.ts'
import type { EdgeFigures } from './figures.ts'
import style from './graph.module.css'
import type { Crossing } from './layout.ts'

/** Place of the figures: beside the end that no other connection shares, else in the middle. */
export type FiguresPlace = 'source' | 'middle' | 'target'

export interface EdgeData extends Record<string, unknown> {
  readonly figures: EdgeFigures | undefined
  readonly place: FiguresPlace
  readonly crossings: readonly Crossing[]
}

export type CanvasEdge = Edge<EdgeData, 'connection'>

const MIN_WIDTH = 1.5
const MAX_WIDTH = 6
/** Position on a curve, from 0 to 1, whose height the figures have. */
const ALONG = 0.2
const GAP = 12

interface Curve {
  readonly fromX: number
  readonly fromY: number
  readonly toX: number
  readonly toY: number
}

/** A connection between two nodes, as wide as many events go along it. */
export function GraphEdge({ sourceX, sourceY, targetX, targetY, data }: EdgeProps<CanvasEdge>) {
  const { figures, place = 'middle', crossings = [] } = data ?? {}
  const curves: Curve[] = []
  let [fromX, fromY] = [sourceX, sourceY]
  for (const { left, right, y } of [...crossings, { left: targetX, right: targetX, y: targetY }]) {
    curves.push({ fromX, fromY, toX: left, toY: y })
    fromX = right
    fromY = y
  }
  const events = figures?.events
  return (
    <>
      <BaseEdge path={pathOf(curves)} {...(events && { style: { strokeWidth: widthOf(events) } })} />
      {figures !== undefined && (
        <EdgeLabelRenderer>
          <div className={style.edgeFigures} style={{ transform: positionOf(curves, place) }} aria-hidden>
            <b>{figureText(figures.events, figures.isRate, count)}</b>
            {figures.bytes !== undefined && figures.bytes > 0 && (
              <span>{figureText(figures.bytes, figures.isRate, size)}</span>
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  )
}

/** Curves that begin and end level, with straight lines between them. */
function pathOf(curves: readonly Curve[]): string {
  return curves
    .map(({ fromX, fromY, toX, toY }, index) => {
      const middle = (fromX + toX) / 2
      return `${index === 0 ? 'M' : 'L'}${fromX},${fromY} C${middle},${fromY} ${middle},${toY} ${toX},${toY}`
    })
    .join(' ')
}

function positionOf(curves: readonly Curve[], place: FiguresPlace): string {
  const { fromX, fromY, toX, toY } = (place === 'target' ? curves.at(-1) : curves[0]) as Curve
  const rise = (toY - fromY) * (3 * ALONG ** 2 - 2 * ALONG ** 3)
  if (place === 'source') return `translate(${fromX + GAP}px, ${fromY + rise}px) translateY(-50%)`
  if (place === 'target') return `translate(${toX - GAP}px, ${toY - rise}px) translate(-100%, -50%)`
  return `translate(${(fromX + toX) / 2}px, ${(fromY + toY) / 2}px) translate(-50%, -50%)`
}

/** Words about a connection for screen readers. */
export function edgeWords(
  from: string,
  to: string,
  figures: EdgeFigures | undefined,
  change: EdgeChange | undefined,
): string {
  const { events, isRate = false } = figures ?? {}
  const words =
    events === undefined
      ? TEXT.graphText.edge(from, to)
      : TEXT.graphText.countedEdge(from, to, count(events), isRate)
  return change === undefined ? words : `${words}, ${TEXT.changes.words[change]}`
}

/** A number, as one of each second where it is; a dash where it is not known. */
function figureText(value: number | undefined, isRate: boolean, write: (value: number) => string): string {
  if (value === undefined) return TEXT.graphText.unknown
  return isRate ? TEXT.graphText.rate(write(value)) : write(value)
}

function widthOf(events: number): number {
  return Math.min(MIN_WIDTH + Math.log10(1 + events), MAX_WIDTH)
}
