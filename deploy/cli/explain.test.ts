import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'

const ID = '0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11'
const LINE = {
  place: 'weir.ingest/0/4/0',
  handled_at: '2026-01-01T00:00:00.000Z',
  event: { message: { line: 'a\u001b[2J' }, metadata: {}, timestamp: '2026-01-01T00:00:00.000Z' },
  summary: 'Revision 2: dropped by throttle "limit" (t): the bucket is full.',
  stored: [],
  pipeline: {
    revision: 2,
    steps: [
      {
        node_id: 's',
        type: 'log-analysis-ingestion',
        title: null,
        outcome: 'passed',
        outputs: ['s'],
        errors: [],
      },
      {
        node_id: 't',
        type: 'throttle',
        title: 'limit',
        outcome: 'dropped',
        outputs: [],
        reason: { bucket: 'a' },
        errors: [{ code: 'E_NOT_FOUND', field: '.x', message: 'there is no .x' }],
      },
    ],
  },
}

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

test('weir explain shows the way of a line', async () => {
  line.reply = ({ url }) => {
    expect(url.pathname).toBe(`/v3/pipeline/${ID}/explain`)
    expect(url.search).toBe('?batch_id=4a1b2c3d%3A0%3A4%3A0')
    return { body: { data: [LINE] } }
  }
  const { code, out } = await line.run(['explain', ID, '--batch-id', '4a1b2c3d:0:4:0'])
  expect(code).toBe(0)
  expect(out.split('\n')).toEqual([
    expect.not.stringContaining('\u001b'),
    '  2026-01-01T00:00:00.000Z weir.ingest/0/4/0',
    '  → log-analysis-ingestion s: passed',
    '  ✗ throttle "limit" t: dropped',
    '      {"bucket":"a"}',
    '      E_NOT_FOUND: there is no .x',
    '  Revision 2: dropped by throttle "limit" (t): the bucket is full.',
    '',
    '',
  ])
})

test('weir explain shows the partitions that a line of a spread account reached', async () => {
  const [, limit] = LINE.pipeline.steps
  const moved = { ...limit, outcome: 'moved', reason: undefined, errors: [] }
  const judged = { ...moved, outcome: 'passed', outputs: ['t'], place: 'weir.keyed/3/17' }
  const next = { ...moved, outcome: 'under_way', title: null }
  line.reply = () => ({
    body: { data: [{ ...LINE, pipeline: { revision: 2, steps: [moved, judged, next] } }] },
  })
  const { out } = await line.run(['explain', ID, '--batch-id', '4a1b2c3d:0:4:0'])
  expect(out.split('\n').slice(2, 5)).toEqual([
    '  → throttle "limit" t: moved',
    '  → throttle "limit" t: passed at weir.keyed/3/17',
    '  … throttle t: under way',
  ])
})

test('weir explain --query prints lines as they are found, and says so if there are none', async () => {
  let pieces: object[] = [
    { progress: { records: 100, handled_at: 'x' } },
    { line: LINE },
    { end: { lines: 1 } },
  ]
  line.reply = ({ url }) => {
    expect(url.searchParams.get('query')).toBe('timeout')
    return { body: pieces.map(piece => `${JSON.stringify(piece)}\n`).join('') }
  }
  const found = await line.run(['explain', ID, '--query', 'timeout', '--json'])
  expect([found.code, JSON.parse(found.out)]).toEqual([0, LINE])
  pieces = [{ end: { lines: 0 } }]
  const none = await line.run(['explain', ID, '--query', 'timeout'])
  expect([none.code, none.err]).toEqual([1, 'The kept log does not contain such a line.\n'])
  pieces = [{ error: { message: 'the log went away' } }]
  const failed = await line.run(['explain', ID, '--query', 'timeout'])
  expect([failed.code, failed.err]).toEqual([3, 'weir: the log went away\n'])
})

test('weir explain requires exactly one subject', async () => {
  for (const args of [[], ['--query', 'a', '--line-id', '1']]) {
    const { code, err } = await line.run(['explain', ID, ...args])
    expect(code).toBe(2)
    expect(err).toContain('one of --line-id, --batch-id and --query')
  }
})
