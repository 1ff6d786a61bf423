import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { Check } from '../components/check.tsx'
import { Dialog } from '../components/dialog.tsx'
import { TEXT } from '../texts.ts'
import type { NamedPage } from './go-anywhere.tsx'
import style from './keys.module.css'
import { isTyping, useKeys } from './keys.ts'
import { setPreferences, usePreferences } from './preferences.ts'

/** Few visits need it, so it is loaded when it is opened. */
const GoAnywhere = lazy(() => import('./go-anywhere.tsx'))

const PAGES: Readonly<Record<string, string>> = {
  ...{ s: '/search', t: '/search', u: '/usage', p: '/pipelines', y: '/system' },
}
/** Behind `g` it goes to a time of the search. */
const TIME_KEY = 't'
/** Time for the second of two keys. */
const SEQUENCE_MS = 1_500

/** Keys of all pages, and the list of keys behind `?`. */
export function Keys({
  isOpen,
  pages,
  isInAccount,
  hasViews,
  onOpen,
}: {
  readonly isOpen: boolean
  /** Pages that the caller can go to. */
  readonly pages: readonly NamedPage[]
  /** Whether the caller acts for an account, which can have pipelines. */
  readonly isInAccount: boolean
  readonly hasViews: boolean
  readonly onOpen: (isOpen: boolean) => void
}) {
  const [location, navigate] = useLocation()
  const [, setParameters] = useSearchParams()
  const { theme, hasKeys } = usePreferences()
  const goneSince = useRef(Number.NEGATIVE_INFINITY)
  const askTime = (page: string) =>
    location === page
      ? setParameters(
          before => {
            before.set('ask', 'time')
            return before
          },
          { replace: true },
        )
      : navigate(`${page}?ask=time`)
  useKeys(key => {
    const page = pages.find(({ path }) => path === PAGES[key])?.path
    if (page !== undefined && performance.now() - goneSince.current < SEQUENCE_MS) {
      goneSince.current = Number.NEGATIVE_INFINITY
      if (key === TIME_KEY) askTime(page)
      else navigate(page)
      return true
    }
    if (key === 'g') goneSince.current = performance.now()
    if (key === '?') onOpen(true)
    if (key === 't') setPreferences({ theme: theme === 'dark' ? 'light' : 'dark' })
    return key === '?' || key === 't'
  })
  const [isGoing, setGoing] = useState(false)
  useGoingKey(hasKeys && pages.length > 0, () => setGoing(true))
  if (isGoing)
    return (
      <Suspense>
        <GoAnywhere
          pages={pages}
          hasPipelines={isInAccount}
          hasViews={hasViews}
          onClose={() => setGoing(false)}
        />
      </Suspense>
    )
  if (!isOpen) return null
  return (
    <Dialog title={TEXT.keys} isWide onClose={() => onOpen(false)}>
      <div className={style.groups}>
        {TEXT.keyGroups.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <div key={key}>
                  <dt>
                    {key.split(' ').map(each => (
                      <kbd key={each}>{each}</kbd>
                    ))}
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Check
        label={TEXT.useKeys}
        isChecked={hasKeys}
        onChange={isChecked => setPreferences({ hasKeys: isChecked })}
      />
    </Dialog>
  )
}

/** Ctrl+K, or Cmd+K, unless somebody types or a dialog is open. */
function useGoingKey(isOn: boolean, go: () => void): void {
  const present = useRef(go)
  present.current = go
  useEffect(() => {
    if (!isOn) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k') return
      if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      present.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isOn])
}
