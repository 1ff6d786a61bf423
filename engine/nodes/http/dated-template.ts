import type { Event } from '../../event/event.ts'
import type { Problem } from '../../event/problem.ts'
import { compileTemplate, type Template } from '../../event/template.ts'
import { HOUR_MS } from '../../times/duration.ts'
import type { Instant } from '../../times/instant.ts'
import { compileTimeText } from '../../times/time-format.ts'
import { instantOfEvent } from './event-time.ts'

/** A text whose marks of time change no more than once an hour. */
const OF_AN_HOUR = /^(?:[^%]|%[%YymdbhBejFDHaA])*$/

/**
 * Compiles a template whose own text may contain marks for the time of the event in UTC, as in `{{ .app }}-%Y.%m.%d`. Marks
 * in inserted values are text.
 *
 * @throws RangeError with a sentence, for an unknown mark
 */
export function compileDatedTemplate(text: string): Template {
  return compileTemplate(text, literal => {
    if (!literal.includes('%')) return literal
    const write = compileTimeText(literal)
    return OF_AN_HOUR.test(literal) ? perHour(write) : event => write(instantOfEvent(event))
  })
}

/** Keeps the text of the last hour: most events of a batch have the same one. */
function perHour(write: (instant: Instant) => string): (event: Event) => string {
  let keptHour = Number.NaN
  let kept = ''
  return event => {
    const hour = Math.floor(event.timestampMs / HOUR_MS)
    if (hour !== keptHour) {
      keptHour = hour
      kept = write({ epochMs: hour * HOUR_MS, nanos: 0 })
    }
    return kept
  }
}

/** Finds marks that do not exist, when a pipeline is published. */
export function datedTemplateProblems(instancePath: string, text: string): Problem[] {
  try {
    compileDatedTemplate(text)
    return []
  } catch (error) {
    return [{ instancePath, message: `must have known marks of time: ${(error as RangeError).message}` }]
  }
}
