import { X } from 'lucide-react'
import { LISTS } from '../api/searches.ts'
import { TEXT } from '../texts.ts'
import style from './search.module.css'
import type { FilterValue, SearchAddress } from './search-address.ts'

interface ChipsProps {
  readonly address: Pick<SearchAddress, 'lists' | 'off'>
  readonly onSwitch: (filter: FilterValue) => void
  readonly onRemove: (filter: FilterValue) => void
}

/** Filters of the search, each with a button that switches it off or on and one that removes it. */
export function Chips({ address, onSwitch, onRemove }: ChipsProps) {
  const chips = LISTS.flatMap(list => {
    const on = address.lists[list]
    const off = address.off.filter(each => each.list === list).map(({ value }) => value)
    // In this order a chip stays in its place when it is switched.
    return [...on, ...off].toSorted().map(value => ({ filter: { list, value }, isOn: on.includes(value) }))
  })
  if (chips.length === 0) return null
  return (
    <ul className={style.chips} aria-label={TEXT.filters}>
      {chips.map(({ filter, isOn }) => {
        const text = `${filter.list.slice(0, -1)}: ${filter.value}`
        return (
          <li key={text} data-on={isOn}>
            <button
              type="button"
              aria-pressed={isOn}
              title={isOn ? TEXT.switchFilterOff : TEXT.switchFilterOn}
              onClick={() => onSwitch(filter)}
            >
              {text}
            </button>
            <button type="button" aria-label={TEXT.removeFilter(text)} onClick={() => onRemove(filter)}>
              <X size={13} aria-hidden />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
