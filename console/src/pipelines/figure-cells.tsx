import { Link } from 'wouter'
import { count, percent } from '../numbers.ts'
import frame from '../shell/frame.module.css'
import type { ListFigures } from './list-figures.ts'
import style from './pipelines.module.css'
import { TEXT as PAGE_TEXT } from './texts.ts'

const TEXT = PAGE_TEXT.list
const RATE = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** Heads of the columns with figures. */
export function FigureHeads({ showsTrouble }: { readonly showsTrouble: boolean }) {
  return (
    <>
      <th scope="col" className={style.trend}>
        {TEXT.lastHour}
      </th>
      {[TEXT.inPerMinute, TEXT.outPerMinute].map(each => (
        <th key={each} scope="col" className={style.head} title={TEXT.rateWhy}>
          {each}
        </th>
      ))}
      <th scope="col" className={style.head} title={TEXT.droppedWhy}>
        {TEXT.dropped}
      </th>
      {showsTrouble && (
        <>
          <th scope="col" className={style.head}>
            {TEXT.errors}
          </th>
          <th scope="col" className={style.head}>
            {TEXT.letters}
          </th>
        </>
      )}
    </>
  )
}

/** Cells of a pipeline; a dash stands where nothing is known. */
export function FigureCells({ figures }: { readonly figures: ListFigures | undefined }) {
  if (figures === undefined)
    return (
      <>
        <td className={style.trend} />
        {[TEXT.inPerMinute, TEXT.outPerMinute, TEXT.dropped].map(each => (
          <td key={each} className={frame.number}>
            {'\u2013'}
          </td>
        ))}
      </>
    )
  const { inPerMinute, outPerMinute, points, eventsIn, dropped } = figures
  return (
    <>
      <td className={style.trend}>
        <Trend points={points} />
      </td>
      <td className={frame.number}>{RATE.format(inPerMinute)}</td>
      <td className={frame.number}>{RATE.format(outPerMinute)}</td>
      <td className={frame.number} title={TEXT.droppedOf(count(dropped), count(eventsIn))}>
        {eventsIn === 0 ? '\u2013' : percent(Math.min(dropped, eventsIn), eventsIn)}
      </td>
    </>
  )
}

/** A number that leads to the counted things; a dash for none, and nothing while it is unknown. */
export function TroubleCell({
  number,
  href,
  label,
}: {
  readonly number: number | undefined
  readonly href: string
  readonly label: (number: string) => string
}) {
  return (
    <td className={frame.number}>
      {number === 0 && '\u2013'}
      {number !== undefined && number > 0 && (
        <Link className={style.trouble ?? ''} href={href} aria-label={label(count(number))}>
          {count(number)}
        </Link>
      )}
    </td>
  )
}

/** Events of the last hour as small bars; the columns beside them have the numbers. */
function Trend({ points }: { readonly points: readonly number[] }) {
  const most = Math.max(...points, 1)
  return (
    <svg viewBox={`0 0 ${Math.max(points.length, 1)} 1`} preserveAspectRatio="none" aria-hidden>
      {points.map((events, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars are known by their place in the hour
        <rect key={at} x={at} width={0.8} y={1 - events / most} height={events / most} />
      ))}
    </svg>
  )
}
