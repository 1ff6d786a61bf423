import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import style from './menu.module.css'

/** A button with a panel below or above it. Esc, a click elsewhere, and leaving it by keyboard close it. */
export function Menu({
  label,
  button,
  className = 'button',
  side = 'below',
  align = 'start',
  children,
}: {
  /** Name of a button that shows no text. */
  readonly label?: string
  readonly button: ReactNode
  readonly className?: string
  readonly side?: 'below' | 'above'
  readonly align?: 'start' | 'end'
  readonly children: (close: () => void) => ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  const whole = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    const closeOutside = ({ target }: Event) => {
      if (!whole.current?.contains(target as Node)) setOpen(false)
    }
    const closeByKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      setOpen(false)
      opener.current?.focus()
    }
    // The key means the panel alone, not the elements around it.
    document.addEventListener('keydown', closeByKey, { capture: true })
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    return () => {
      document.removeEventListener('keydown', closeByKey, { capture: true })
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
    }
  }, [isOpen])
  const close = () => {
    setOpen(false)
    opener.current?.focus()
  }
  return (
    <div ref={whole} className={style.whole}>
      <button
        ref={opener}
        type="button"
        className={className}
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <div id={id} className={style.panel} data-side={side} data-align={align}>
          {children(close)}
        </div>
      )}
    </div>
  )
}
