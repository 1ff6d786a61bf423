import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { TEXT } from '../texts.ts'
import { bucketLabel, clockTime, dayAndTime, dayOf } from '../times/time.ts'
import style from './usage-chart.module.css'
import type { Layer } from './usage-rows.ts'

const MOST_LABELS = 8

interface UsageChartProps {
  readonly starts: readonly number[]
  readonly intervalMs: number
  readonly layers: readonly Layer[]
  readonly zone: string
  readonly shown: (value: number) => string
}

/** Stacked bars over time. A pointer or the arrow keys read one bar. */
export function UsageChart(props: UsageChartProps) {
  const { starts, layers, shown } = props
  const [cursor, setCursor] = useState<number>()
  const totals = starts.map((_, at) => layers.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  const most = Math.max(1, ...totals)
  return (
    <figure className={style.figure}>
      <div className={style.scale} aria-hidden>
        <span>{shown(most)}</span>
        <span>{shown(most / 2)}</span>
        <span>0</span>
      </div>
      <Bars {...{ starts, layers, most, cursor }} onCursor={setCursor} />
      <Axis {...props} />
      {cursor !== undefined && <Reading {...props} cursor={cursor} total={totals[cursor] ?? 0} />}
    </figure>
  )
}

interface BarsProps extends Pick<UsageChartProps, 'starts' | 'layers'> {
  /** The largest total. */
  readonly most: number
  /** Index of the bar that is read. */
  readonly cursor: number | undefined
  readonly onCursor: (cursor: number | undefined) => void
}

function Bars({ starts, layers, most, cursor, onCursor }: BarsProps) {
  const last = starts.length - 1
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (event.key === 'Escape') onCursor(undefined)
    if (by === undefined) return
    event.preventDefault()
    onCursor(Math.max(0, Math.min(last, (cursor ?? (by > 0 ? -1 : starts.length)) + by)))
  }
  const onPointerMove = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    onCursor(Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * starts.length))))
  }
  return (
    <div
      className={style.bars}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move a cursor over the bars
      tabIndex={0}
      role="application"
      aria-label={TEXT.usageChart}
      onKeyDown={onKeyDown}
      onPointerMove={onPointerMove}
      onPointerLeave={() => onCursor(undefined)}
      onBlur={() => onCursor(undefined)}
    >
      {starts.map((start, at) => (
        <div key={start} className={style.bar} data-read={at === cursor}>
          {layers.map(({ name, values }, layer) =>
            values[at] ? (
              <i
                key={name ?? ''}
                data-layer={name === undefined ? 'other' : layer}
                style={{ height: `${((values[at] ?? 0) / most) * 100}%` }}
              />
            ) : null,
          )}
        </div>
      ))}
    </div>
  )
}

function Axis({ starts, intervalMs, zone }: UsageChartProps) {
  const step = Math.max(1, Math.ceil(starts.length / MOST_LABELS))
  // The hours of one day need no date.
  const isOneDay = dayOf(starts[0] ?? 0, zone) === dayOf(starts.at(-1) ?? 0, zone)
  const labelOf = (start: number) =>
    isOneDay ? clockTime(start, zone).slice(0, 5) : bucketLabel(start, intervalMs, zone)
  return (
    <div className={style.axis} aria-hidden>
      {starts.map(
        (start, at) =>
          // A label near the end would be cut.
          at % step === 0 &&
          at <= starts.length - step / 2 && (
            <span key={start} style={{ left: `${(at / starts.length) * 100}%` }}>
              {labelOf(start)}
            </span>
          ),
      )}
    </div>
  )
}

/** The values of the bar at the cursor. */
function Reading({
  starts,
  layers,
  zone,
  shown,
  cursor,
  total,
}: UsageChartProps & { readonly cursor: number; readonly total: number }) {
  return (
    <figcaption
      className={style.reading}
      data-side={cursor > starts.length / 2 ? 'left' : 'right'}
      aria-live="polite"
    >
      <b>{dayAndTime(starts[cursor] ?? 0, zone).slice(0, 16)}</b>
      <ul>
        {layers.map(({ name, values }, layer) =>
          values[cursor] ? (
            <li key={name ?? ''}>
              <i data-layer={name === undefined ? 'other' : layer} />
              <span>{name ?? TEXT.others}</span>
              <span>{shown(values[cursor] ?? 0)}</span>
            </li>
          ) : null,
        )}
      </ul>
      <p>
        {TEXT.total} {shown(total)}
      </p>
    </figcaption>
  )
}
