import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { histogram, LISTS, type ListName, type Selection } from '../api/searches.ts'
import { count } from '../numbers.ts'
import { TEXT } from '../texts.ts'
import { HOUR_MS } from '../times/time.ts'
import { readQuery } from './read-query.ts'

/** The server divides a period into ten parts at least; their sum alone is shown. */
const LEAST_BUCKETS = 10
/** Typing is counted once it pauses. */
const PAUSE_MS = 400

interface Meant extends Readonly<Partial<Record<ListName, readonly string[]>>> {
  readonly query: string
}

/** Number of stored lines of the last hour that conditions select, with a way to see them. */
export function MeantLines({ query, ...lists }: Meant) {
  const meant = useSettled(JSON.stringify({ query: query.trim(), ...lists }))
  const { data, error } = useQuery({
    queryKey: ['meant lines', meant],
    queryFn: ({ signal }) => linesOfLastHour(JSON.parse(meant) as Meant, signal),
    placeholderData: keepPreviousData,
    enabled: isCountable(JSON.parse(meant) as Meant),
  })
  if (!isCountable(JSON.parse(meant) as Meant)) return null
  if (error !== null) return <p>{error.message}</p>
  if (data === undefined) return <p>{TEXT.meantCounted}</p>
  const lines = `${data.complete ? '' : '\u2265 '}${count(data.lines)}`
  return (
    <p>
      {TEXT.meantLines(lines)}{' '}
      <Link href={`/search?${addressOf(JSON.parse(meant) as Meant)}`}>{TEXT.show}</Link>
    </p>
  )
}

/** The text once it has not changed for a while. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** Names are separated by commas in a search, so those with commas cannot be counted. */
function isCountable(meant: Meant): boolean {
  return (
    readQuery(meant.query).trouble === undefined &&
    !LISTS.some(name => meant[name]?.some(each => each.includes(',')))
  )
}

function linesOfLastHour(meant: Meant, signal: AbortSignal) {
  const nowMs = Date.now()
  const selection: Selection = {
    hosts: [],
    apps: [],
    levels: [],
    tags: [],
    ...meant,
    fromMs: nowMs - HOUR_MS,
    toMs: nowMs,
  }
  return histogram(selection, { by: '', zone: 'UTC', buckets: LEAST_BUCKETS }, signal)
}

function addressOf(meant: Meant): URLSearchParams {
  const parameters = new URLSearchParams({ from: '1h' })
  if (meant.query !== '') parameters.set('q', meant.query)
  for (const name of LISTS) if (meant[name]?.length) parameters.set(name, meant[name].join(','))
  return parameters
}
