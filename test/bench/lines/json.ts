import { drawFor } from './draw.ts'
import { outcomeOf } from './levels.ts'
import { type LineShape, timeOf } from './line-shape.ts'
import { messagesOf } from './messages.ts'
import { rareWordOf } from './rare-words.ts'

const SERVICES = ['checkout', 'payments', 'search', 'cart', 'auth', 'catalog', 'mail', 'edge']

/** The shape that figures are claimed for. */
export const json: LineShape = {
  name: 'json',
  summary: 'JSON of 292 B with nine members, as services write them',
  isJson: true,
  meanBytes: { least: 288, most: 296 },
  lines({ seed, startMs }) {
    const messages = messagesOf(seed)
    return number => {
      const draw = drawFor(seed, number)
      const { app, text } = draw.pick(messages)
      const { level, status } = outcomeOf(draw)
      const rare = rareWordOf(number)
      const timestamp = timeOf(startMs, number)
      const members = {
        ts: new Date(timestamp).toISOString(),
        app,
        host: `host-${String(draw.below(100)).padStart(3, '0')}`,
        service: draw.pick(SERVICES),
        level,
        status,
        dur_ms: draw.below(2000),
        trace_id: draw.hex(16),
        msg: rare === undefined ? text : `${text} ${rare}`,
      }
      return { line: JSON.stringify(members), app, level, timestamp }
    }
  },
}

/** The member of a `json` line that is in no other line. */
export function traceIdOf(line: string): string {
  return (JSON.parse(line) as { trace_id: string }).trace_id
}
