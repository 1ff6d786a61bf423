import { useQueryClient } from '@tanstack/react-query'
import { CircleAlert, RotateCw } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Problem } from '../api/problem.ts'
import { TEXT } from '../texts.ts'
import { READINESS_KEY, useReadiness } from './readiness.ts'
import style from './states.module.css'

/** Shorter waits are not shown. */
const QUIET_MS = 200
/** From then on a wait says how long it has taken, and can be cancelled. */
const LONG_MS = 2_000
const TICK_MS = 100

/** Milliseconds since the wait began; 0 while nothing is waited for. */
function useWaited(isWaiting: boolean): number {
  const [waitedMs, setWaited] = useState(0)
  useEffect(() => {
    setWaited(0)
    if (!isWaiting) return
    const start = performance.now()
    const timer = setInterval(() => setWaited(performance.now() - start), TICK_MS)
    return () => clearInterval(timer)
  }, [isWaiting])
  return isWaiting ? waitedMs : 0
}

/** A bar that runs while something is loaded. The content beside it stays. */
export function Loading({
  isLoading,
  note,
  onCancel,
}: {
  readonly isLoading: boolean
  readonly note?: string | undefined
  readonly onCancel?: (() => void) | undefined
}) {
  const waitedMs = useWaited(isLoading)
  if (waitedMs < QUIET_MS) return null
  return (
    <div className={style.loading} role="status">
      <div className={style.bar} />
      <span className="hidden">{TEXT.loading}</span>
      {waitedMs >= LONG_MS && (
        <div className={style.long}>
          <span>{TEXT.elapsed((waitedMs / 1000).toFixed(1))}</span>
          {note !== undefined && <span className="soft">{note}</span>}
          {onCancel !== undefined && (
            <button type="button" className="button" onClick={onCancel}>
              {TEXT.cancel}
            </button>
          )}
        </div>
      )}
    </div>
  )
}

/** An error in the server's words, with a way on. */
export function ProblemBox({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const problem = error instanceof Problem ? error : new Problem(0, String(error))
  const seconds = useCountdown(problem, onRetry)
  useReturn(problem, onRetry)
  return (
    <div className={style.problem} role="alert">
      <CircleAlert size={18} aria-hidden />
      <div>
        <p>{problem.message}</p>
        {problem.status === 403 && <p className="soft">{TEXT.forbidden}</p>}
        {problem.findings
          .filter(({ message }) => message !== problem.message)
          .map(({ place, message }) => (
            <p key={place + message}>{message}</p>
          ))}
        {problem.requestId !== undefined && (
          <p className={style.request}>{TEXT.requestId(problem.requestId)}</p>
        )}
      </div>
      {problem.status !== 400 && problem.status !== 403 && (
        <button type="button" className="button" onClick={onRetry}>
          <RotateCw size={14} aria-hidden />
          {seconds === undefined ? TEXT.retry : TEXT.retryIn(seconds)}
        </button>
      )}
    </div>
  )
}

/** Seconds until the page tries to read again by itself, where the server asks to; undefined otherwise. */
function useCountdown(problem: Problem, onRetry: () => void): number | undefined {
  const { status, isOfWrite, retryAfterS } = problem
  const isRepeated = (status === 429 || status === 503) && !isOfWrite && retryAfterS !== undefined
  const [seconds, setSeconds] = useState<number>()
  const retry = useRef(onRetry)
  retry.current = onRetry
  // biome-ignore lint/correctness/useExhaustiveDependencies: each problem has a countdown of its own
  useEffect(() => {
    setSeconds(isRepeated ? retryAfterS : undefined)
    if (!isRepeated) return
    const timer = setInterval(() => setSeconds(left => Math.max(0, (left ?? 0) - 1)), 1_000)
    const end = setTimeout(() => retry.current(), Math.max(1, retryAfterS) * 1_000)
    return () => {
      clearInterval(timer)
      clearTimeout(end)
    }
  }, [problem, isRepeated, retryAfterS])
  return seconds
}

/** Reads again once a server that was away is back. */
function useReturn({ status, isOfWrite }: Problem, onRetry: () => void): void {
  const queries = useQueryClient()
  const readiness = useReadiness()
  const wasAway = useRef(false)
  const retry = useRef(onRetry)
  retry.current = onRetry
  const isAway = status === 0 && !isOfWrite
  useEffect(() => {
    if (isAway) void queries.invalidateQueries({ queryKey: READINESS_KEY })
  }, [queries, isAway])
  useEffect(() => {
    if (!isAway || readiness === undefined) return
    if (readiness.isReachable && wasAway.current) retry.current()
    wasAway.current = !readiness.isReachable
  }, [isAway, readiness])
}

/** Says why there is nothing, and what to do. */
export function Empty({
  title,
  isPage = false,
  children,
  action,
}: {
  readonly title: string
  /** Whether there is nothing else on the page. */
  readonly isPage?: boolean
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className={style.empty}>
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
      {action}
    </div>
  )
}
