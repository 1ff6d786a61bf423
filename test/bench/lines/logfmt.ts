import { drawFor } from './draw.ts'
import { outcomeOf } from './levels.ts'
import { type LineShape, timeOf } from './line-shape.ts'

const COMPONENTS = ['remote', 'compactor', 'scraper', 'rules', 'discovery', 'web']
const CALLERS = ['dedupe.go:112', 'compact.go:519', 'scrape.go:1331', 'manager.go:204', 'refresh.go:71']
const EVENTS = [
  'Sent a batch',
  'Wrote a block',
  'Target is not reachable',
  'Rules were read',
  'Retention passed',
]

/** Pairs that look like members and are text. */
export const logfmt: LineShape = {
  name: 'logfmt',
  summary: 'pairs of name and value, as services in Go write them',
  isJson: false,
  meanBytes: { least: 180, most: 230 },
  lines:
    ({ seed, startMs }) =>
    number => {
      const draw = drawFor(seed, number)
      const { level, status } = outcomeOf(draw)
      const timestamp = timeOf(startMs, number)
      const pairs = {
        ts: new Date(timestamp).toISOString(),
        level,
        caller: draw.pick(CALLERS),
        component: draw.pick(COMPONENTS),
        traceID: draw.hex(32),
        status,
        duration: `${draw.below(2000)}.${draw.digits(3)}ms`,
        samples: draw.below(5000),
        url: `http://10.0.${draw.below(8)}.${draw.below(256)}:9090/write`,
        msg: `"${draw.pick(EVENTS)}"`,
      }
      const line = Object.entries(pairs)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ')
      return { line, app: 'metrics', level, timestamp }
    },
}
