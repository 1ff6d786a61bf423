import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, Columns3, X } from 'lucide-react'
import { useState } from 'react'
import { type FieldOfLines, fields, values } from '../api/completions.ts'
import { isRefusedQuery } from '../api/problem.ts'
import type { Selection } from '../api/searches.ts'
import { IconButton } from '../components/icon-button.tsx'
import { OWN_MEMBER } from '../lines/record-fields.ts'
import { count, percent } from '../numbers.ts'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { useFieldKeys } from './field-keys.ts'
import style from './field-list.module.css'

const MOST_FIELDS = 200
const MOST_VALUES = 8

interface FieldListProps {
  readonly selection: Selection
  readonly columns: readonly string[]
  readonly onColumns: (columns: readonly string[]) => void
  readonly onTerm: (field: string, value: string, isLeftOut: boolean) => void
}

/** Fields of the newest lines of the search. A field opens to its values, and can become a column. */
export function FieldList({ selection, columns, onColumns, onTerm }: FieldListProps) {
  const [isOpen, setOpen] = useState(true)
  const [filter, setFilter] = useState('')
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['fields', selection],
    queryFn: ({ signal }) => fields(selection, { prefix: '', limit: MOST_FIELDS }, signal),
    placeholderData: before => before,
    enabled: isOpen,
  })
  const Chevron = isOpen ? ChevronDown : ChevronRight
  const known = data?.fields.filter(({ name }) => !OWN_MEMBER.test(name)) ?? []
  const shown = known.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()))
  return (
    <section className={style.fields} aria-busy={isFetching}>
      <h2>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Chevron size={14} aria-hidden />
          {TEXT.fields}
        </button>
      </h2>
      {isOpen && (
        <>
          <Loading isLoading={isFetching} />
          {error !== null && !isRefusedQuery(error) && (
            <ProblemBox error={error} onRetry={() => void refetch()} />
          )}
          {known.length > 10 && (
            <input
              className="field"
              type="search"
              aria-label={TEXT.fieldFilter}
              placeholder={TEXT.fieldFilter}
              value={filter}
              onChange={({ target }) => setFilter(target.value)}
            />
          )}
          {data !== undefined && known.length === 0 && <p className="soft">{TEXT.noFields}</p>}
          <ul>
            {shown.map(field => (
              <FieldRow
                key={field.name}
                field={field}
                of={data?.of_lines ?? 0}
                selection={selection}
                columns={columns}
                onColumns={onColumns}
                onTerm={onTerm}
              />
            ))}
          </ul>
          {data !== undefined && !data.complete && (
            <p className={style.note}>{TEXT.ofNewest(count(data.of_lines))}</p>
          )}
        </>
      )}
    </section>
  )
}

interface FieldRowProps extends FieldListProps {
  readonly field: FieldOfLines
  /** Lines that were read. */
  readonly of: number
}

function FieldRow({ field, of, selection, columns, onColumns, onTerm }: FieldRowProps) {
  const { name, lines, type } = field
  const [isOpen, setOpen] = useState(false)
  const isColumn = columns.includes(name)
  const label = isColumn ? TEXT.removeColumn(name) : TEXT.addColumn(name)
  return (
    <li>
      <div className={style.row}>
        <button
          type="button"
          className={style.name}
          aria-expanded={isOpen}
          title={`${name} (${TEXT.types[type]}), ${TEXT.lines(count(lines))}`}
          onClick={() => setOpen(!isOpen)}
        >
          <span>{name}</span>
          <small>{percent(lines, of)}</small>
        </button>
        <IconButton
          label={label}
          isPressed={isColumn}
          onClick={() => onColumns(isColumn ? columns.filter(each => each !== name) : [...columns, name])}
        >
          {isColumn ? <X size={13} aria-hidden /> : <Columns3 size={13} aria-hidden />}
        </IconButton>
      </div>
      {isOpen && <FieldValues name={name} selection={selection} onTerm={onTerm} />}
    </li>
  )
}

function FieldValues({
  name,
  selection,
  onTerm,
}: {
  readonly name: string
  readonly selection: Selection
  readonly onTerm: FieldListProps['onTerm']
}) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['values', selection, name],
    queryFn: ({ signal }) => values(selection, { field: name, prefix: '', limit: MOST_VALUES }, signal),
  })
  const fieldKeys = useFieldKeys()
  const most = data?.values[0]?.lines ?? 1
  return (
    <div className={style.values}>
      <Loading isLoading={isFetching} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data?.values.length === 0 && <p className="soft">{TEXT.noValues}</p>}
      <ul>
        {data?.values.map(({ value, lines }) => (
          <li key={value}>
            <button
              type="button"
              title={`${value}. ${TEXT.facetHint}`}
              onClick={event => onTerm(name, value, event.altKey)}
              onKeyDown={fieldKeys(isLeftOut => onTerm(name, value, isLeftOut))}
            >
              <i style={{ width: `${(lines / most) * 100}%` }} aria-hidden />
              <span>{value}</span>
              <small>{count(lines)}</small>
            </button>
          </li>
        ))}
      </ul>
      {data?.more === true && <p className={style.note}>{TEXT.furtherValues}</p>}
    </div>
  )
}
