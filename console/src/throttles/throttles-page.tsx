import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { type Caller, canWrite } from '../api/session.ts'
import { count, percent } from '../numbers.ts'
import { spanOf } from '../pipelines/node/bucket-texts.ts'
import frame from '../shell/frame.module.css'
import { useZone } from '../shell/preferences.ts'
import { Empty, Loading, ProblemBox } from '../shell/states.tsx'
import { MINUTE_MS } from '../times/time.ts'
import { NumberCell } from './number-cell.tsx'
import { readThrottles, type Throttle } from './requests.ts'
import { TEXT } from './texts.ts'
import { ThrottleDetails } from './throttle-details.tsx'
import style from './throttles.module.css'

const POLL_MS = MINUTE_MS

/** `/console/throttles`: throttles that run, with the keys and the exemptions of one of them. */
export default function ThrottlesPage({ caller }: { readonly caller: Caller }) {
  const [parameters, setParameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['throttles'],
    queryFn: ({ signal }) => readThrottles(signal),
    refetchInterval: POLL_MS,
  })
  const selected = data?.find(({ nodeId }) => nodeId === parameters.get('node')) ?? data?.[0]
  return (
    <div className={frame.page}>
      <div className={frame.head}>
        <h1>{TEXT.title}</h1>
      </div>
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      <div className={style.parts}>
        <div className={frame.card} aria-busy={isFetching} hidden={error !== null && data === undefined}>
          <Loading isLoading={isFetching && data === undefined} />
          {data?.length === 0 && (
            <Empty
              title={TEXT.none}
              action={
                <Link className="button" href="/pipelines">
                  {TEXT.toPipelines}
                </Link>
              }
            >
              <p>{TEXT.noneWhy}</p>
            </Empty>
          )}
          {data !== undefined && data.length > 0 && (
            <table className={style.throttles}>
              <thead>
                <tr>
                  {[TEXT.throttle, TEXT.pipeline, TEXT.limit].map(each => (
                    <th key={each} scope="col">
                      {each}
                    </th>
                  ))}
                  <th scope="col" className={frame.number}>
                    {TEXT.events}
                  </th>
                  <th scope="col" className={frame.number}>
                    {TEXT.dropped}
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.map(throttle => (
                  <ThrottleRow
                    key={throttle.nodeId}
                    throttle={throttle}
                    isSelected={throttle === selected}
                    onSelect={() =>
                      setParameters(before => {
                        before.set('node', throttle.nodeId)
                        return before
                      })
                    }
                  />
                ))}
              </tbody>
            </table>
          )}
        </div>
        {data !== undefined && data.length > 0 && <p className={style.note}>{TEXT.minute}</p>}
        {selected !== undefined && (
          <ThrottleDetails
            key={selected.nodeId}
            throttle={selected}
            zone={zone}
            canWrite={canWrite(caller)}
          />
        )}
      </div>
    </div>
  )
}

function ThrottleRow({
  throttle,
  isSelected,
  onSelect,
}: {
  readonly throttle: Throttle
  readonly isSelected: boolean
  readonly onSelect: () => void
}) {
  const { title, pipelineId, pipelineTitle, lastHour } = throttle
  return (
    <tr className={isSelected ? style.selected : undefined}>
      <th scope="row" className={style.title}>
        <button type="button" className="link" aria-pressed={isSelected} onClick={onSelect}>
          {title}
        </button>
      </th>
      <td className={style.title}>
        <Link href={`/pipelines/${pipelineId}?rev=deployed`}>{pipelineTitle}</Link>
      </td>
      <td className={style.text}>{limitText(throttle)}</td>
      <NumberCell text={lastHour === undefined ? TEXT.unknown : count(lastHour.events)} />
      <NumberCell
        text={
          lastHour === undefined
            ? TEXT.unknown
            : TEXT.droppedText(count(lastHour.dropped), percent(lastHour.dropped, lastHour.events))
        }
      />
    </tr>
  )
}

function limitText({ options }: Throttle): string {
  const { threshold, window, window_ms: windowMs, key_field: keyField } = options
  return TEXT.limitText(
    typeof threshold === 'number' ? count(threshold) : TEXT.unknown,
    typeof windowMs === 'number' ? spanOf(windowMs) : String(window ?? TEXT.unknown),
    typeof keyField === 'string' && keyField !== '' ? keyField : undefined,
  )
}
