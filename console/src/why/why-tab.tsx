import { useQuery } from '@tanstack/react-query'
import { explain } from '../api/explanations.ts'
import { Empty, Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { Way } from './way.tsx'
import style from './why.module.css'

/** The reason why a stored line is here: its way through the pipelines, computed from the kept log. */
export function WhyTab({ lineId, zone }: { readonly lineId: string; readonly zone: string }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['why', lineId],
    queryFn: ({ signal }) => explain({ line_id: lineId }, signal),
  })
  return (
    <div className={style.tab}>
      <Loading isLoading={isFetching} note={TEXT.replaying} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <Empty title={TEXT.notInLog} />}
      {data?.map(each => (
        <Way key={each.line.place} explanation={each} zone={zone} />
      ))}
    </div>
  )
}
