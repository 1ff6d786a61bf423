import { ArrowDownToLine, Eraser, Pause, Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { levelKind } from '../lines/levels.ts'
import { LineList, type LineListProps } from '../lines/line-list.tsx'
import { isLine, type ListRow } from '../lines/rows.ts'
import { count } from '../numbers.ts'
import { useKeys } from '../shell/keys.ts'
import { Empty, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { clockTime } from '../times/time.ts'
import type { LiveTail } from './live-tail.ts'
import style from './tail.module.css'

const SPOKEN_MS = 10_000

interface TailPanelProps extends Omit<LineListProps, 'rows' | 'following' | 'onEnd'> {
  readonly tail: LiveTail
}

/** The lines of a live tail, the newest at the end, with the state of the tail above them. */
export function TailPanel({ tail, ...list }: TailPanelProps) {
  const { state, rows, isFollowing, isPaused, unseen } = tail
  useKeys(key => {
    if (key === ' ') tail.pause(!isPaused)
    if (key === 'f') tail.follow(true)
    return key === ' ' || key === 'f'
  })
  const hasLines = rows.some(isLine)
  return (
    <div className={style.tail}>
      <div className={style.bar}>
        <State tail={tail} zone={list.zone} />
        <span className={style.counts}>
          {TEXT.tailReceived(count(tail.received))}
          {tail.notSent > 0 && <span className={style.missed}>{TEXT.tailNotSent(count(tail.notSent))}</span>}
        </span>
        <IconButton
          label={isPaused ? TEXT.goOn : TEXT.pause}
          isPressed={isPaused}
          onClick={() => tail.pause(!isPaused)}
        >
          {isPaused ? <Play size={15} aria-hidden /> : <Pause size={15} aria-hidden />}
        </IconButton>
        <IconButton label={TEXT.clear} onClick={tail.clear}>
          <Eraser size={15} aria-hidden />
        </IconButton>
      </div>
      <p className={style.about}>{TEXT.tailAbout}</p>
      {state.kind === 'refused' && <ProblemBox error={state.problem} onRetry={tail.wake} />}
      {state.kind === 'asleep' && (
        <Empty
          title={TEXT.tailAsleep}
          action={
            <button type="button" className="button" onClick={tail.wake}>
              {TEXT.goOn}
            </button>
          }
        />
      )}
      {/* A screen reader hears a sentence about the lines, not each of them. */}
      <div className={style.log} role="log" aria-live="off" aria-label={TEXT.tailLog}>
        {hasLines || rows.length > 1 ? (
          <LineList {...list} rows={rows} following={{ isOn: isFollowing, set: tail.follow }} />
        ) : (
          state.kind !== 'refused' &&
          state.kind !== 'asleep' && (
            <Empty title={TEXT.tailWaiting}>
              <p>{TEXT.tailWaitingWhy}</p>
            </Empty>
          )
        )}
      </div>
      {(!isFollowing || isPaused) && (
        <button
          type="button"
          className={style.behind}
          onClick={() => {
            tail.pause(false)
            tail.follow(true)
          }}
        >
          <ArrowDownToLine size={15} aria-hidden />
          {isPaused ? TEXT.tailPaused(count(unseen)) : TEXT.tailBehind(count(unseen))}
        </button>
      )}
      <Spoken rows={rows} received={tail.received} />
    </div>
  )
}

function State({ tail, zone }: { readonly tail: LiveTail; readonly zone: string }) {
  const { state, isPaused } = tail
  const name = isPaused && state.kind === 'open' ? 'paused' : state.kind
  return (
    <span className={style.state} data-state={name} role="status">
      <i aria-hidden />
      {state.kind === 'lost' ? TEXT.tailLost(clockTime(state.sinceMs, zone)) : TEXT.tailStates[name]}
    </span>
  )
}

/** A sentence about the lines of the last seconds, for those who do not see them. */
function Spoken({ rows, received }: { readonly rows: readonly ListRow[]; readonly received: number }) {
  const [sentence, setSentence] = useState('')
  const present = useRef({ rows, received })
  present.current = { rows, received }
  useEffect(() => {
    let before = present.current.received
    const timer = setInterval(() => {
      const { rows: all, received: now } = present.current
      const came = now - before
      before = now
      const errors = came === 0 ? 0 : all.slice(-came).filter(isError).length
      setSentence(came === 0 ? '' : TEXT.tailSpoken(count(came), count(errors)))
    }, SPOKEN_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <p className="hidden" aria-live="polite">
      {sentence}
    </p>
  )
}

function isError(row: ListRow): boolean {
  if (!isLine(row)) return false
  return levelKind(/"level":"(\w+)"/.exec(row.text)?.[1] ?? '') === 'error'
}
