import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import frame from './frame.module.css'
import style from './list.module.css'
import { Empty, Loading, ProblemBox } from './states.tsx'

/** A list of entries that can be added: the purpose of the entries, the button for a new one, and the table. */
export function ListSection({
  label,
  why,
  create,
  onCreate,
  list,
  none,
  noneWhy,
  refusal,
  tools,
  children,
}: {
  readonly label: string
  readonly why: string
  readonly create: string
  /** Undefined where the caller cannot add entries. */
  readonly onCreate: (() => void) | undefined
  readonly list: {
    readonly data: readonly unknown[] | undefined
    readonly error: Error | null
    readonly isFetching: boolean
    readonly refetch: () => unknown
  }
  readonly none: string
  readonly noneWhy?: string
  /** Reason for which the last change of an entry was refused. */
  readonly refusal?: ReactNode
  /** Fields that narrow the list, where it has entries. */
  readonly tools?: ReactNode
  /** The table; it is not shown while there are no entries. */
  readonly children: ReactNode
}) {
  const { data, error, isFetching, refetch } = list
  const button = onCreate !== undefined && (
    <button type="button" className="button" onClick={onCreate}>
      <Plus size={14} aria-hidden />
      {create}
    </button>
  )
  return (
    <section aria-label={label} className={style.section}>
      <div className={style.why}>
        <p className="soft">{why}</p>
        {data !== undefined && data.length > 0 && button}
      </div>
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {refusal}
      {data !== undefined && data.length > 0 && tools}
      <div className={frame.card} aria-busy={isFetching} hidden={error !== null && data === undefined}>
        <Loading isLoading={isFetching && data === undefined} />
        {data?.length === 0 && (
          <Empty title={none} action={button}>
            {noneWhy !== undefined && <p>{noneWhy}</p>}
          </Empty>
        )}
        {data !== undefined && data.length > 0 && children}
      </div>
    </section>
  )
}
