import type { Event } from '../../../event/event.ts'
import { compileTemplate } from '../../../event/template.ts'
import type { HttpRequest } from '../../../outbound/http-exchange.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import type { Instant } from '../../../times/instant.ts'
import type { Batch, Batching, EncodedRequest } from '../../contract/define-destination.ts'
import { jsonFormOf, textFormOf } from '../../http/event-text.ts'
import { instantOfEvent, nanosecondText } from '../../http/event-time.ts'
import { authorizationOf, targetOf } from '../../http/http-headers.ts'
import { perConfig } from '../../http/per-config.ts'
import { requestRanges } from '../../http/request-ranges.ts'
import type { LokiConfig } from './loki-options.ts'

/** Class "streaming" of components, section 7.1. */
const MAX_BYTES = 1_000_000
const MAX_EVENTS = 1_000
/** Label of events whose own labels do not render. */
const NO_LABELS = '{"agent":"pipeline"}'
const FOREIGN_CHARACTERS = /[^A-Za-z0-9_]/g
/** The text around streams and around the entries of one stream. */
const AROUND_ALL = '{"streams":[]}'.length
const AROUND_STREAM = '{"stream":,"values":[]},'.length
const AROUND_ENTRY = '["",],'.length

type EntryConfig = Pick<LokiConfig, 'labels' | 'encoding'>

/** Texts of labels that are remembered per configuration. */
const MAX_KNOWN_LABELS = 1_000
const MAX_KNOWN_CHARACTERS = 500

/** Labels of an event. */
const labelsOf = perConfig(({ labels }: EntryConfig) => {
  const templates = labels.map(({ label_name: name, label_value: value }) => ({
    name: compileTemplate(name),
    value: compileTemplate(value),
  }))
  // Most events have the labels of another one.
  const known = new Map<string, Labels>()
  return (event: Event): Labels => {
    const texts: (string | undefined)[] = []
    let key = ''
    for (const { name, value } of templates)
      for (const template of [name, value]) {
        const text = template.render(event)
        texts.push(text)
        key += text === undefined ? '-' : `${text.length}:${text}`
      }
    const found = known.get(key)
    if (found !== undefined) return found
    const made = labelsIn(texts)
    if (known.size === MAX_KNOWN_LABELS) known.clear()
    if (key.length <= MAX_KNOWN_CHARACTERS) known.set(key, made)
    return made
  }
})

interface Labels {
  /** JSON text. */
  readonly json: string
  readonly bytes: number
}

/** @param texts name and value of each label, as far as they render */
function labelsIn(texts: readonly (string | undefined)[]): Labels {
  const found = new Map<string, string>()
  for (let index = 0; index < texts.length; index += 2) {
    const [label, content] = [texts[index], texts[index + 1]]
    // An empty label is as good as none.
    if (label !== undefined && label !== '' && content) found.set(cleaned(label), content)
  }
  const json = found.size === 0 ? NO_LABELS : JSON.stringify(Object.fromEntries([...found].toSorted(byName)))
  return { json, bytes: Buffer.byteLength(json) }
}

export const lokiBatching: Batching<EntryConfig> = {
  bounds: () => ({ bytes: MAX_BYTES - AROUND_ALL, events: MAX_EVENTS, ageMs: SECOND_MS }),
  // Events may share the text of their stream, which makes a request smaller.
  sizeOf: (event, config) => entryOf(event, config).bytes,
}

/** Requests of a batch to the push API. */
export function* pushRequests({ events }: Batch, config: LokiConfig): Generator<EncodedRequest<HttpRequest>> {
  const { endpoint, path = '/loki/api/v1/push', auth } = config
  const { url, headers } = targetOf(endpoint, path)
  const entries = events.map(event => entryOf(event, config))
  const sizes = entries.map(({ bytes }) => bytes)
  for (const [first, end] of requestRanges(sizes, lokiBatching.bounds(config)))
    yield {
      request: {
        ...{ method: 'POST', url },
        headers: {
          ...{ 'content-type': 'application/json', 'content-encoding': 'gzip' },
          ...headers,
          ...authorizationOf(auth),
        },
        body: Buffer.from(streamsOf(entries.slice(first, end))),
        compression: 'gzip',
      },
      events: end - first,
    }
}

interface Entry {
  readonly labels: Labels
  readonly time: Instant
  /** JSON text of the time and the line. */
  readonly value: string
  /** Bytes of an entry whose stream has no other. */
  readonly bytes: number
}

function entryOf(event: Event, config: EntryConfig): Entry {
  const line = JSON.stringify(config.encoding.codec === 'json' ? jsonFormOf(event) : textFormOf(event))
  const labels = labelsOf(config)(event)
  const time = instantOfEvent(event)
  const timeText = nanosecondText(time)
  const value = `["${timeText}",${line}]`
  const text = timeText.length + Buffer.byteLength(line)
  return { labels, time, value, bytes: labels.bytes + AROUND_STREAM + text + AROUND_ENTRY }
}

/** Streams in the order of their first entries; the entries of each by time. */
function streamsOf(entries: readonly Entry[]): string {
  const streams = [...Map.groupBy(entries, ({ labels }) => labels.json)].map(([labels, stream]) => {
    const values = stream.toSorted(byTime).map(({ value }) => value)
    return `{"stream":${labels},"values":[${values.join(',')}]}`
  })
  return `{"streams":[${streams.join(',')}]}`
}

function byTime({ time: one }: Entry, { time: other }: Entry): number {
  return one.epochMs - other.epochMs || one.nanos - other.nanos
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1
}

/** Names of labels begin with a letter or `_`, and contain only letters, digits and `_`. */
function cleaned(name: string): string {
  const clean = name.replaceAll(FOREIGN_CHARACTERS, '_')
  return /^\d/.test(clean) ? `_${clean}` : clean
}
