import type { JsonValue } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import { type Field, fieldAt } from '../../../event/field-path.ts'
import { dateTimeToMs, numberToMs } from '../../../times/sent-time.ts'
import type { DeliveryFailure } from '../../contract/own-store.ts'
import { jsonFormOf } from '../../http/event-text.ts'
import { instantOfEvent, secondText } from '../../http/event-time.ts'
import { deliveryFailed } from '../../http/http-verdict.ts'
import { perConfig } from '../../http/per-config.ts'
import { type SplunkHecConfig, VALUE_OPTIONS } from './splunk-hec-options.ts'

/** Options that decide about the members of an event. */
export type EventConfig = Pick<
  SplunkHecConfig,
  'host_field' | 'timestamp_field' | (typeof VALUE_OPTIONS)[number]
>

const NOT_BLANK = /\S/

/** Failure of an event that the collector never accepts. */
export function blankFailure({ message }: Event): DeliveryFailure<'E_DELIVERY_FAILED'> | undefined {
  const isBlank = message === null || (typeof message === 'string' && !NOT_BLANK.test(message))
  return isBlank ? deliveryFailed('The event collector accepts neither null nor a blank text') : undefined
}

/** Returns the JSON text of an event in the form of the event collector: components, section 6.5. */
export const eventItemOf = perConfig((config: EventConfig) => {
  const time = fieldAt(config.timestamp_field ?? 'metadata.time')
  const host = fieldAt(config.host_field ?? 'metadata.host')
  const values = VALUE_OPTIONS.map(option => [option, valueReader(config[option])] as const)
  return (event: Event): string => {
    const others = [
      ['host', textAt(host, event)] as const,
      ...values.map(([name, read]) => [name, read(event)] as const),
    ]
    const members = others.flatMap(([name, text]) => (text ? [`,"${name}":${JSON.stringify(text)}`] : []))
    return `{"time":${secondsAt(time, event)}${members.join('')},"event":${jsonFormOf(event)}}`
  }
})

function valueReader(option: SplunkHecConfig['source']): (event: Event) => string | undefined {
  const { value_type: type = 'none', value = '' } = option ?? {}
  if (type === 'none') return () => undefined
  if (type === 'value') return () => value
  const field = fieldAt(value)
  return event => textAt(field, event)
}

/** A scalar as text; everything else counts as missing. */
function textAt(field: Field, event: Event): string | undefined {
  const value = field.read(event)
  if (typeof value === 'string') return value
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value)
}

/** Seconds since 1970 with three digits of a fraction. A value that is not a time gives way to the timestamp of the event. */
function secondsAt(field: Field, event: Event): string {
  const epochMs = epochMsOf(field.read(event))
  return secondText(epochMs === undefined ? instantOfEvent(event) : { epochMs, nanos: 0 })
}

function epochMsOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return numberToMs(String(value))
  return typeof value === 'string' ? (numberToMs(value) ?? dateTimeToMs(value)) : undefined
}
