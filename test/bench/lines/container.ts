import { type Draw, drawFor } from './draw.ts'
import { outcomeOf } from './levels.ts'
import { type LineShape, timeOf } from './line-shape.ts'

const APPS = ['checkout', 'payments', 'search', 'cart', 'auth', 'catalog']
const TEAMS = ['storefront', 'billing', 'platform']
const ZONES = ['eu-1a', 'eu-1b', 'eu-1c']
const ROUTES = ['/api/v1/orders', '/api/v1/items', '/api/v1/users', '/healthz']

/** Members of members, and names with dots and slashes. */
export const container: LineShape = {
  name: 'container',
  summary: 'nested JSON of a container platform: four levels, 40 members, labels and annotations among them',
  isJson: true,
  meanBytes: { least: 1_200, most: 1_300 },
  lines:
    ({ seed, startMs }) =>
    number => {
      const draw = drawFor(seed, number)
      const app = draw.pick(APPS)
      const { level, status } = outcomeOf(draw)
      const timestamp = timeOf(startMs, number)
      const time = new Date(timestamp).toISOString()
      const route = draw.pick(ROUTES)
      const durationMs = draw.below(2000)
      const members = {
        time,
        level,
        stream: level === 'error' ? 'stderr' : 'stdout',
        message: `${route} answered ${status} after ${durationMs} ms`,
        http: {
          request: { method: draw.pick(['GET', 'POST']), route, bytes: draw.below(5000), id: draw.hex(16) },
          response: { status, bytes: draw.below(50_000), duration_ms: durationMs },
        },
        trace: { id: draw.hex(32), span: draw.hex(16), sampled: draw.percent(10) },
        kubernetes: {
          namespace: draw.pick(TEAMS),
          pod: podOf(draw, app),
          node: nodeOf(draw),
          container: containerOf(draw, app),
        },
        collector: { version: '3.2.1', received: time, offset: draw.below(1e9) },
      }
      return { line: JSON.stringify(members), app, level, timestamp }
    },
}

function podOf(draw: Draw, app: string) {
  const replica = `${app}-${draw.pick(['5d78c9869d', '7f6b4c8d55'])}`
  return {
    name: `${replica}-x${draw.below(20)}`,
    uid: `0d6c3a52-51cf-4b0e-8d4d-${draw.pick(['3f9d2b8f3a11', '6a01c7d4e9b2'])}`,
    ip: `10.42.${draw.below(8)}.${draw.below(256)}`,
    labels: {
      app,
      'app.kubernetes.io/name': app,
      'app.kubernetes.io/version': draw.pick(['1.41.0', '1.42.0']),
      'app.kubernetes.io/managed-by': 'helm',
      'pod-template-hash': replica.slice(app.length + 1),
      team: draw.pick(TEAMS),
    },
    annotations: {
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': '9090',
      'checksum/config': 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    },
  }
}

function nodeOf(draw: Draw) {
  const zone = draw.pick(ZONES)
  return {
    name: `node-${zone}-${draw.below(12)}`,
    labels: {
      'topology.kubernetes.io/zone': zone,
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
    },
  }
}

function containerOf(draw: Draw, app: string) {
  return {
    name: app,
    id: `containerd://${draw.pick(['9f86d081884c7d65', '60303ae22b998861'])}`,
    image: { name: `registry.example/${app}`, tag: draw.pick(['1.41.0', '1.42.0']) },
    restarts: draw.below(3),
    started: '2026-11-20T06:00:00Z',
  }
}
