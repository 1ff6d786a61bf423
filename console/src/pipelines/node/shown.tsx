import type { ReactNode } from 'react'
import { Problem } from '../../api/problem.ts'
import { Loading, ProblemBox } from '../../shell/states.tsx'
import style from './node.module.css'

/**
 * A part of the panel that is read from the server.
 *
 * @param absent statuses that say that the node has nothing to show
 */
export function Shown({
  isLoading,
  error,
  onRetry,
  absent = [404, 409],
  children,
}: {
  readonly isLoading: boolean
  readonly error: Error | null
  readonly onRetry: () => void
  readonly absent?: readonly number[]
  readonly children: ReactNode
}) {
  const isAbsent = error instanceof Problem && absent.includes(error.status)
  return (
    <>
      <Loading isLoading={isLoading} />
      {isAbsent && <p className={style.small}>{error.message}</p>}
      {error !== null && !isAbsent && <ProblemBox error={error} onRetry={onRetry} />}
      {!isAbsent && children}
    </>
  )
}
