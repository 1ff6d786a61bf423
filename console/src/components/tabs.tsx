import type { KeyboardEvent } from 'react'
import style from './tabs.module.css'

/** Tabs above a panel; the arrow keys walk through them. */
export function Tabs<Name extends string>({
  label,
  names,
  present,
  nameOf,
  onChoose,
}: {
  readonly label: string
  readonly names: readonly Name[]
  readonly present: Name
  readonly nameOf: (name: Name) => string
  readonly onChoose: (name: Name) => void
}) {
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    const next = names[(names.indexOf(present) + step + names.length) % names.length] as Name
    onChoose(next)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus()
  }
  return (
    <div className={style.tabs} role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {names.map(each => (
        <button
          key={each}
          type="button"
          role="tab"
          data-tab={each}
          aria-selected={each === present}
          tabIndex={each === present ? 0 : -1}
          onClick={() => onChoose(each)}
        >
          {nameOf(each)}
        </button>
      ))}
    </div>
  )
}
