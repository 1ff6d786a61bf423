import type { Event, LineOrigin } from '../../../engine/event/event.ts'
import { parseExactJson } from '../../../engine/json/exact-json.ts'
import { textForm } from '../../../engine/json/json-text.ts'
import { type LineRow, renderRecord } from '../../../engine/lines/stored-line/line-record.ts'
import { evaluate } from '../../../engine/query-language/evaluate.ts'
import type { Query } from '../../../engine/query-language/syntax-tree.ts'
import type { JsonObject } from '../../../schemas/json.ts'

/**
 * Whether a query finds a line as it was sent, that is, the record that it would be if stored unchanged. Changes made by
 * pipelines are ignored. A line from a gateway route is the text of its message.
 */
export function matchesAsSent(query: Query, event: Event): boolean {
  if (event.origin === null) return false
  const record = renderRecord({ ...NOWHERE, ...sent(event, event.origin) })
  return evaluate(query, parseExactJson(record) as JsonObject)
}

const NOWHERE = { t: 0, topic: 0, partition: 0, offset: '0', row: 0, extra: '', size: 0, retention: 0 }

type SentMembers = Omit<LineRow, keyof typeof NOWHERE>

function sent(event: Event, { batch, index }: LineOrigin): SentMembers {
  const { mac, ip, remoteAddress, tags } = batch.request(index)
  return {
    account: batch.account,
    ts: batch.timestampMs(index),
    host: batch.isPushed ? '' : batch.host(index),
    app: batch.app(index),
    level: batch.level(index),
    file: batch.file(index),
    env: batch.env(index),
    mac,
    ip,
    remote: remoteAddress,
    tags,
    line: batch.isPushed ? textForm(event.message) : batch.lineText(index),
    meta: batch.metaText(index),
  }
}
