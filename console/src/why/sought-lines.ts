import { useCallback, useEffect, useRef, useState } from 'react'
import { type Explanation, explain } from '../api/explanations.ts'
import { type Piece, soughtPieces } from './sought-pieces.ts'

/** Stored lines that are listed. */
const MOST_STORED = 20

export type Wanted =
  | { readonly batch: string }
  | { readonly query: string; readonly fromMs: number; readonly toMs: number }

/** Lines that were looked for in the log, the newest first. */
export interface Sought {
  /** Lines that are not in the store. */
  readonly missing: readonly Explanation[]
  /** The first of the lines that are in the store. */
  readonly stored: readonly Explanation[]
  /** Number of all explained lines. */
  readonly lines: number
  /** Whether lines of one millisecond were passed over, because they were too many. */
  readonly isIncomplete: boolean
  readonly isRunning: boolean
  readonly isDone: boolean
  /** End of the part that was not looked through, since enough lines were found, UNIX ms. */
  readonly restToMs?: number | undefined
  readonly error: unknown
  readonly progress?: { readonly records: number; readonly handled_at: string } | undefined
}

const IDLE: Sought = {
  missing: [],
  stored: [],
  lines: 0,
  isIncomplete: false,
  isRunning: false,
  isDone: false,
  error: null,
}

export function isStored({ line }: Explanation): boolean {
  return line.stored.length > 0
}

/** Explains the lines of a request, or looks through a time, backwards, until enough missing lines were found. */
export function useSought() {
  const [sought, setSought] = useState(IDLE)
  const running = useRef<AbortController>(undefined)
  const last = useRef<Wanted>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const run = useCallback(async (wanted: Wanted, before: Sought) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    const change = (next: (before: Sought) => Sought) => {
      if (!signal.aborted) setSought(next)
    }
    setSought({ ...before, isRunning: true, isDone: false, restToMs: undefined, error: null })
    try {
      for await (const piece of piecesOf(wanted, signal)) change(held => withPiece(held, piece))
      change(held => ({ ...held, isRunning: false, isDone: true }))
    } catch (error) {
      change(held => ({ ...held, isRunning: false, error }))
    }
  }, [])
  const seek = useCallback(
    (wanted: Wanted) => {
      last.current = wanted
      void run(wanted, IDLE)
    },
    [run],
  )
  /** Looks through the part that is left, too. */
  const seekFurther = useCallback(() => {
    const wanted = last.current
    const { restToMs } = sought
    if (wanted === undefined || 'batch' in wanted || restToMs === undefined) return
    void run({ ...wanted, toMs: restToMs }, sought)
  }, [run, sought])
  const cancel = useCallback(() => {
    running.current?.abort()
    setSought(before => ({ ...before, isRunning: false, error: null }))
  }, [])
  const seekAgain = useCallback(() => {
    if (last.current !== undefined) seek(last.current)
  }, [seek])
  return { sought, seek, seekAgain, seekFurther, cancel }
}

async function* piecesOf(wanted: Wanted, signal: AbortSignal): AsyncGenerator<Piece> {
  if ('batch' in wanted) yield* await explain({ batch_id: wanted.batch }, signal)
  else yield* soughtPieces(wanted, signal)
}

export function withPiece(before: Sought, piece: Piece): Sought {
  if ('passedOver' in piece) return { ...before, isIncomplete: true }
  if ('restToMs' in piece) return { ...before, restToMs: piece.restToMs }
  if ('progress' in piece) return { ...before, progress: piece.progress }
  const lines = before.lines + 1
  if (!isStored(piece)) return { ...before, lines, missing: [...before.missing, piece] }
  if (before.stored.length >= MOST_STORED) return { ...before, lines }
  return { ...before, lines, stored: [...before.stored, piece] }
}
