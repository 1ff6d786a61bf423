import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { TEXT } from '../texts.ts'
import style from './dialog.module.css'
import { IconButton } from './icon-button.tsx'

/** A window over the page. Esc closes it, and the focus returns to the element that had it before, or to the page. */
export function Dialog({
  title,
  isWide = false,
  onClose,
  children,
}: {
  readonly title: string
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // A form begins at its first field, not at the button that closes it.
    dialog.current?.querySelector<HTMLElement>('form input:not([type=checkbox])')?.focus()
    return () => {
      // The row of the opener may have been removed.
      const next = opener?.isConnected ? opener : document.getElementById('content')
      if (next instanceof HTMLElement) next.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={style.dialog}
      data-wide={isWide}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      // Keys of the page do not act behind it.
      onKeyDown={event => event.stopPropagation()}
    >
      <div className={style.head}>
        <h2 id={id}>{title}</h2>
        <IconButton label={TEXT.close} onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <div className={style.body}>{children}</div>
    </dialog>
  )
}
