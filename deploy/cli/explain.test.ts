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

test('weir explain --missing lists lines that are not stored as a table', async () => {
  const reason = {
    ...{ bucket: 'web', threshold: 2, window_ms: 60_000, passed: [] },
    free_from: '2026-01-01T00:01:00.000Z',
  }
  const [source, limit] = LINE.pipeline.steps
  const dropped = {
    ...LINE,
    event: { ...LINE.event, message: { line: `a\u001b[2J${'b'.repeat(100)}`, app: 'web' } },
    pipeline: undefined,
    pipelines: [{ title: 'Fewer', revision: 2, steps: [source, { ...limit, reason, errors: [] }] }],
    excluded: [],
  }
  const failed = { ...limit, outcome: 'failed', title: null, reason: undefined }
  const failing = { ...dropped, pipelines: [{ title: 'Fewer', revision: 2, steps: [failed] }] }
  const rule = { rule: 'exclusion rule "Health checks" (r1)', rule_id: 'r1' }
  const excluded = {
    ...dropped,
    event: { ...LINE.event, message: 'plain' },
    pipelines: [
      {
        title: 'Fewer',
        revision: 2,
        steps: [{ ...limit, kind: 'sink', type: 'log-analysis', reason: rule }],
      },
    ],
    excluded: [{ pipeline_id: 'p', node_id: 't', reason: rule }],
  }
  const nowhere = { ...dropped, pipelines: [], summary: 'No pipeline took it.' }
  let pieces: object[] = [dropped, failing, excluded, nowhere].map(each => ({ line: each }))
  line.reply = ({ url }) => {
    expect(url.pathname).toBe('/v3/explain')
    expect(url.searchParams.get('missing')).toBe('true')
    expect(url.searchParams.get('query')).toBe('')
    return { body: pieces.map(piece => `${JSON.stringify(piece)}\n`).join('') }
  }
  const { code, out, err } = await line.run(['explain', '--missing', '--limit', '4'])
  const text = `a\\x1b[2J${'b'.repeat(75)}…`
  expect([code, err]).toEqual([0, 'Only the first 4 are listed: specify a shorter period, or --limit.\n'])
  expect(out.split('\n')).toEqual([
    'TIME                 APP  ENDED BY                             KEY  FREE FROM            LINE',
    `2026-01-01 00:00:00  web  throttle "limit"                     web  2026-01-01 00:01:00  ${text}`,
    `2026-01-01 00:00:00  web  throttle t: E_NOT_FOUND                                        ${text}`,
    '2026-01-01 00:00:00       exclusion rule "Health checks" (r1)                            plain',
    `2026-01-01 00:00:00  web  No pipeline took it.                                           ${text}`,
    '',
  ])
  expect((await line.run(['explain', '--missing'])).err).toBe('')
  const asJson = await line.run(['explain', '--missing', '--json'])
  expect(asJson.out.split('\n').filter(each => each !== '')).toHaveLength(4)
  pieces = [{ end: { lines: 0 } }]
  const none = await line.run(['explain', '--missing'])
  expect([none.code, none.out, none.err]).toEqual([1, '', 'No such line is missing from the store.\n'])
  pieces = [{ error: { message: 'the log went away' } }]
  expect((await line.run(['explain', '--missing'])).code).toBe(3)
  expect((await line.run(['explain', '--missing', '--batch-id', 'b'])).code).toBe(2)
})

test('weir explain requires exactly one subject', async () => {
  for (const args of [[], ['--query', 'a', '--line-id', '1']]) {
    const { code, err } = await line.run(['explain', ID, ...args])
    expect(code).toBe(2)
    expect(err).toContain('one of --line-id, --batch-id and --query')
  }
})
