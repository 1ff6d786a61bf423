import { expect, test } from 'vitest'
import { expectConservation, newWorld, node, passSecond, SOURCE } from '../support/world.ts'

const NODES = [
  SOURCE,
  node('transform', 'time', 'set-timestamp', ['source'], {
    parsers: [{ field: '.line', options: { format: '%b %d %T' } }],
  }),
  node('transform', 'limit', 'throttle', ['time'], { threshold: 1, window_ms: 60_000, key_field: '.app' }),
  node('sink', 'store', 'log-analysis', ['limit']),
]

test('a line is stored under the time in it, with the year of the log, and windows use log time', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.configuration.deploy(NODES)
  await passSecond(world, worker)
  expect(new Date(world.clock.wallMs()).toISOString()).toMatch('2023-11-14T22:13')
  await world.append([
    { line: 'Nov 14 21:00:00', app: 'a' },
    { line: 'Nov 14 20:00:00', app: 'a' },
    { line: 'at dawn', app: 'b' },
  ])
  await passSecond(world, worker)
  const stored = world.store.rows('lines').map(row => [row.line, new Date(row.ts as number).toISOString()])
  expect(stored).toEqual([
    ['Nov 14 21:00:00', '2023-11-14T21:00:00.000Z'],
    ['at dawn', '2023-11-14T22:13:20.000Z'],
  ])
  expectConservation()
})
