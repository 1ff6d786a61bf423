import { SECOND_MS } from '../times/duration.ts'
import type { AggregateWindow } from './aggregate-window.ts'
import type { WindowSpan } from './window-columns.ts'

/** Windows of an aggregate, as its options name them. */
export interface WindowOptions {
  readonly type: 'tumbling' | 'sliding'
  /** Length in seconds. */
  readonly interval: number
  /** Shortest distance between the starts of two sliding windows of a group, in seconds. */
  readonly window_min?: number
}

const DEFAULT_WINDOW_MIN = 5
const NONE: readonly AggregateWindow[] = []

/** Windows of a group that take an event: open ones, and one that it opens. */
export interface ChosenWindows {
  readonly open: readonly AggregateWindow[]
  readonly opened: WindowSpan | undefined
}

/**
 * Prepares the choice of windows by the time of an event: components, section 5.1. The open windows of the group are in the order of
 * their starts.
 */
export function windowChoice(
  options: WindowOptions,
): (windows: readonly AggregateWindow[], timeMs: number) => ChosenWindows {
  const lengthMs = options.interval * SECOND_MS
  // A stored 0 means that none was given.
  const distanceMs = (options.window_min || DEFAULT_WINDOW_MIN) * SECOND_MS
  const choose = options.type === 'tumbling' ? chooseTumbling : chooseSliding
  return (windows, timeMs) => {
    const oldest = windows[0]
    if (oldest !== undefined && timeMs < oldest.startMs) return { open: [oldest], opened: undefined }
    return choose(windows, timeMs, lengthMs, distanceMs)
  }
}

function chooseTumbling(
  windows: readonly AggregateWindow[],
  timeMs: number,
  lengthMs: number,
): ChosenWindows {
  const startMs = Math.floor(timeMs / lengthMs) * lengthMs
  for (const window of windows) if (window.startMs === startMs) return { open: [window], opened: undefined }
  return { open: NONE, opened: { startMs, endMs: startMs + lengthMs } }
}

function chooseSliding(
  windows: readonly AggregateWindow[],
  timeMs: number,
  lengthMs: number,
  distanceMs: number,
): ChosenWindows {
  const open = windows.filter(({ startMs, endMs }) => startMs <= timeMs && timeMs < endMs)
  const newest = windows.at(-1)
  const opens = open.length === 0 || newest === undefined || timeMs >= newest.startMs + distanceMs
  return { open, opened: opens ? { startMs: timeMs, endMs: timeMs + lengthMs } : undefined }
}
