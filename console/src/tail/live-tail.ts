import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { Problem } from '../api/problem.ts'
import type { LineText } from '../api/records.ts'
import type { NoteRow } from '../lines/rows.ts'
import { count } from '../numbers.ts'
import { readQuery } from '../query/read-query.ts'
import { TEXT } from '../texts.ts'
import { clockTime, MINUTE_MS } from '../times/time.ts'
import { type ShownTail, TailRows } from './tail-rows.ts'
import { type TailConditions, TailSocket, type TailState } from './tail-socket.ts'

/** A tail of a hidden tab ends after this time. */
const HIDDEN_MS = 10 * MINUTE_MS

export interface LiveTail extends ShownTail {
  readonly state: TailState | { readonly kind: 'asleep' }
  readonly received: number
  /** Lines that the server did not send. */
  readonly notSent: number
  readonly isFollowing: boolean
  readonly isPaused: boolean
  readonly follow: (isFollowing: boolean) => void
  readonly pause: (isPaused: boolean) => void
  readonly clear: () => void
  readonly wake: () => void
}

let notes = 0

function noteOf(note: string, kind: NoteRow['kind'], link?: string): NoteRow {
  return { id: `note-${notes++}`, note, kind, link }
}

/** Address of a search for the lines that a tail did not show. */
function searchOf(fromMs: number, toMs: number): string {
  const parameters = new URLSearchParams(window.location.search)
  for (const key of ['live', 'line', 'open']) parameters.delete(key)
  parameters.set('from', String(fromMs))
  parameters.set('to', String(toMs))
  return `/search?${parameters}`
}

/**
 * Lines as they are accepted, while it is on. Other conditions go on in the same list.
 *
 * @param before lines of the search that stand before the tail, newest first
 */
export function useLiveTail(
  conditions: TailConditions,
  { isOn, zone, before }: { isOn: boolean; zone: string; before: readonly LineText[] },
): LiveTail {
  const rows = useMemo(() => new TailRows(lines => noteOf(TEXT.tailCounted(count(lines)), 'gap')), [])
  const [state, setState] = useState<LiveTail['state']>({ kind: 'connecting' })
  const [notSent, setNotSent] = useState(0)
  const [attempt, setAttempt] = useState(0)
  const frames = useFrames()
  const linesBefore = useRef(before)
  linesBefore.current = before
  const shownZone = useRef(zone)
  shownZone.current = zone
  const text = JSON.stringify(conditions)
  const isFirst = useRef(true)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens the tail again
  useEffect(() => {
    if (!isOn) return
    const wanted = JSON.parse(text) as TailConditions
    const now = () => clockTime(Date.now(), shownZone.current)
    if (isFirst.current) rows.addBefore(linesBefore.current.toReversed())
    isFirst.current = false
    const { trouble } = readQuery(wanted.query)
    if (trouble !== undefined) {
      setState({ kind: 'refused', problem: new Problem(400, trouble.message) })
      return
    }
    rows.addNote(noteOf(TEXT.tailSince(now(), wanted.query), 'rule'))
    frames.changed()
    let lastMs = Date.now()
    const socket = new TailSocket(wanted, {
      onState: setState,
      onLines: lines => {
        rows.add(lines)
        lastMs = lines.at(-1)?.timeMs ?? lastMs
        frames.changed()
      },
      onGap: ({ dropped, thinned = 0, not_filtered: notFiltered = 0 }) => {
        setNotSent(sum => sum + dropped + thinned)
        const counts = { dropped: count(dropped), thinned: count(thinned), notFiltered: count(notFiltered) }
        rows.addNote(noteOf(TEXT.tailGap(counts), 'gap', searchOf(lastMs, Date.now())))
        frames.changed()
      },
      onBack: (lostMs, isWhole) => {
        const lost = clockTime(lostMs, shownZone.current)
        const sentence = isWhole ? TEXT.tailBack(lost, now()) : TEXT.tailBroken(lost, now())
        const link = isWhole ? undefined : searchOf(lostMs, Date.now())
        rows.addNote(noteOf(sentence, isWhole ? 'good' : 'gap', link))
        frames.changed()
      },
    })
    const endSleep = whenHiddenFor(HIDDEN_MS, () => {
      socket.close()
      setState({ kind: 'asleep' })
    })
    return () => {
      endSleep()
      socket.close()
    }
  }, [rows, isOn, text, attempt])

  const shown = useSyncExternalStore(frames.subscribe, () => rows.shown())
  const change = useCallback(
    (act: () => void) => {
      act()
      frames.changed()
    },
    [frames],
  )
  return {
    ...shown,
    state,
    notSent,
    received: rows.received,
    isFollowing: rows.isFollowing,
    isPaused: rows.isPaused,
    follow: useCallback(isFollowing => change(() => rows.follow(isFollowing)), [change, rows]),
    pause: useCallback(isPaused => change(() => rows.pause(isPaused)), [change, rows]),
    clear: useCallback(() => change(() => rows.clear()), [change, rows]),
    wake: useCallback(() => setAttempt(before => before + 1), []),
  }
}

/** Draws changes at most once a frame. */
function useFrames() {
  return useMemo(() => {
    const listeners = new Set<() => void>()
    let isPlanned = false
    return {
      subscribe: (listener: () => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      changed: () => {
        if (isPlanned) return
        isPlanned = true
        requestAnimationFrame(() => {
          isPlanned = false
          for (const listener of listeners) listener()
        })
      },
    }
  }, [])
}

/** @returns a function that ends the waiting */
function whenHiddenFor(ms: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const onChange = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(act, ms)
  }
  onChange()
  document.addEventListener('visibilitychange', onChange)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onChange)
  }
}
