import { X } from 'lucide-react'
import { LISTS, type ListName } from '../api/searches.ts'
import { TEXT } from '../texts.ts'
import style from './search.module.css'

/** Filters that are on, each with a button that removes it. */
export function Chips({
  lists,
  onRemove,
}: {
  readonly lists: Readonly<Record<ListName, readonly string[]>>
  readonly onRemove: (list: ListName, value: string) => void
}) {
  const chips = LISTS.flatMap(list => lists[list].map(value => ({ list, value })))
  if (chips.length === 0) return null
  return (
    <ul className={style.chips} aria-label={TEXT.filters}>
      {chips.map(({ list, value }) => {
        const text = `${list.slice(0, -1)}: ${value}`
        return (
          <li key={text}>
            {text}
            <button type="button" aria-label={TEXT.removeFilter(text)} onClick={() => onRemove(list, value)}>
              <X size={13} aria-hidden />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
