import type { ReactNode } from 'react'

/** A button that shows an icon; its name is read aloud and appears on hover. */
export function IconButton({
  label,
  onClick,
  isPressed,
  isDisabled = false,
  children,
}: {
  readonly label: string
  readonly onClick: () => void
  /** State of a button that switches something on and off. */
  readonly isPressed?: boolean | undefined
  readonly isDisabled?: boolean
  readonly children: ReactNode
}) {
  return (
    <button
      type="button"
      className="quiet icon"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={onClick}
    >
      {children}
    </button>
  )
}
