import type { Event } from '../../../engine/event/event.ts'
import { jsonText } from '../../../engine/json/json-text.ts'
import { cutUtf8 } from '../../../engine/lines/line-limits.ts'
import type { TapMessage as EngineMessage, TapEnd } from '../../../engine/replay/taps/tap.ts'
import type { TapMessage } from '../../../schemas/http/pipeline/tap-api.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { isoTime } from '../../http/iso-time.ts'
import { eventRecord } from '../event-record.ts'

/** Maximum length of an event's JSON text. */
const MAX_EVENT_BYTES = 65_536

/** Reasons why a tap ended, as sentences for people. */
const END_SENTENCES: Readonly<Record<TapEnd, string>> = {
  limit: 'The number of events that was asked for has been shown',
  time: 'The time is over',
  withdrawn: 'The pipeline no longer runs',
  rights: 'The credential no longer allows reading every line of the account',
  closed: 'The reader has closed the connection',
  slow: 'The reader is too slow: more than 1 MiB waited for it',
  stopped: 'The server stops: open the tap again',
  failed: 'The tap failed',
}

export function endSentence(reason: TapEnd): string {
  return END_SENTENCES[reason]
}

/** A message in the form that clients get. */
export function tapText(node: string, message: EngineMessage): string {
  return jsonText(tapMessage(node, message) as JsonObject)
}

function tapMessage(node: string, message: EngineMessage): TapMessage {
  switch (message.type) {
    case 'event': {
      const { output, event } = message
      return { type: 'event', output: output === '' ? node : `${node}.${output}`, ...shownEvent(event) }
    }
    case 'revision': {
      const { revision, deployment, isPaused, isPresent, atMs } = message
      const at = isoTime(atMs)
      return { type: 'revision', revision, deployment, paused: isPaused, present: isPresent, at }
    }
    case 'skipped':
      return { type: 'skipped', count: message.count, not_filtered: message.notFiltered }
    case 'end': {
      const { reason, shown, skipped } = message
      return { type: 'end', reason, message: endSentence(reason), events: shown, skipped }
    }
  }
}

/** Shows an event whole, or the beginning of its text as a text, because a part of a JSON text is not JSON. */
function shownEvent(whole: Event) {
  const event = eventRecord(whole)
  const bytes = Buffer.from(jsonText(event))
  if (bytes.length <= MAX_EVENT_BYTES) return { event }
  const end = cutUtf8(bytes, 0, bytes.length, MAX_EVENT_BYTES)
  return { cut: bytes.toString('utf8', 0, end), bytes: bytes.length }
}
