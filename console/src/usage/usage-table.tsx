import { Search } from 'lucide-react'
import { Link } from 'wouter'
import { count, percent, size } from '../numbers.ts'
import frame from '../shell/frame.module.css'
import { TEXT } from '../texts.ts'
import style from './usage.module.css'
import chart from './usage-chart.module.css'
import { COLOURS, changeOf, type Unit, type UsageRow } from './usage-rows.ts'

interface UsageTableProps {
  readonly rows: readonly UsageRow[]
  readonly total: number
  readonly unit: Unit
  /** Address of the chart of one name. */
  readonly ownChart: (name: string) => string
  /** Address of a search of one name; undefined for what no search finds. */
  readonly searchOf: ((name: string) => string) | undefined
  /** Usage of the names that are not listed. */
  readonly other: number
  /** Whether lines count for several names, so that the names do not add up to all lines. */
  readonly overlaps: boolean
}

/** Names with their part, their change against the range before, and the exact numbers. */
export function UsageTable({ rows, total, unit, ownChart, searchOf, other, overlaps }: UsageTableProps) {
  return (
    <table>
      <Head unit={unit} />
      <tbody>
        {rows.map((row, at) => (
          <tr key={row.name}>
            <td className={style.name}>
              <i className={chart.swatch} data-layer={at < COLOURS ? at : 'other'} aria-hidden />
              <Link href={ownChart(row.name)}>{row.name}</Link>
            </td>
            <td>
              <div className={style.share}>
                <i style={{ width: `${(row.total / (rows[0]?.total || 1)) * 100}%` }} aria-hidden />
                <span>{percent(row.total, total)}</span>
              </div>
            </td>
            <td className={`${frame.number} ${style.change} soft`}>{changeOf(row) ?? '\u2013'}</td>
            <Amount value={row.total} unit={unit} />
            <td className={style.go}>
              {searchOf !== undefined && (
                <Link href={searchOf(row.name)} aria-label={TEXT.searchName(row.name)}>
                  <Search size={14} aria-hidden />
                </Link>
              )}
            </td>
          </tr>
        ))}
        {other > 0 && (
          <tr>
            <td className={style.name}>
              <i className={chart.swatch} data-layer="other" aria-hidden />
              {TEXT.others}
            </td>
            <td>
              <div className={style.share}>
                <span>{percent(other, total)}</span>
              </div>
            </td>
            <td className={style.change} />
            <Amount value={other} unit={unit} />
            <td />
          </tr>
        )}
      </tbody>
      {!overlaps && (
        <tfoot>
          <tr>
            <th scope="row">{TEXT.total}</th>
            <td />
            <td className={style.change} />
            <Amount value={total} unit={unit} />
            <td />
          </tr>
        </tfoot>
      )}
    </table>
  )
}

function Head({ unit }: { readonly unit: Unit }) {
  return (
    <thead>
      <tr>
        <th scope="col">{TEXT.name}</th>
        <th scope="col" className={style.barColumn}>
          {TEXT.share}
        </th>
        <th scope="col" className={`${frame.number} ${style.change}`}>
          {TEXT.change}
        </th>
        <th scope="col" className={frame.number}>
          {TEXT.units[unit]}
        </th>
        <th scope="col">
          <span className="hidden">{TEXT.search}</span>
        </th>
      </tr>
    </thead>
  )
}

/** A cell with bytes or lines; its title has the exact number. */
function Amount({ value, unit }: { readonly value: number; readonly unit: Unit }) {
  return (
    <td className={frame.number} title={`${count(value)} ${unit === 'bytes' ? 'B' : TEXT.linesUnit}`}>
      {unit === 'bytes' ? size(value) : count(value)}
    </td>
  )
}
