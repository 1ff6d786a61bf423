import { useEffect, useRef } from 'react'
import { usePreferences } from './preferences.ts'

/**
 * Listens to single keys of the page. None acts while one types, in a dialog, together with Ctrl, Alt or Meta, or when
 * the reader has turned keys off. The space bar belongs to the control that has the focus.
 *
 * @param act returns whether the key means something here
 */
export function useKeys(act: (key: string, event: KeyboardEvent) => boolean): void {
  const { hasKeys } = usePreferences()
  const present = useRef(act)
  present.current = act
  useEffect(() => {
    if (!hasKeys) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return
      if (event.key === ' ' && isControl(event.target)) return
      if (present.current(event.key, event)) event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [hasKeys])
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a, button, summary, [role=tab]') !== null
}

/** Whether keys and the clipboard belong to a field that somebody types in. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable)
  )
}
