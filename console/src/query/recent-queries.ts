import { useCallback, useEffect, useState } from 'react'
import { keep, keptValue } from '../api/kept.ts'

const NAME = 'recent queries'
const MOST = 50

/** The last queries of this account in this browser, newest first. */
export function useRecentQueries() {
  const [recent, setRecent] = useState<readonly string[]>([])
  useEffect(() => {
    void keptValue<readonly string[]>(NAME).then(kept =>
      setRecent(before => (before.length > 0 ? before : (kept ?? []))),
    )
  }, [])
  const add = useCallback((query: string) => {
    const text = query.trim()
    if (text === '') return
    setRecent(before => {
      const next = [text, ...before.filter(each => each !== text)].slice(0, MOST)
      void keep(NAME, next)
      return next
    })
  }, [])
  return { recent, add }
}
