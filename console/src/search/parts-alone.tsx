import { useQueries } from '@tanstack/react-query'
import { histogram, type Selection } from '../api/searches.ts'
import { count } from '../numbers.ts'
import { TEXT } from '../texts.ts'
import { MOST_PARTS, partsOf } from './empty-parts.ts'
import style from './search.module.css'
import type { AddressChange } from './search-address.ts'

/** The server divides a period into ten parts at least; their sum alone is shown. */
const LEAST_BUCKETS = 10

/** Lines that each condition of a search without lines finds alone, and a way to give it up. */
export default function PartsAlone({
  selection,
  onSearch,
}: {
  readonly selection: Selection
  readonly onSearch: (change: AddressChange) => void
}) {
  const all = partsOf(selection)
  const parts = all.slice(0, MOST_PARTS)
  const counts = useQueries({
    queries: parts.map(({ alone }) => ({
      queryKey: ['lines alone', alone],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        histogram(alone, { by: '', zone: 'UTC', buckets: LEAST_BUCKETS }, signal),
    })),
  })
  if (parts.length === 0) return null
  return (
    <table className={style.parts}>
      <caption>{TEXT.partsAlone}</caption>
      <tbody>
        {parts.map(({ text, without }, at) => {
          const { data, error } = counts[at] ?? {}
          const lines = data && `${data.complete ? '' : '\u2265 '}${count(data.lines)}`
          return (
            <tr key={text} data-none={data?.complete === true && data.lines === 0}>
              <th scope="row">{text}</th>
              <td>{error?.message ?? (lines === undefined ? '\u2026' : TEXT.lines(lines))}</td>
              <td>
                <button type="button" className="button" onClick={() => onSearch(without)}>
                  {TEXT.searchWithout}
                  <span className="hidden"> {text}</span>
                </button>
              </td>
            </tr>
          )
        })}
      </tbody>
      {all.length > parts.length && (
        <tfoot>
          <tr>
            <td colSpan={3}>{TEXT.partsLeft(count(all.length - parts.length))}</td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}
