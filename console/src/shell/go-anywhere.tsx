import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { type PipelineGraph, readGraph, readPipelines } from '../api/pipelines.ts'
import { type ViewRecord, views } from '../api/views.ts'
import { Dialog } from '../components/dialog.tsx'
import { TEXT } from '../texts.ts'
import style from './go-anywhere.module.css'
import { ProblemBox } from './states.tsx'

/** Entries that are shown; more words find the others. */
const MOST = 50

/** A place that can be gone to. */
interface Place {
  readonly kind: keyof typeof TEXT.places
  readonly name: string
  readonly href: string
}

/** A page of the navigation. */
export interface NamedPage {
  readonly path: string
  readonly name: string
}

/** Finds a page, a pipeline, a node of the open pipeline, or a saved search by words of its name, and goes there. */
export default function GoAnywhere({
  pages,
  hasPipelines,
  hasViews,
  onClose,
}: {
  readonly pages: readonly NamedPage[]
  readonly hasPipelines: boolean
  /** Whether lines can be searched, and so views opened. */
  readonly hasViews: boolean
  readonly onClose: () => void
}) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [, navigate] = useLocation()
  const [wanted, setWanted] = useState('')
  const [at, setAt] = useState(0)
  const { places, error, retry } = usePlaces(pages, { hasPipelines, hasViews })
  const words = wanted.toLowerCase().split(/\s+/)
  const found = places.filter(({ kind, name }) =>
    words.every(word => `${name} ${TEXT.places[kind]}`.toLowerCase().includes(word)),
  )
  const shown = found.slice(0, MOST)
  const chosen = Math.min(at, shown.length - 1)
  // The dialog opens first, and would give the focus to its own button.
  useEffect(() => field.current?.focus(), [])
  const go = (place: Place | undefined) => {
    if (place === undefined) return
    onClose()
    navigate(place.href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(shown[chosen])
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || shown.length === 0) return
    event.preventDefault()
    const next = (chosen + step + shown.length) % shown.length
    setAt(next)
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <Dialog title={TEXT.goAnywhere} onClose={onClose}>
      <input
        ref={field}
        className={`field ${style.field}`}
        role="combobox"
        aria-label={TEXT.goTo}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={shown.length === 0 ? undefined : `${id}-${chosen}`}
        placeholder={TEXT.goTo}
        autoComplete="off"
        value={wanted}
        onChange={({ target }) => {
          setWanted(target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      {error !== null && <ProblemBox error={error} onRetry={retry} />}
      <div id={`${id}-list`} role="listbox" aria-label={TEXT.goTo} className={style.places}>
        {shown.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are those of the field
          <div
            key={`${place.kind} ${place.href}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => go(place)}
          >
            <span>{place.name}</span>
            <small>{TEXT.places[place.kind]}</small>
          </div>
        ))}
      </div>
      <p className="soft" role="status">
        {found.length === 0 ? TEXT.goNowhere : found.length > MOST ? TEXT.goFurther(found.length - MOST) : ''}
      </p>
    </Dialog>
  )
}

function usePlaces(
  pages: readonly NamedPage[],
  { hasPipelines, hasViews }: { readonly hasPipelines: boolean; readonly hasViews: boolean },
) {
  const [location] = useLocation()
  const [, open] = /^\/pipelines\/([^/]+)$/.exec(location) ?? []
  const pipelines = useQuery({
    queryKey: ['pipelines'],
    queryFn: ({ signal }) => readPipelines(signal),
    enabled: hasPipelines,
  })
  const graph = useQuery({
    queryKey: ['graph', open, 'draft', 'places'],
    queryFn: ({ signal }) => readGraph(open ?? '', 'draft', signal),
    enabled: open !== undefined,
  })
  const saved = useQuery({ queryKey: ['views'], queryFn: ({ signal }) => views(signal), enabled: hasViews })
  const places: readonly Place[] = [
    ...pages.map(({ path, name }) => ({ kind: 'page' as const, name, href: path })),
    ...(open === undefined || graph.data === undefined ? [] : nodePlaces(open, graph.data)),
    ...(pipelines.data ?? []).map(({ id, title }) => ({
      kind: 'pipeline' as const,
      name: title,
      href: `/pipelines/${id}`,
    })),
    ...(saved.data ?? []).map(view => ({ kind: 'view' as const, name: view.name, href: viewAddress(view) })),
  ]
  return {
    places,
    error: pipelines.error ?? saved.error,
    retry: () => {
      for (const each of [pipelines, saved]) if (each.error !== null) void each.refetch()
    },
  }
}

function nodePlaces(pipeline: string, { document }: PipelineGraph): readonly Place[] {
  const { sources = [], processors = [], destinations = [] } = document
  return [...sources, ...processors, ...destinations].map(({ name, title }) => ({
    kind: 'node',
    name: title ?? name,
    href: `/pipelines/${pipeline}?node=${encodeURIComponent(name)}`,
  }))
}

/** Address of the search of a view. */
function viewAddress({ viewid, query, hosts, apps, levels, tags }: ViewRecord): string {
  const parameters = new URLSearchParams({ view: viewid })
  if (query !== '') parameters.set('q', query)
  for (const [name, values] of Object.entries({ hosts, apps, levels, tags }))
    if (values.length > 0) parameters.set(name, values.join(','))
  return `/search?${parameters}`
}
