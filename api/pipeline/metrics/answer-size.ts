import { NODE_COUNTS } from '../../../engine/store/node-metrics.ts'
import {
  MAX_METRICS_INTERVALS,
  OVERVIEW_POINTS,
} from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import type { ReadOutput } from './edges.ts'

/** Rows that one reading of the store may give. */
export const MAX_ROWS = 30_000
/** Numbers of an answer. */
const MAX_NUMBERS = 400_000
const COUNTS_OF_EDGE = 2

/** Number of intervals with which the counts of a pipeline stay within the bounds of an answer. */
export function mostIntervals(nodes: readonly NodeDocument[], outputs: readonly ReadOutput[]): number {
  const rows = nodes.length + outputs.length
  const edges = outputs.reduce((sum, { readers }) => sum + readers.length, 0)
  const numbers = nodes.length * NODE_COUNTS.length + edges * COUNTS_OF_EDGE
  return within(MAX_METRICS_INTERVALS, rows, numbers)
}

/** Number of points with which the totals of pipelines with so many nodes stay within the bounds. */
export function mostPoints(nodes: number): number {
  return within(OVERVIEW_POINTS, nodes, 0)
}

function within(most: number, rows: number, numbers: number): number {
  const bounds = [most, MAX_ROWS / Math.max(1, rows), MAX_NUMBERS / Math.max(1, numbers)]
  return Math.max(1, Math.floor(Math.min(...bounds)))
}
