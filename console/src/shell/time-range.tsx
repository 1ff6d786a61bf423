import { Clock3 } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { TEXT } from '../texts.ts'
import { dayAndTime, endOfRange, instantOf, rangeName } from '../times/time.ts'
import { Menu } from './menu.tsx'
import style from './time-range.module.css'

const ALL = ''

interface TimeRangeProps {
  /** Start as addresses hold it; the empty text stands for all times. */
  readonly from: string
  readonly to: string
  readonly zone: string
  /** Instant of the start, UNIX ms; the fields begin with both instants. */
  readonly fromMs: number
  readonly toMs: number
  readonly align?: 'start' | 'end'
  /** Whether the range can be left open, so that all times are meant. */
  readonly hasAll?: boolean
  readonly onChoose: (from: string, to: string) => void
}

/** A range of time: relative to now, or between two times that are read in the shown zone. */
export function TimeRange({
  from,
  to,
  zone,
  fromMs,
  toMs,
  align = 'end',
  hasAll = false,
  onChoose,
}: TimeRangeProps) {
  const name = to === 'now' ? nameOf(from) : undefined
  const shown = (ms: number) => dayAndTime(ms, zone)
  const label = name ?? `${shown(fromMs)} \u2013 ${to === 'now' ? 'now' : shown(toMs)}`
  return (
    <Menu
      label={`${TEXT.range}: ${label}`}
      align={align}
      button={
        <>
          <Clock3 size={15} aria-hidden />
          <span className={style.rangeLabel}>{label}</span>
        </>
      }
    >
      {close => (
        <div className={style.range}>
          <ul>
            {(hasAll ? [ALL, ...TEXT.ranges] : TEXT.ranges).map(each => (
              <li key={each}>
                <button
                  type="button"
                  className="quiet"
                  aria-pressed={each === from && to === 'now'}
                  onClick={() => {
                    onChoose(each, 'now')
                    close()
                  }}
                >
                  {nameOf(each)}
                </button>
              </li>
            ))}
          </ul>
          <TypedRange
            from={shown(fromMs)}
            to={to === 'now' ? 'now' : shown(toMs)}
            zone={zone}
            onChoose={(...range) => {
              onChoose(...range)
              close()
            }}
          />
        </div>
      )}
    </Menu>
  )
}

function nameOf(from: string): string | undefined {
  return from === ALL ? TEXT.allTimes : rangeName(from)
}

function TypedRange({
  from,
  to,
  zone,
  onChoose,
}: {
  readonly from: string
  readonly to: string
  readonly zone: string
  readonly onChoose: (from: string, to: string) => void
}) {
  const id = useId()
  const [trouble, setTrouble] = useState('')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.stopPropagation()
    const given = new FormData(event.currentTarget)
    const ends = ['from', 'to'].map(name => endOfRange(String(given.get(name)), zone))
    const [first, last] = ends
    if (first === undefined || last === undefined) return setTrouble(TEXT.timeWrong)
    const nowMs = Date.now()
    if ((instantOf(first, nowMs) ?? 0) >= (instantOf(last, nowMs) ?? 0)) return setTrouble(TEXT.rangeWrong)
    onChoose(first, last)
  }
  return (
    <form onSubmit={submit}>
      <label htmlFor={`${id}-from`}>{TEXT.from}</label>
      <input className="field" id={`${id}-from`} name="from" defaultValue={from} autoComplete="off" />
      <label htmlFor={`${id}-to`}>{TEXT.to}</label>
      <input className="field" id={`${id}-to`} name="to" defaultValue={to} autoComplete="off" />
      <p className={trouble === '' ? 'soft' : style.trouble} role={trouble === '' ? undefined : 'alert'}>
        {trouble === '' ? TEXT.typedHint(zone) : trouble}
      </p>
      <button type="submit" className="button">
        {TEXT.apply}
      </button>
    </form>
  )
}
