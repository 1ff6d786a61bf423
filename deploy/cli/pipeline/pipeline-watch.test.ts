import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import { commandWorld, impatientClock } from '../../../test/support/command-world.ts'
import { runProgram } from '../program.ts'

const ID = '0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11'
const NODES = {
  source: [{ id: 's', type: 'log-analysis-ingestion', user_config: {} }],
  transform: [
    { id: 'r', type: 'route', title: 'By level', user_config: {}, outputs: [{ id: 'r.e', label: 'errors' }] },
  ],
  sink: [{ id: 'd', type: 'blackhole', user_config: {} }],
}
const COUNTS = {
  ...{ events_in: [0], bytes_in: [0], events_out: [0], bytes_out: [0], copied: [0], created: [0] },
  ...{ dropped: [0], dropped_bytes: [0], failed: [0], merged: [0], held: [0] },
}

let line: CommandLine
/** Parameters of each request for counts. */
let asked: Record<string, string>[]
beforeEach(async () => {
  line = await commandLine()
  asked = []
  line.reply = ({ url }) => {
    const kind = url.pathname.split('/').at(-1) as keyof typeof NODES
    if (NODES[kind] !== undefined) return { body: { data: NODES[kind] } }
    const query = Object.fromEntries(url.searchParams) as { from: string; to: string }
    asked.push(query)
    const metrics = {
      ...{ pipeline_id: ID, revision_id: null, from: Number(query.from), to: Number(query.to) },
      ...{ interval_ms: 120_000, starts: [Number(query.from)] },
      nodes: [
        { ...COUNTS, node: 's', events_in: [120_000], events_out: [120_000] },
        { ...COUNTS, node: 'r', events_in: [120_000], events_out: [120], dropped: [119_880], held: [-2] },
      ],
      edges: [
        { output: 's', node: 'r', events: [120_000], bytes: [12_000_000] },
        { output: 'r.e', node: 'd', events: [120], bytes: [1_200] },
      ],
    }
    return { body: { data: metrics } }
  }
})
afterEach(() => line.close())

test('weir pipeline watch --once shows the rates of nodes and edges', async () => {
  const { code, out } = await line.run(['pipeline', 'watch', ID, '--once', '--minutes', '2'])
  expect(code).toBe(0)
  const [heading, ...rows] = out.split('\n')
  expect(heading).toMatch(/^\S+:00\.000Z to \S+:00\.000Z$/)
  expect(rows).toEqual([
    'NODE                     IN/S  OUT/S  DROPPED/S  FAILED/S  HELD',
    'log-analysis-ingestion  1,000  1,000          -         -     -',
    'By level                1,000   1.00        999         -    -2',
    '',
    'FROM                    TO         EVENTS/S  BYTES/S',
    'log-analysis-ingestion  By level      1,000   100 kB',
    'By level → errors       blackhole      1.00     10 B',
    '',
    '',
  ])
  const [query] = asked
  expect(Number(query?.to) - Number(query?.from)).toBe(120_000)
  expect([Number(query?.to) % 60_000, query?.interval_s]).toEqual([0, '120'])
})

test('weir pipeline watch prints each new minute once, until it is stopped', async () => {
  const clock = impatientClock()
  const env = { WEIR_URL: line.service.url, WEIR_ACCESS_TOKEN: 'sts_x', WEIR_DATA_DIR: line.folder }
  const world = commandWorld({ env, clock })
  const done = runProgram(['pipeline', 'watch', ID, '--json'], world)
  while (asked.length < 3) await new Promise(resolve => setImmediate(resolve))
  world.stopNow()
  await done
  const ends = asked.map(({ to }) => Number(to))
  expect(ends.slice(1).map((to, index) => to - (ends[index] as number))).toEqual(
    ends.slice(1).map(() => 60_000),
  )
  const printed = world.out().trimEnd().split('\n')
  expect(printed.map(text => JSON.parse(text).to)).toEqual(ends.slice(0, printed.length))
})

test('weir pipeline watch says that there were no events', async () => {
  const { reply } = line
  line.reply = request => {
    const answer = reply(request) as { body: { data: { nodes: object[] } } }
    if (request.url.pathname.endsWith('/metrics')) answer.body.data.nodes = []
    return answer
  }
  expect((await line.run(['pipeline', 'watch', ID, '--once'])).out).toContain(': no events\n')
})

test.each(['0', '1441', 'x'])('weir pipeline watch --minutes %s is refused', async minutes => {
  const { code, err } = await line.run(['pipeline', 'watch', ID, '--minutes', minutes])
  expect([code, err]).toEqual([2, expect.stringContaining('It must be a number from 1 to 1440.')])
})
