import { type Draw, drawFor } from './draw.ts'
import { outcomeOf } from './levels.ts'
import { type LineShape, timeOf } from './line-shape.ts'

const COUNTERS = ['cpu', 'memory', 'disk', 'network', 'queue', 'cache', 'database', 'pool', 'gc', 'threads']
const ROOMS = ['eu-1', 'eu-2', 'us-1']

/** Many members of one level: the cost of a member shows. */
export const wide: LineShape = {
  name: 'wide',
  summary: 'flat JSON with 40 members, most of them numbers',
  isJson: true,
  meanBytes: { least: 850, most: 1_000 },
  lines:
    ({ seed, startMs }) =>
    number => {
      const draw = drawFor(seed, number)
      const { level, status } = outcomeOf(draw)
      const timestamp = timeOf(startMs, number)
      const members = {
        ts: new Date(timestamp).toISOString(),
        level,
        service: draw.pick(['billing', 'ledger', 'invoices']),
        region: draw.pick(ROOMS),
        host: `host-${draw.below(100)}`,
        version: draw.pick(['4.1.0', '4.1.1']),
        status,
        request_id: draw.hex(24),
        user_id: draw.below(50_000),
        msg: 'state of the last minute',
        ...measured(draw),
      }
      return { line: JSON.stringify(members), app: members.service, level, timestamp }
    },
}

/** Thirty members, three of each counter. */
function measured(draw: Draw): Record<string, number> {
  const members: Record<string, number> = {}
  for (const counter of COUNTERS) {
    members[`${counter}_used_bytes`] = draw.below(1e9)
    members[`${counter}_wait_ms`] = draw.below(200_000) / 1000
    members[`${counter}_errors`] = draw.below(4)
  }
  return members
}
