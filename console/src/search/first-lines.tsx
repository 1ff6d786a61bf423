import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { read } from '../api/request.ts'
import { type Selection, search } from '../api/searches.ts'
import { type Caller, isAdministrator } from '../api/session.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { Empty, Loading } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { DAY_MS } from '../times/time.ts'
import style from './search.module.css'
import type { AddressChange } from './search-address.ts'

const POLL_MS = 2_000

const EVERYTHING = { query: '', fromMs: 0, hosts: [], apps: [], levels: [], tags: [] }

/**
 * Whether the account has no line yet. When the first one comes, it is searched for.
 *
 * @param isEmpty whether a search found nothing
 */
export function useIsFirst(isEmpty: boolean, search: (change: AddressChange) => void): boolean {
  const hasLines = useHasLines(isEmpty)
  const wasFirst = useRef(false)
  useEffect(() => {
    if (hasLines === false) wasFirst.current = true
    if (hasLines !== true || !wasFirst.current) return
    wasFirst.current = false
    search({})
  }, [hasLines, search])
  return hasLines === false && isEmpty
}

/** Whether the account has any line that the caller can see; undefined until that is known. */
function useHasLines(isAsked: boolean): boolean | undefined {
  const { data } = useQuery({
    queryKey: ['has lines'],
    queryFn: ({ signal }) => hasLines(signal),
    enabled: isAsked,
    // Until the first line comes, the page asks again by itself.
    refetchInterval: ({ state }) => (state.data === false ? POLL_MS : false),
    staleTime: 0,
  })
  return data
}

async function hasLines(signal: AbortSignal): Promise<boolean> {
  const all: Selection = { ...EVERYTHING, toMs: Date.now() + DAY_MS }
  for await (const piece of search(all, { order: 'newest', limit: 1 }, signal))
    if ('lines' in piece && piece.lines.length > 0) return true
  return false
}

interface IngestionKey {
  readonly key: string
}

/** The commands that send a first line to an empty account. The page goes on by itself when the first one comes. */
export function FirstLines({ caller }: { readonly caller: Caller }) {
  const canSeeKeys = isAdministrator(caller)
  const { data: keys, isLoading } = useQuery({
    queryKey: ['ingestion keys'],
    queryFn: ({ signal }) => read<readonly IngestionKey[]>('/v1/config/keys?type=ingestion', { signal }),
    enabled: canSeeKeys,
  })
  // The commands are shown once they are complete.
  if (isLoading) return <Loading isLoading />
  const key = keys?.[0]?.key ?? '$INGESTION_KEY'
  const url = caller.ingest_url ?? window.location.origin
  const commands = [
    {
      name: TEXT.firstCurl,
      text:
        `curl '${url}/logs/ingest?hostname=my-host' -H 'apikey: ${key}' \\\n` +
        `  -H 'content-type: application/json' \\\n` +
        `  -d '{"lines":[{"line":"Hello, Weir","app":"first-steps","level":"info"}]}'`,
    },
    { name: TEXT.firstShip, text: 'npx weir ship /var/log/syslog --follow' },
    { name: TEXT.firstDemo, text: 'npx weir demo' },
  ]
  return (
    <div className={style.first}>
      <Empty title={TEXT.noLines}>
        <p>{canSeeKeys ? TEXT.noLinesWhy : TEXT.noLinesAsk}</p>
      </Empty>
      <ol>
        {commands.map(({ name, text }) => (
          <li key={name}>
            <h3>{name}</h3>
            <div className={style.command}>
              <pre>{text}</pre>
              <CopyButton text={text} label={`${TEXT.copy}: ${name}`} />
            </div>
          </li>
        ))}
      </ol>
      <p className={style.waiting} role="status">
        <i aria-hidden />
        {TEXT.waitingForLine}
      </p>
    </div>
  )
}
