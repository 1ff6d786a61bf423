import { isJsonObject, type JsonValue } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import { textForm } from '../../../json/json-text.ts'
import { orderedObject } from '../../../json/ordered-object.ts'
import {
  cutHost,
  type LineDraft,
  type OwnStoreContext,
  plainText,
} from '../../../lines/stored-line/line-draft.ts'
import { isTooDeep } from '../../../lines/stored-line/parsed-line.ts'
import type { StoredLine } from '../../../lines/stored-line/stored-line.ts'
import { keepTime } from './line-moment.ts'
import { renderTags, validIp, validMac } from './line-query.ts'
import type { OwnStoreOptions } from './own-store-options.ts'

const DEFAULT_APP = 'mezmo-pipeline'
const DEFAULT_ENV = 'production'

/** Fills the line of an event that does not come from a line: components, section 7.2. */
export function fillComposed(
  line: StoredLine,
  draft: LineDraft,
  event: Event,
  options: OwnStoreOptions,
  context: OwnStoreContext,
): void {
  line.host =
    options.hostname === undefined
      ? options.defaultHostname
      : cutHost(options.hostname.render(event, draft.renderedCharacters) ?? '')
  line.tags = renderTags(options.tags, event, draft.renderedCharacters)
  line.ip = validIp(options.ip?.render(event, draft.renderedCharacters))
  line.mac = validMac(options.mac?.render(event, draft.renderedCharacters))
  line.remoteAddress = ''
  if (options.passThrough) fillPassedThrough(line, draft, event, context)
  else fillSelected(line, draft, event, options, context)
}

/** Scheme "Message pass-through": members with the keys of a line are kept, others are dropped. */
function fillPassedThrough(line: StoredLine, draft: LineDraft, event: Event, context: OwnStoreContext): void {
  line.file = ''
  line.env = ''
  const printed = event.printedMessage
  if (printed !== undefined && event.member('line') === undefined && draft.setSentText(line, printed)) {
    line.app = plainText(event.member('app'))
    draft.level = plainText(event.member('level'))
    draft.setMeta(line, event.member('meta'))
    keepTime(line, draft, event.member('timestamp'), event, context)
    return
  }
  const message = printable(event.message)
  const members = isJsonObject(message) ? message : {}
  draft.setText(line, textForm(members.line ?? message))
  line.app = plainText(members.app)
  draft.level = plainText(members.level)
  draft.setMeta(line, members.meta)
  keepTime(line, draft, members.timestamp, event, context)
}

/** Scheme "Explicit field selection". */
function fillSelected(
  line: StoredLine,
  draft: LineDraft,
  event: Event,
  options: OwnStoreOptions,
  context: OwnStoreContext,
): void {
  const message = printable(event.message)
  const text = options.line?.text(event, draft.renderedCharacters)
  draft.setText(line, text ?? textForm(without(message, options.keysUsedBesideLine)))
  line.file = options.file?.render(event, draft.renderedCharacters) ?? ''
  line.app = options.app?.render(event, draft.renderedCharacters) || (line.file === '' ? DEFAULT_APP : '')
  line.env = options.env?.render(event, draft.renderedCharacters) || DEFAULT_ENV
  draft.level = isJsonObject(message) && typeof message.level === 'string' ? message.level : ''
  const meta = options.meta?.read(event)
  const remainder = text === undefined ? undefined : remainderOf(message, options)
  draft.setMeta(line, options.meta === undefined ? remainder : meta)
  keepTime(line, draft, options.timestamp?.read(event), event, context)
}

/** Rest of the message that `line` and the other options do not use: an object, or the message itself if it has no members. */
function remainderOf(
  message: JsonValue,
  { usedKeys, lineIsWholeMessage }: OwnStoreOptions,
): JsonValue | undefined {
  if (lineIsWholeMessage) return undefined
  const remainder = without(message, usedKeys)
  return isJsonObject(remainder) && Object.keys(remainder).length === 0 ? undefined : remainder
}

function without(message: JsonValue, keys: ReadonlySet<string>): JsonValue {
  if (keys.size === 0 || !isJsonObject(message)) return message
  return orderedObject(Object.entries(message).filter(([key]) => !keys.has(key)))
}

/** Nesting that cannot be printed is left out: see MAX_NESTING. */
function printable(message: JsonValue): JsonValue {
  if (!isTooDeep(message)) return message
  if (!isJsonObject(message)) return ''
  return orderedObject(Object.entries(message).filter(([, value]) => !isTooDeep(value)))
}
