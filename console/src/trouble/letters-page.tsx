import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { readPipelines } from '../api/pipelines.ts'
import { type Caller, canWrite } from '../api/session.ts'
import { readWaiting } from '../api/trouble.ts'
import { count } from '../numbers.ts'
import frame from '../shell/frame.module.css'
import { useZone } from '../shell/preferences.ts'
import { Empty, Loading, ProblemBox } from '../shell/states.tsx'
import { dayAndTime } from '../times/time.ts'
import { letterFilter, NO_LETTER_FILTER } from './letter-filter.ts'
import { LettersOfPipeline } from './letters-of-pipeline.tsx'
import { TEXT } from './texts.ts'

const POLL_MS = 30_000

/** `/console/dead-letters`: events that failed, by pipeline and code, and those of one pipeline. */
export default function LettersPage({ caller }: { readonly caller: Caller }) {
  const [parameters, setParameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['waiting-letters'],
    queryFn: ({ signal }) => readWaiting(signal),
    refetchInterval: POLL_MS,
  })
  const pipelines = useQuery({ queryKey: ['pipelines'], queryFn: ({ signal }) => readPipelines(signal) })
  const pipeline = pipelines.data?.find(({ id }) => id === parameters.get('pipeline'))
  const filter = letterFilter(parameters)
  const set = (members: Readonly<Record<string, string>>) =>
    setParameters(before => {
      for (const [name, value] of Object.entries(members)) {
        if (value === '') before.delete(name)
        else before.set(name, value)
      }
      return before
    })
  const choose = (id: string, code = '') => set({ ...NO_LETTER_FILTER, pipeline: id, code })
  return (
    <div className={frame.page}>
      <div className={frame.head}>
        <h1>{TEXT.letters.title}</h1>
        <select
          className="field"
          aria-label={TEXT.letters.choose}
          value={pipeline?.id ?? ''}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">{TEXT.letters.choose}</option>
          {pipelines.data?.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </div>
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      <Loading isLoading={isFetching && data === undefined} />
      <div
        className={frame.card}
        hidden={data === undefined || (data.length === 0 && pipeline !== undefined)}
      >
        {data?.length === 0 && pipeline === undefined && (
          <Empty title={TEXT.letters.none}>
            <p>{TEXT.letters.noneWhy}</p>
          </Empty>
        )}
        {data !== undefined && data.length > 0 && (
          <table>
            <thead>
              <tr>
                <th scope="col">{TEXT.letters.pipeline}</th>
                <th scope="col">{TEXT.letters.code}</th>
                <th scope="col">{TEXT.letters.lastFailed}</th>
                <th scope="col" className={frame.number}>
                  {TEXT.letters.waiting}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map(({ pipeline_id: id, title, code, letters, last_failed_at: at }) => (
                <tr key={`${id} ${code}`}>
                  <td>
                    <button type="button" className="link" onClick={() => choose(id, code)}>
                      {title}
                    </button>
                  </td>
                  <td>
                    <code>{code}</code>
                  </td>
                  <td className="soft">{dayAndTime(Date.parse(at), zone)}</td>
                  <td className={frame.number}>{count(letters)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      {pipeline !== undefined && (
        <LettersOfPipeline
          key={pipeline.id}
          pipeline={pipeline}
          filter={filter}
          codes={data?.filter(each => each.pipeline_id === pipeline.id).map(({ code }) => code) ?? []}
          zone={zone}
          onFilter={set}
          canWrite={canWrite(caller)}
        />
      )}
    </div>
  )
}
