import { useQuery } from '@tanstack/react-query'
import { ArrowUp } from 'lucide-react'
import { histogram, type Selection } from '../api/searches.ts'
import { count } from '../numbers.ts'
import { TEXT } from '../texts.ts'
import style from './search.module.css'

const POLL_MS = 10_000
const MIN_BUCKETS = 10

/** Says how many lines came since the search. They are shown on demand, so that the list does not move while somebody reads it. */
export function NewerLines({
  selection,
  zone,
  onShow,
}: {
  readonly selection: Selection
  readonly zone: string
  readonly onShow: () => void
}) {
  const { data } = useQuery({
    queryKey: ['newer', selection],
    queryFn: ({ signal }) => {
      const since = { ...selection, fromMs: selection.toMs + 1, toMs: Date.now() }
      return histogram(since, { by: '', zone, buckets: MIN_BUCKETS }, signal)
    },
    enabled: ({ state }) => state.status !== 'error',
    // Hidden tabs do not ask.
    refetchInterval: POLL_MS,
    staleTime: POLL_MS,
    initialData: undefined,
  })
  if (data === undefined || data.lines === 0) return null
  return (
    <button type="button" className={style.newer} onClick={onShow}>
      <ArrowUp size={14} aria-hidden />
      {TEXT.newerLines(`${data.complete ? '' : '\u2265 '}${count(data.lines)}`)}
    </button>
  )
}
