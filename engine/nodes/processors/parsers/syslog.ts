import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { ObjectBuilder } from '../../../json/ordered-object.ts'
import { canonicalTime } from '../../../times/canonical-time.ts'
import { defineParser, integerOf, MAX_PARTS, unlessDash } from './define-parser.ts'
import { timeReader } from './log-time.ts'

const FACILITIES = [
  ...['kern', 'user', 'mail', 'daemon', 'auth', 'syslog', 'lpr', 'news', 'uucp', 'cron', 'authpriv', 'ftp'],
  ...['ntp', 'audit', 'alert', 'clockd', 'local0', 'local1', 'local2', 'local3', 'local4', 'local5'],
  ...['local6', 'local7'],
]
const SEVERITIES = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug']
const PRIORITY = /^<(\d{1,3})>/
const NEW_HEAD = /^([1-9]\d{0,2}) (\S+) (\S+) (\S+) (\S+) (\S+) /
const OLD_TIME = /^([A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d) /
const OLD_HOST = /^(\S+) /
const OLD_TAG = /^([^\s:[\]]+)(?:\[([^\]\s]*)\])?: ?/
const ELEMENT_NAME = /[^\s=\]"]{1,128}/y
const DIGITS = /^\d{1,19}$/
const BYTE_ORDER_MARK = '\ufeff'

const readOldTime = timeReader('%b %e %T')

/** A message of syslog, by RFC 5424 or RFC 3164. Each element of structured data is an object under its id. */
export const syslog = defineParser({
  id: 'parse_syslog',
  compile: () => syslogMessage,
  examples: [
    {
      text: '<165>1 2031-03-09T08:15:30.250Z oven-4 baker 8710 ID47 [bread@32473 kind="rye" say="a \\"b\\" \\]"][empty@1] \ufeffdone',
      value: {
        facility: 'local4',
        severity: 'notice',
        timestamp: '2031-03-09T08:15:30.250Z',
        hostname: 'oven-4',
        appname: 'baker',
        procid: 8710,
        msgid: 'ID47',
        message: 'done',
        version: 1,
        'bread@32473': { kind: 'rye', say: 'a "b" ]' },
        'empty@1': {},
      },
    },
    {
      text: '1 - - - - - - no values',
      value: { message: 'no values', version: 1 },
    },
    {
      text: "<34>Mar  9 08:15:30 oven-4 su[17]: 'su root' failed",
      atMs: Date.UTC(2031, 2, 10),
      value: {
        facility: 'auth',
        severity: 'crit',
        timestamp: '2031-03-09T08:15:30Z',
        hostname: 'oven-4',
        appname: 'su',
        procid: 17,
        message: "'su root' failed",
      },
    },
    {
      text: '<13>2031-03-09T09:15:30+01:00 oven-4 baker: done',
      value: {
        facility: 'user',
        severity: 'notice',
        timestamp: '2031-03-09T08:15:30Z',
        hostname: 'oven-4',
        appname: 'baker',
        message: 'done',
      },
    },
    { text: '<200>1 - - - - - -' },
    { text: '<13>1 - - - - - [open' },
    { text: 'anything else' },
  ],
})

export function syslogMessage(text: string, nowMs: number): JsonObject | undefined {
  const match = PRIORITY.exec(text)
  const members = new ObjectBuilder()
  if (match !== null) {
    const priority = Number(match[1])
    const facility = FACILITIES[priority >> 3]
    if (facility === undefined) return undefined
    members.set('facility', facility)
    members.set('severity', SEVERITIES[priority & 7] as string)
  }
  const rest = match === null ? text : text.slice(match[0].length)
  return newMessage(rest, members) ?? oldMessage(rest, members, nowMs)
}

/**
 * RFC 5424.
 *
 * @param members those of the priority
 * @returns undefined, and nothing is added, for another form
 */
function newMessage(text: string, members: ObjectBuilder): JsonObject | undefined {
  const match = NEW_HEAD.exec(text)
  if (match === null) return undefined
  const [head, version = '', time, hostname, appname, procid, msgid] = match
  const timestamp = time === '-' ? undefined : canonicalTime(time as string)
  if (time !== '-' && timestamp === undefined) return undefined
  const data = elementsIn(text, head.length)
  if (data === undefined) return undefined
  const message = data.end < text.length ? text.slice(data.end + 1) : undefined
  members.setIfThere('timestamp', timestamp)
  members.setIfThere('hostname', unlessDash(hostname))
  members.setIfThere('appname', unlessDash(appname))
  members.setIfThere('procid', processOf(procid))
  members.setIfThere('msgid', unlessDash(msgid))
  members.setIfThere('message', message?.startsWith(BYTE_ORDER_MARK) ? message.slice(1) : message)
  members.set('version', Number(version))
  for (const [id, parameters] of data.elements) members.set(id, parameters)
  return members.built()
}

interface StructuredData {
  readonly elements: readonly (readonly [id: string, parameters: JsonObject])[]
  /** Place of the blank before the message, or the end of the text. */
  readonly end: number
}

/** @returns undefined for malformed data */
function elementsIn(text: string, from: number): StructuredData | undefined {
  const isEnd = (at: number) => at === text.length || text[at] === ' '
  if (text[from] === '-') return isEnd(from + 1) ? { elements: [], end: from + 1 } : undefined
  const elements: (readonly [string, JsonObject])[] = []
  let at = from
  let parts = 0
  while (text[at] === '[') {
    const id = nameAt(text, at + 1)
    if (id === undefined) return undefined
    const parameters = new ObjectBuilder()
    at += 1 + id.length
    while (text[at] === ' ') {
      if (++parts > MAX_PARTS) return undefined
      const name = nameAt(text, at + 1)
      const start = at + 1 + (name?.length ?? 0)
      if (name === undefined || text[start] !== '=' || text[start + 1] !== '"') return undefined
      const end = valueEnd(text, start + 2)
      if (end < 0) return undefined
      parameters.set(name, unescaped(text.slice(start + 2, end)))
      at = end + 1
    }
    if (text[at] !== ']') return undefined
    if (++parts > MAX_PARTS) return undefined
    elements.push([id, parameters.built()])
    at++
  }
  return elements.length > 0 && isEnd(at) ? { elements, end: at } : undefined
}

function nameAt(text: string, at: number): string | undefined {
  ELEMENT_NAME.lastIndex = at
  return ELEMENT_NAME.exec(text)?.[0]
}

/** Place of the quote that ends a value; -1 without one. */
function valueEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return -1
}

function unescaped(value: string): string {
  return value.includes('\\') ? value.replace(/\\(["\\\]])/g, '$1') : value
}

/** RFC 3164, also with a time by RFC 3339. @param members those of the priority */
function oldMessage(text: string, members: ObjectBuilder, nowMs: number): JsonObject | undefined {
  const old = OLD_TIME.exec(text)
  const blank = text.indexOf(' ')
  const written = old?.[1] ?? (blank < 0 ? '' : text.slice(0, blank))
  const timestamp = old === null ? canonicalTime(written) : readOldTime(written, nowMs)
  if (timestamp === undefined) return undefined
  const behind = text.slice(written.length + 1)
  const host = OLD_HOST.exec(behind)
  if (host === null) return undefined
  const content = behind.slice(host[0].length)
  const tag = OLD_TAG.exec(content)
  members.set('timestamp', timestamp)
  members.setIfThere('hostname', unlessDash(host[1]))
  members.setIfThere('appname', unlessDash(tag?.[1]))
  members.setIfThere('procid', processOf(tag?.[2]))
  members.set('message', content.slice(tag?.[0].length ?? 0))
  return members.built()
}

function processOf(text: string | undefined): JsonValue | undefined {
  if (text === undefined || text === '' || text === '-') return undefined
  return DIGITS.test(text) ? integerOf(text) : text
}
