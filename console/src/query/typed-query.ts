import { type ChangeEvent, type KeyboardEvent, type SyntheticEvent, useEffect, useRef, useState } from 'react'
import type { Selection } from '../api/searches.ts'
import { useKeys } from '../shell/keys.ts'
import { type Completion, useCompletions } from './completions.ts'
import { queryContext } from './query-context.ts'
import { useRecentQueries } from './recent-queries.ts'

const TYPED_KEY = 'weir-typed-query'

export interface SearchedQuery {
  /** The query of the address. */
  readonly query: string
  readonly selection: Selection
  readonly onRun: (query: string) => void
}

/** The query as it is typed in a field, with its completions. */
export function useTypedQuery({ query, selection, onRun }: SearchedQuery) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [typed, setTyped] = useKeptText(query)
  const { recent, add } = useRecentQueries()
  const list = useCompletionList({ typed, selection, recent })
  const { completions, chosen, isFocused } = list
  useKeys(key => {
    if (key === '/') field.current?.focus()
    return key === '/'
  })
  const type = (text: string, position: number, isOpen: boolean) => {
    setTyped(text)
    list.follow(position, isOpen)
  }
  const run = () => {
    list.setOpen(false)
    add(typed)
    onRun(typed)
  }
  const take = ({ insert, from, to }: Completion) => {
    const end = from + insert.length
    // A field waits for its value; other completions end a term.
    type(typed.slice(0, from) + insert + typed.slice(to), end, insert.endsWith(':'))
    requestAnimationFrame(() => field.current?.setSelectionRange(end, end))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    const { key, shiftKey, ctrlKey } = event
    const completion = completions[chosen]
    if (key === 'Enter' && !shiftKey) {
      event.preventDefault()
      if (completion !== undefined && !ctrlKey) take(completion)
      else run()
    }
    if (key === 'Tab' && !shiftKey && completion !== undefined) {
      event.preventDefault()
      take(completion)
    }
    if (key === 'Escape') {
      event.stopPropagation()
      if (completions.length > 0) list.setOpen(false)
      else document.querySelector<HTMLElement>('[role=grid]')?.focus()
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (step !== undefined && (completions.length > 0 || !typed.includes('\n'))) {
      event.preventDefault()
      list.step(step)
    }
  }
  const handlers = {
    onChange: ({ target }: ChangeEvent<HTMLTextAreaElement>) =>
      type(target.value, target.selectionStart, true),
    onSelect: ({ currentTarget }: SyntheticEvent<HTMLTextAreaElement>) =>
      list.setCursor(currentTarget.selectionStart),
    onFocus: () => list.setFocused(true),
    onBlur: () => {
      list.setFocused(false)
      list.setOpen(false)
    },
    onClick: () => list.setOpen(true),
    onKeyDown,
  }
  return { field, typed, chosen, isFocused, completions, run, take, handlers }
}

/** Completions at the cursor, of which one may be chosen. They are listed while the field has the focus. */
function useCompletionList({
  typed,
  selection,
  recent,
}: {
  readonly typed: string
  readonly selection: Selection
  readonly recent: readonly string[]
}) {
  const [cursor, setCursor] = useState(typed.length)
  const [isFocused, setFocused] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(-1)
  const context = isOpen && isFocused ? queryContext(typed, cursor) : undefined
  const completions = useCompletions(context, { query: typed, selection, recent })
  return {
    ...{ completions, chosen, isFocused, setCursor, setFocused, setOpen },
    /** Moves to the end of the typed text. */
    follow: (position: number, isListed: boolean) => {
      setCursor(position)
      setChosen(-1)
      setOpen(isListed)
    },
    step: (by: number) => {
      setOpen(true)
      const length = completions.length + 1
      setChosen(((chosen + 1 + by + length) % length) - 1)
    },
  }
}

/**
 * The text of the address, unless another one was typed in this tab and not run. It is kept in the tab, so a reload does not
 * lose it.
 */
function useKeptText(query: string) {
  const [typed, setTyped] = useState(() => {
    const kept = JSON.parse(sessionStorage.getItem(TYPED_KEY) ?? 'null') as [string, string] | null
    return kept?.[0] === query ? kept[1] : query
  })
  const shownQuery = useRef(query)
  useEffect(() => {
    if (shownQuery.current === query) return
    shownQuery.current = query
    setTyped(query)
  }, [query])
  useEffect(() => {
    if (typed === query) sessionStorage.removeItem(TYPED_KEY)
    else sessionStorage.setItem(TYPED_KEY, JSON.stringify([query, typed]))
  }, [typed, query])
  return [typed, setTyped] as const
}
