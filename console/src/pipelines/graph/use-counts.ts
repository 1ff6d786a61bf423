import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { socketUrl } from '../../api/sockets.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../times/time.ts'
import { type LiveMetrics, liveMetricsPath, readMetrics } from '../requests.ts'
import { liveRates, periodTotals, type RunningCounts } from './running-counts.ts'

export const COUNT_PERIODS = ['live', 'hour', 'day'] as const
export type CountPeriod = (typeof COUNT_PERIODS)[number]

const SECONDS: Readonly<Record<Exclude<CountPeriod, 'live'>, number>> = {
  hour: HOUR_MS / 1_000,
  day: DAY_MS / 1_000,
}
/** Counts of a period come each minute. */
const POLL_MS = MINUTE_MS
const CONNECT_AGAIN_MS = 5_000

/** Counts of the running document of a pipeline. Nothing is asked for in a hidden tab. */
export function useRunningCounts(
  pipelineId: string,
  period: CountPeriod,
  isOn: boolean,
): { readonly counts: RunningCounts | undefined; readonly error: Error | null; readonly retry: () => void } {
  const live = useLiveCounts(pipelineId, isOn && period === 'live')
  const seconds = period === 'live' ? undefined : SECONDS[period]
  const { data, error, refetch } = useQuery({
    queryKey: ['pipeline-metrics', pipelineId, seconds],
    queryFn: ({ signal }) => readMetrics(pipelineId, seconds as number, signal),
    enabled: isOn && seconds !== undefined,
    refetchInterval: POLL_MS,
  })
  const counts = useMemo(() => {
    if (period === 'live') return live && liveRates(live)
    return data && periodTotals(data)
  }, [period, live, data])
  return { counts, error, retry: () => void refetch() }
}

/** The last message of the live counts; undefined while there is no connection. */
function useLiveCounts(pipelineId: string, isOn: boolean): LiveMetrics | undefined {
  const isVisible = useSyncExternalStore(listenToVisibility, () => !document.hidden)
  const isOpen = isOn && isVisible
  const [last, setLast] = useState<LiveMetrics>()
  useEffect(() => {
    if (!isOpen) return
    let socket: WebSocket
    let timer: ReturnType<typeof setTimeout> | undefined
    const connect = () => {
      socket = new WebSocket(socketUrl(liveMetricsPath(pipelineId)))
      socket.onmessage = ({ data }) => setLast(JSON.parse(String(data)) as LiveMetrics)
      socket.onclose = () => {
        setLast(undefined)
        timer = setTimeout(connect, CONNECT_AGAIN_MS)
      }
    }
    connect()
    return () => {
      clearTimeout(timer)
      socket.onclose = null
      socket.onmessage = null
      socket.close()
      setLast(undefined)
    }
  }, [pipelineId, isOpen])
  return last
}

function listenToVisibility(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange)
  return () => document.removeEventListener('visibilitychange', onChange)
}
