import { type Draw, drawFor } from './draw.ts'
import { outcomeOf } from './levels.ts'
import { type LineShape, timeOf } from './line-shape.ts'

const ERRORS = ['IllegalStateException', 'SocketTimeoutException', 'NullPointerException']
const CLASSES = ['OrderService', 'PaymentClient', 'CartController', 'SessionFilter', 'RetryTemplate']
const METHODS = ['handle', 'charge', 'invoke', 'doFilter', 'execute']
const MOST_FRAMES = 9

/** Texts that do not stand in the line as they are: line ends, tabs, quotation marks and escaped characters. */
export const escapes: LineShape = {
  name: 'escapes',
  summary: String.raw`JSON with stack traces: \n, \t, \" and \u escapes in two members`,
  isJson: true,
  meanBytes: { least: 700, most: 900 },
  lines:
    ({ seed, startMs }) =>
    number => {
      const draw = drawFor(seed, number)
      const { level, status } = outcomeOf(draw)
      const timestamp = timeOf(startMs, number)
      const members = {
        ts: new Date(timestamp).toISOString(),
        level,
        service: 'shop',
        thread: `worker-${draw.below(16)}`,
        status,
        trace_id: draw.hex(16),
        msg: `order "${draw.below(1e6)}" of <user ${draw.below(5000)}> was refused & kept`,
        stack: stackOf(draw),
      }
      return { line: withUnicodeEscapes(JSON.stringify(members)), app: 'shop', level, timestamp }
    },
}

function stackOf(draw: Draw): string {
  const frames = Array.from({ length: 5 + draw.below(MOST_FRAMES - 4) }, () => {
    const name = draw.pick(CLASSES)
    return `\tat com.example.shop.${name}.${draw.pick(METHODS)}(${name}.java:${draw.below(900)})`
  })
  return [`java.lang.${draw.pick(ERRORS)}: "state" of ${draw.hex(8)}`, ...frames].join('\n')
}

/** Some writers escape characters that HTML would read: <, > and &. */
function withUnicodeEscapes(text: string): string {
  return text.replace(/[<>&]/g, found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
