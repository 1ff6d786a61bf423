import { X } from 'lucide-react'
import { TEXT } from '../texts.ts'
import style from './line-list.module.css'

const NAMES: Readonly<Record<string, string>> = { level: TEXT.level, app: TEXT.app, host: TEXT.host }

/** Names of the columns. A column of a field can be removed where it stands. */
export function ListHead({
  columns,
  onColumns,
}: {
  readonly columns: readonly string[]
  readonly onColumns: (columns: readonly string[]) => void
}) {
  return (
    <div className={style.head} role="row" aria-rowindex={1} tabIndex={-1}>
      <span role="columnheader" tabIndex={-1}>
        <span className="hidden">{TEXT.openDetails}</span>
      </span>
      <span role="columnheader" tabIndex={-1}>
        {TEXT.time}
      </span>
      {columns.map(column => (
        <span
          key={column}
          role="columnheader"
          tabIndex={-1}
          className={column === 'level' ? style.levelHead : style.columnHead}
          title={column}
        >
          <span>{NAMES[column] ?? column}</span>
          <button
            type="button"
            tabIndex={-1}
            aria-label={TEXT.removeColumn(column)}
            onClick={() => onColumns(columns.filter(each => each !== column))}
          >
            <X size={12} aria-hidden />
          </button>
        </span>
      ))}
      <span role="columnheader" tabIndex={-1}>
        {TEXT.line}
      </span>
    </div>
  )
}
