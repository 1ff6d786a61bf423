import type { ReactNode } from 'react'
import { count, size } from '../numbers.ts'
import { dayAndTime } from '../times/time.ts'
import { meanRates } from './rates.ts'
import type { QuarantinedRecord, SystemPartition, SystemRates } from './requests.ts'
import style from './system.module.css'
import { TEXT } from './texts.ts'

const RATE = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** Rates of the last minute and the last hour. */
export function RateTable({ rates }: { readonly rates: SystemRates }) {
  return (
    <Scrolled label={TEXT.rates}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden">{TEXT.rates}</span>
            </th>
            <th scope="col" className={style.number}>
              {TEXT.lastMinute}
            </th>
            <th scope="col" className={style.number}>
              {TEXT.lastHour}
            </th>
          </tr>
        </thead>
        <tbody>
          {meanRates(rates).map(({ name, lastMinute, lastHour }) => (
            <tr key={name}>
              <th scope="row">{TEXT.series[name]}</th>
              <td className={style.number}>{rateText(name, lastMinute)}</td>
              <td className={style.number}>{rateText(name, lastHour)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

/** Partitions of the log with their workers. */
export function PartitionTable({
  partitions,
  zone,
}: {
  readonly partitions: readonly SystemPartition[]
  readonly zone: string
}) {
  return (
    <Scrolled label={TEXT.partitions}>
      <table>
        <thead>
          <tr>
            <th scope="col">{TEXT.partition}</th>
            <th scope="col">{TEXT.worker}</th>
            {[TEXT.unread, TEXT.unstored, TEXT.behind].map(each => (
              <th key={each} scope="col" className={style.number}>
                {each}
              </th>
            ))}
            <th scope="col">{TEXT.logTime}</th>
            <th scope="col">{TEXT.trouble}</th>
          </tr>
        </thead>
        <tbody>
          {partitions.map(each => (
            <tr key={`${each.topic} ${each.partition}`}>
              <th scope="row">{`${each.topic} ${each.partition}`}</th>
              <td>{each.worker ?? TEXT.unknown}</td>
              <td className={style.number}>{number(each.lag_records)}</td>
              <td className={style.number}>{number(each.unstored_records)}</td>
              <td className={style.number}>
                {each.behind_s === null ? TEXT.unknown : TEXT.seconds(RATE.format(each.behind_s))}
              </td>
              <td className={style.time}>
                {each.log_time === null ? TEXT.unknown : dayAndTime(Date.parse(each.log_time), zone)}
              </td>
              <td className={style.trouble}>{each.trouble}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

/** Records whose events fail at a node because an operator said so. */
export function QuarantineTable({
  records,
  zone,
}: {
  readonly records: readonly QuarantinedRecord[]
  readonly zone: string
}) {
  return (
    <Scrolled label={TEXT.quarantine}>
      <table>
        <thead>
          <tr>
            {[TEXT.record, TEXT.node, TEXT.since, TEXT.by].map(each => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map(({ topic, partition, offset, node, since, by, complete }) => (
            <tr key={`${topic} ${partition} ${offset} ${node}`}>
              <th scope="row">{`${topic} ${partition}, ${offset}`}</th>
              <td>{node}</td>
              <td>{dayAndTime(Date.parse(since), zone)}</td>
              <td>
                {by} {!complete && <span className={style.trouble}>{TEXT.incomplete}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

/** A table that small screens scroll, also by keys. */
function Scrolled({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <section className={style.table} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

function rateText(name: string, rate: number | undefined): string {
  if (rate === undefined) return TEXT.unknown
  return name === 'bytes' ? size(Math.round(rate)) : RATE.format(rate)
}

function number(value: number | null): string {
  return value === null ? TEXT.unknown : count(value)
}
