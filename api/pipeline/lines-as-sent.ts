import type { Event } from '../../engine/event.ts'
import { parseJson } from '../../engine/json-text.ts'
import { renderRecord } from '../../engine/line-record.ts'
import { evaluate } from '../../engine/query-language/evaluate.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import type { JsonObject } from '../../schemas/json.ts'

/**
 * Whether a query finds a line as it was sent: as the record that it would be if it were stored untouched. What
 * pipelines make of a line is not looked at.
 */
export function matchesAsSent(query: Query, { origin }: Event): boolean {
  if (origin === null) return false
  const { batch, index } = origin
  const { mac, ip, remoteAddress, tags } = batch.request(index)
  const record = renderRecord({
    account: batch.account,
    t: 0,
    ts: batch.timestampMs(index),
    topic: 0,
    partition: 0,
    offset: '0',
    row: 0,
    host: batch.host(index),
    app: batch.app(index),
    level: batch.level(index),
    file: batch.file(index),
    env: batch.env(index),
    mac,
    ip,
    remote: remoteAddress,
    tags,
    line: batch.lineText(index),
    meta: batch.metaText(index),
    extra: '',
    size: 0,
    retention: 0,
  })
  return evaluate(query, parseJson(record) as JsonObject)
}
