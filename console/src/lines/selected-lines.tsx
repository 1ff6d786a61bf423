import { X } from 'lucide-react'
import { useState } from 'react'
import type { LineText } from '../api/records.ts'
import { IconButton } from '../components/icon-button.tsx'
import { count } from '../numbers.ts'
import { TEXT } from '../texts.ts'
import { type CopyForm, copyOf } from './line-copies.ts'
import style from './line-list.module.css'

const FORMS: readonly CopyForm[] = ['sent', 'ndjson', 'table']

/** Ways to copy the chosen lines, over the end of the list. */
export function SelectedLines({
  lines,
  columns,
  zone,
  onClear,
}: {
  readonly lines: readonly LineText[]
  readonly columns: readonly string[]
  readonly zone: string
  readonly onClear: () => void
}) {
  const [copied, setCopied] = useState<CopyForm>()
  const copy = async (form: CopyForm) => {
    await navigator.clipboard.writeText(copyOf(lines, form, { columns, zone }))
    setCopied(form)
  }
  return (
    <div className={style.selected} role="toolbar" aria-label={TEXT.chosenLines}>
      <b>{TEXT.lines(count(lines.length))}</b>
      {FORMS.map(form => (
        <button key={form} type="button" className="button" onClick={() => void copy(form)}>
          {copied === form ? TEXT.copied : TEXT.copyForms[form]}
        </button>
      ))}
      <IconButton label={TEXT.clearChoice} onClick={onClear}>
        <X size={15} aria-hidden />
      </IconButton>
    </div>
  )
}
