import { type Draw, drawFor } from './draw.ts'
import { outcomeOf } from './levels.ts'
import { type LineShape, timeOf } from './line-shape.ts'

const PATHS = ['/', '/api/v1/orders', '/api/v1/orders/items', '/login', '/static/app.js', '/search']
const METHODS = ['GET', 'GET', 'GET', 'GET', 'POST', 'PUT']
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
  'curl/8.10.1',
]

/** Text has no members: its cost is that of the way alone. */
export const text: LineShape = {
  name: 'text',
  summary: 'access logs of a web server, not a member to index',
  isJson: false,
  meanBytes: { least: 170, most: 220 },
  lines:
    ({ seed, startMs }) =>
    number => {
      const draw = drawFor(seed, number)
      const { level, status } = outcomeOf(draw)
      const timestamp = timeOf(startMs, number)
      const request = `${draw.pick(METHODS)} ${draw.pick(PATHS)}?n=${draw.below(1e6)} HTTP/1.1`
      const line = `${addressOf(draw)} - - [${accessTime(timestamp)}] "${request}" ${status} ${draw.below(50_000)} "https://shop.example/" "${draw.pick(AGENTS)}"`
      return { line, app: 'nginx', level, timestamp }
    },
}

function addressOf(draw: Draw): string {
  return `203.0.${draw.below(120)}.${draw.below(256)}`
}

/** Time in the form of web servers, such as 23/Nov/2026:08:00:00 +0000. */
function accessTime(timeMs: number): string {
  const [, day, month, year, time] = new Date(timeMs).toUTCString().split(' ')
  return `${day}/${month}/${year}:${time} +0000`
}
