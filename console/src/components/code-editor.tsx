import { type CSSProperties, lazy, type RefObject, Suspense, useLayoutEffect, useRef } from 'react'
import style from './code-editor.module.css'
import type { CodeEditorProps, TypedPlace } from './code-editor-props.ts'

const CodeMirror = lazy(() => import('./code-mirror.tsx'))

const USUAL_LINES = 6
const LINE_EM = 1.5

/** A field for code. The editor is loaded when the first one is shown; until then the text stands in a plain field. */
export function CodeEditor(props: CodeEditorProps) {
  const typedPlace = useRef<TypedPlace>(undefined)
  return (
    <Suspense fallback={<PlainField {...props} typedPlace={typedPlace} />}>
      <div
        className={style.editor}
        data-invalid={props.isInvalid || undefined}
        style={{ '--editor-lines': `${(props.lines ?? USUAL_LINES) * LINE_EM}em` } as CSSProperties}
      >
        <CodeMirror {...props} typedPlace={typedPlace} />
      </div>
    </Suspense>
  )
}

interface PlainFieldProps extends CodeEditorProps {
  readonly typedPlace: RefObject<TypedPlace | undefined>
}

function PlainField({
  label,
  value,
  lines = USUAL_LINES,
  isReadOnly = false,
  onChange,
  typedPlace,
}: PlainFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  // Runs before the field is removed: the editor goes on where somebody types.
  useLayoutEffect(() => {
    const element = field.current
    return () => {
      if (element === null || document.activeElement !== element) return
      typedPlace.current = { from: element.selectionStart, to: element.selectionEnd }
    }
  }, [typedPlace])
  return (
    <textarea
      ref={field}
      className={style.plain}
      aria-label={label}
      rows={lines}
      value={value}
      readOnly={isReadOnly || onChange === undefined}
      spellCheck={false}
      onChange={({ target }) => onChange?.(target.value)}
    />
  )
}
