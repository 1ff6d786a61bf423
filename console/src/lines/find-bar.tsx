import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { TEXT } from '../texts.ts'
import type { Find } from './find-lines.ts'
import style from './line-list.module.css'

/** The field for a text that is looked for in the lines that are loaded. */
export function FindBar({ find, onClose }: { readonly find: Find; readonly onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  return (
    <search className={style.find}>
      <input
        ref={field}
        className="field"
        type="search"
        aria-label={TEXT.find}
        placeholder={TEXT.find}
        autoComplete="off"
        value={find.text}
        onChange={({ target }) => find.setText(target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter') find.go(event.shiftKey ? -1 : 1)
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onClose()
        }}
      />
      <IconButton label={TEXT.findPrevious} onClick={() => find.go(-1)}>
        <ChevronUp size={15} aria-hidden />
      </IconButton>
      <IconButton label={TEXT.findNext} onClick={() => find.go(1)}>
        <ChevronDown size={15} aria-hidden />
      </IconButton>
      <span role="status" className="soft">
        {find.isMissed ? TEXT.findNothing : ''}
      </span>
      <IconButton label={TEXT.close} onClick={onClose}>
        <X size={15} aria-hidden />
      </IconButton>
    </search>
  )
}
