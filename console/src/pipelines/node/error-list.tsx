import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { type HourlyError, readErrors } from '../../api/trouble.ts'
import { count } from '../../numbers.ts'
import { useZone } from '../../shell/preferences.ts'
import { dayAndTime } from '../../times/time.ts'
import { TEXT } from '../texts.ts'
import style from './node.module.css'
import { Shown } from './shown.tsx'

const HOURS_OF_DAY = 24
const POLL_MS = 15_000

/** Errors that a node reported in the last 24 hours; equal ones are one. */
export default function ErrorList({
  pipelineId,
  nodeId,
}: {
  readonly pipelineId: string
  /** undefined for a node that was not saved yet. */
  readonly nodeId: string | undefined
}) {
  const filter = { pipeline: pipelineId, node: nodeId ?? '' }
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: ['errors', HOURS_OF_DAY, filter],
    queryFn: ({ signal }) => readErrors(HOURS_OF_DAY, filter, signal),
    enabled: nodeId !== undefined,
    refetchInterval: POLL_MS,
  })
  return (
    <Shown isLoading={isLoading} error={error} absent={[]} onRetry={() => void refetch()}>
      {(nodeId === undefined || data?.length === 0) && (
        <div className={style.small}>
          <h3>{TEXT.noErrors}</h3>
          <p>{TEXT.noErrorsWhy}</p>
        </div>
      )}
      {data !== undefined && data.length > 0 && <Errors errors={data} />}
    </Shown>
  )
}

function Errors({ errors }: { readonly errors: readonly HourlyError[] }) {
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  return (
    <ul className={style.errors}>
      {errors.map(({ id, code, message, count: number, last_seen: lastSeen, captured }) => (
        <li key={id}>
          <p className={style.errorHead}>
            <code>{code}</code>
            <b>{count(number)}</b>
          </p>
          <p>{message}</p>
          <p className="soft">{dayAndTime(Date.parse(lastSeen), zone)}</p>
          {captured !== '' && (
            <details>
              <summary>{TEXT.captured}</summary>
              <pre>{captured}</pre>
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}
