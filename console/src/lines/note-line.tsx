import { Link } from 'wouter'
import { TEXT } from '../texts.ts'
import style from './line-list.module.css'
import type { NoteRow } from './rows.ts'

/** A row that says something about the lines around it. */
export function NoteLine({ row }: { readonly row: NoteRow }) {
  return (
    <span className={style.note} role="gridcell" tabIndex={-1} aria-colspan={9}>
      <span>{row.note}</span>
      {row.link !== undefined && (
        <Link href={row.link} tabIndex={-1}>
          {TEXT.searchThere}
        </Link>
      )}
    </span>
  )
}
