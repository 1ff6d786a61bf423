import { useState } from 'react'
import { visibleText } from '../lines/visible-text.ts'
import { size } from '../numbers.ts'
import { TEXT } from '../texts.ts'

/** Further characters that a press of the button shows. */
const STEP_CHARACTERS = 100_000

/** A text whose end is shown on demand, in steps that keep the page quick. */
export function LongText({
  text,
  first = STEP_CHARACTERS,
  className,
}: {
  readonly text: string
  /** Characters that are shown at first. */
  readonly first?: number
  readonly className?: string | undefined
}) {
  const [shown, setShown] = useState(first)
  const isCut = text.length > shown
  return (
    <>
      <pre className={className}>{visibleText(isCut ? text.slice(0, shown) : text)}</pre>
      {isCut && (
        <button type="button" className="button" onClick={() => setShown(shown + STEP_CHARACTERS)}>
          {TEXT.showFurther(size(Math.min(STEP_CHARACTERS, text.length - shown)), size(text.length))}
        </button>
      )}
    </>
  )
}
