import { describe, expect, test } from 'vitest'
import { Explanations, FORM_OF_ACCOUNT, formOfPipeline } from '../../api/pipeline/explain/explanations.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { windowBehind } from '../../engine/replay/explain/window-explanation.ts'
import type { ExplainedRecord } from '../../engine/replay/line-explanation.ts'
import { PartitionReplay } from '../../engine/replay/replay.ts'
import { LoopTurns } from '../../engine/turns/loop-turns.ts'
import { lineId } from '../../schemas/log/position.ts'
import { CHECKPOINT_TOPIC, INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { newWorld, node, passSecond, SOURCE, settle, type World } from '../support/world.ts'

const DROP_DEBUG = {
  action: 'drop',
  conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] },
}
const NODES = [
  SOURCE,
  node('transform', 'filter', 'filter', ['source'], DROP_DEBUG),
  node('transform', 'limit', 'throttle', ['filter'], { threshold: 1, window_ms: 60_000, key_field: '.app' }),
  node('sink', 'store', 'log-analysis', ['limit']),
]
const rest = () => Promise.resolve()

/** Explanation of the lines of one record, made afterwards. */
async function explained(world: World, offset: bigint, account = SAMPLE_ACCOUNT): Promise<ExplainedRecord> {
  const { ingest, partition, log } = world
  const checkpoints = await log.topic(CHECKPOINT_TOPIC, ingest.partitions)
  const source = { catalogue: CATALOGUE, topic: ingest, checkpoints, partition }
  const replay = await PartitionReplay.reaching(source, offset, { account })
  await replay.foldTo(offset, rest)
  for await (const record of replay.explanations(offset + 1n, rest, account, () => true)) return record
  throw new Error('nothing is explained')
}

const pathOf = ({ lines }: ExplainedRecord, index: number) =>
  lines[index]?.pipelines[0]?.steps.map(({ node, outcome, outputs }) => [node, outcome, ...outputs])

describe('an explanation', () => {
  test('names for each line the nodes that it passed, and the node that ended it', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(NODES, 3)
    await passSecond(world, worker)
    const offset = await world.append([
      { line: 'one', app: 'a' },
      { line: 'two', app: 'a' },
      { line: 'three', app: 'b', level: 'debug' },
    ])
    await passSecond(world, worker)
    const record = await explained(world, offset)
    expect(pathOf(record, 0)).toEqual([
      ['source', 'passed', ''],
      ['filter', 'passed', ''],
      ['limit', 'passed', ''],
      ['store', 'passed', ''],
    ])
    expect(pathOf(record, 1)?.at(-1)).toEqual(['limit', 'dropped'])
    expect(pathOf(record, 2)?.at(-1)).toEqual(['filter', 'dropped'])
    const [first, second, third] = record.lines
    expect(first?.stored).toEqual([{ row: 0, pipeline: 'pipeline-1', node: 'store' }])
    expect(first?.pipelines[0]).toMatchObject({ version: 3, isPaused: false })
    expect(second?.stored).toEqual([])
    expect(second?.pipelines[0]?.steps.at(-1)?.reason).toMatchObject({
      bucket: 'a',
      passed: [{ at: new Date(record.timeMs).toISOString(), count: 1 }],
    })
    expect(third?.pipelines[0]?.steps.at(-1)?.reason).toMatchObject({ rule: 'the condition is met' })
  })

  test('names the statement of a script that dropped a line, which may depend on the log time', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    const script = `function f(msg) {
  if (msg.line == 'two') { return null }
  if (Date.now() > 0) { if (msg.line == 'three') { return } }
  return msg
}`
    const scripted = [
      SOURCE,
      node('transform', 'script', 'js-script', ['source'], { script }),
      node('sink', 'store', 'log-analysis', ['script']),
    ]
    world.configuration.deploy(scripted, 1)
    await passSecond(world, worker)
    const offset = await world.append([{ line: 'one' }, { line: 'two' }, { line: 'three' }])
    await passSecond(world, worker)
    const { lines } = await explained(world, offset)
    expect(lines.map(({ stored }) => stored.length)).toEqual([1, 0, 0])
    const reasons = lines.map(({ pipelines }) => pipelines[0]?.steps.at(-1)?.reason)
    const rule = 'the function returned null'
    expect(reasons.slice(1)).toEqual([
      { rule, line: 2, column: 28 },
      { rule, line: 3, column: 52 },
    ])
  })

  test('contains the reason why a destination refused a line', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    const options = { query: { hostname: 'from-{{.rack}}' } }
    world.configuration.deploy([SOURCE, node('sink', 'store', 'mezmo', ['source'], options)], 1)
    await passSecond(world, worker)
    const offset = await world.append([{ line: 'one' }])
    await passSecond(world, worker)
    const configuration = { get: () => undefined }
    const topics = await openPartitionedTopics(world.log, world.ingest.partitions)
    const ports = {
      configuration,
      replayTurns: new LoopTurns(world.clock),
      replay: { catalogue: CATALOGUE, ...topics },
    }
    const batch = `${world.ingest.logId.slice(0, 8)}:${world.partition}:${offset}:0`
    const [line] = await new Explanations(ports, formOfPipeline('pipeline-1')).ofBatch(SAMPLE_ACCOUNT, batch)
    const message = 'The hostname cannot be rendered: .rack is not in the event.'
    expect(line?.stored).toEqual([])
    expect(line?.summary).toBe(`Revision 1: failed at mezmo store: E_NOT_FOUND: ${message}`)
    expect(line?.pipeline?.steps.at(-1)).toMatchObject({
      node_id: 'store',
      outcome: 'failed',
      errors: [{ code: 'E_NOT_FOUND', field: '.rack', message }],
    })
    const [whole] = await new Explanations(ports, FORM_OF_ACCOUNT).ofBatch(SAMPLE_ACCOUNT, batch)
    expect(whole?.pipelines).toMatchObject([{ pipeline_id: 'pipeline-1', ...line?.pipeline }])
    expect(whole?.summary).toMatch(/^".*", revision 1: failed at mezmo store: E_NOT_FOUND: /)
  })

  test('belongs to the revision that the line met, whatever was published later, also from a checkpoint', async () => {
    const world = await newWorld()
    let worker = await world.worker()
    world.configuration.deploy(NODES, 1)
    await passSecond(world, worker)
    const offsets: bigint[] = []
    for (let version = 2; version < 6; version++) {
      offsets.push(await world.append([{ line: `${version}`, app: 'a' }]))
      await passSecond(world, worker)
      // A stop leaves a checkpoint.
      await world.clock.advanceUntil(worker.finish())
      worker.close()
      worker = await world.worker()
      world.configuration.deploy(NODES, version)
      await passSecond(world, worker)
    }
    for (const [index, offset] of offsets.entries()) {
      const [line] = (await explained(world, offset)).lines
      expect(line?.pipelines[0]?.version).toBe(index + 1)
      // Its memory is that of then: the first line alone had room.
      expect(line?.stored).toHaveLength(index === 0 ? 1 : 0)
    }
  })

  test('covers repeats, pauses and lines that no pipeline reads', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    await passSecond(world, worker)
    const idempotency = { key: 'k', digest: Buffer.alloc(16) }
    const plain = await world.append([{ line: 'plain' }], { idempotency })
    const repeat = await world.append([{ line: 'plain' }], { idempotency })
    await passSecond(world, worker)
    world.configuration.deploy(NODES, 1, 'pipeline-1', true)
    await passSecond(world, worker)
    const paused = await world.append([{ line: 'paused' }])
    await passSecond(world, worker)

    expect((await explained(world, plain)).lines[0]).toMatchObject({
      isRepeat: false,
      stored: [{ pipeline: '', row: 0 }],
      pipelines: [],
    })
    expect((await explained(world, repeat)).lines[0]).toMatchObject({ isRepeat: true, stored: [] })
    expect((await explained(world, paused)).lines[0]).toMatchObject({
      stored: [{ pipeline: '' }],
      pipelines: [{ id: 'pipeline-1', isPaused: true, isDropped: false, steps: [] }],
    })
    await expect(explained(world, paused, '00000000ff')).rejects.toThrow('nothing is explained')

    world.configuration.deploy(NODES, 2, 'pipeline-1', 'drop')
    // It does not read this entrance.
    const door = { ...node('source', 'door', 'http'), gateway_route_id: 'route' }
    world.configuration.deploy([door, node('sink', 'out', 'blackhole', ['door'])], 1, 'pipeline-2', 'drop')
    await passSecond(world, worker)
    const dropped = await world.append([{ line: 'dropped' }])
    await passSecond(world, worker)
    expect((await explained(world, dropped)).lines[0]).toMatchObject({
      stored: [],
      pipelines: [
        { id: 'pipeline-1', isPaused: true, isDropped: true, steps: [] },
        { id: 'pipeline-2', isPaused: true, isDropped: false, steps: [] },
      ],
    })
  })

  test('numbers rows as before, even if a window of another account ends with the record', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    const other = '0000000001'
    const gather = [
      SOURCE,
      node('transform', 'gather', 'reduce', ['source'], { duration_ms: 500, group_by: ['.app'] }),
      node('sink', 'store', 'log-analysis', ['gather']),
    ]
    const document = { id: 'pipeline-2', accountId: other, title: 'gather', revision: 1, nodes: gather }
    const payload = JSON.stringify(document)
    world.configuration.deploy(NODES, 1)
    world.configuration.set({ kind: 'pipeline', entity: 'pipeline-2', version: 1, payload })
    await passSecond(world, worker)
    const lines = [
      { line: 'waits', app: 'a' },
      { line: 'waits', app: 'b' },
    ]
    const { ingest, partition } = world
    const value = lineBatchValue([{ lines }], other)
    await ingest.append(partition, { value, producer: null, priority: 'ingest' })
    world.clock.advance(600)
    const offset = await world.append([{ line: 'one', app: 'a' }])
    await passSecond(world, worker)
    const rows = world.store.rows('lines').filter(row => row.offset === offset)
    expect(rows.map(({ line }) => line).toSorted()).toEqual(['one', 'waits', 'waits'])
    const [line] = (await explained(world, offset)).lines
    expect(line?.stored.map(({ row }) => row)).toEqual([rows.find(row => row.line === 'one')?.row])
  })
})

describe('a line from a window', () => {
  const OTHER = '0000000001'
  const GATHER = { duration_ms: 500, group_by: ['.app'], max_events: 3 }
  const GATHERING = [
    SOURCE,
    node('transform', 'gather', 'reduce', ['source'], GATHER),
    node('transform', 'late', 'filter', ['gather'], DROP_DEBUG),
    node('sink', 'store', 'log-analysis', ['late']),
  ]
  const behind = async ({ log, ingest, partition }: World, offset: bigint, row: number, account: string) => {
    const { keyed, checkpoints } = await openPartitionedTopics(log, ingest.partitions)
    const place = { topic: ingest.name, partition, offset, row }
    return windowBehind(
      { topics: { catalogue: CATALOGUE, ingest, checkpoints, keyed }, account, rest },
      place,
    )
  }
  const deployFor = ({ configuration }: World, account: string, revision: number) => {
    const id = `pipeline-of-${account}`
    const payload = JSON.stringify({ id, accountId: account, title: id, revision, nodes: GATHERING })
    configuration.set({ kind: 'pipeline', entity: id, version: revision, payload })
  }
  const gatheringWorld = async () => {
    const world = await newWorld()
    const worker = await world.worker()
    for (const account of [SAMPLE_ACCOUNT, OTHER]) deployFor(world, account, 4)
    await passSecond(world, worker)
    const append = async (account: string, ...lines: { line: string; app: string }[]) => {
      const value = lineBatchValue([{ lines }], account)
      return (await world.ingest.append(world.partition, { value, producer: null, priority: 'ingest' }))
        .offset
    }
    return { world, worker, append }
  }

  test('leads back to the window, even if a tick ended it, beside windows of others', async () => {
    const { world, worker, append } = await gatheringWorld()
    await append(OTHER, { line: 'x', app: 'a' }, { line: 'y', app: 'b' })
    await append(
      SAMPLE_ACCOUNT,
      { line: 'one', app: 'a' },
      { line: 'two', app: 'b' },
      { line: 'three', app: 'a' },
    )
    for (let seconds = 0; seconds < 2; seconds++) await passSecond(world, worker)
    const rows = world.store.rows('lines')
    expect(rows).toHaveLength(4)
    expect(new Set(rows.map(({ offset }) => offset)).size).toBe(1)
    for (const { account, offset, row, line } of rows) {
      const mine = await behind(world, offset as bigint, Number(row), account as string)
      const isPair = account === SAMPLE_ACCOUNT && line !== 'two'
      expect(mine).toMatchObject({
        node: 'gather',
        document: { revision: 4 },
        window: { events: isPair ? 2 : 1, group: line === 'two' || line === 'y' ? '"b"' : '"a"' },
        stored: [{ row: Number(row), node: 'store' }],
      })
      const somebody = account === OTHER ? SAMPLE_ACCOUNT : OTHER
      expect(await behind(world, offset as bigint, Number(row), somebody)).toBeUndefined()
      expect(await behind(world, offset as bigint, 4, account as string)).toBeUndefined()
    }
  })

  test('is listed under the line that was the last in the window, and under no other', async () => {
    const { world, worker, append } = await gatheringWorld()
    await append(SAMPLE_ACCOUNT, { line: 'one', app: 'a' }, { line: 'two', app: 'a' })
    const offset = await append(
      SAMPLE_ACCOUNT,
      { line: 'alone', app: 'b' },
      { line: 'three', app: 'a' },
      { line: 'four', app: 'a' },
    )
    await settle(worker)
    const record = await explained(world, offset)
    const given = [{ row: 0, pipeline: `pipeline-of-${SAMPLE_ACCOUNT}`, node: 'store' }]
    expect(record.lines.map(({ gathered }) => gathered)).toEqual([[], given, []])
    expect(record.lines.flatMap(({ stored }) => stored)).toEqual([])
    const topics = await openPartitionedTopics(world.log, world.ingest.partitions)
    const configuration = { get: () => undefined }
    const ports = {
      configuration,
      replayTurns: new LoopTurns(world.clock),
      replay: { catalogue: CATALOGUE, ...topics },
    }
    const api = new Explanations(ports, formOfPipeline(`pipeline-of-${SAMPLE_ACCOUNT}`))
    const batch = `${world.ingest.logId.slice(0, 8)}:${world.partition}:${offset}:0`
    const lines = await api.ofBatch(SAMPLE_ACCOUNT, batch)
    const id = lineId({
      topic: INGEST_TOPIC,
      partition: world.partition,
      offset,
      row: 0,
      timeMs: record.timeMs,
    })
    const stored = { line_id: id, pipeline_id: `pipeline-of-${SAMPLE_ACCOUNT}`, node_id: 'store' }
    expect(lines.map(line => line.stored)).toEqual([[], [stored], []])
    const gathered = 'at reduce gather, and continues in the result of that window'
    expect(lines.map(({ summary }) => summary)).toEqual([
      `Revision 4: began a window ${gathered}.`,
      `Revision 4: was merged with others ${gathered}; was the last of a window, and the result of that window is stored once.`,
      `Revision 4: began a window ${gathered}.`,
    ])
    const ofAccount = new Explanations(ports, FORM_OF_ACCOUNT)
    const [, merged] = await ofAccount.ofBatch(SAMPLE_ACCOUNT, batch)
    expect(merged?.stored).toEqual([stored])
    expect(merged?.summary).toContain(
      'was the last of a window, and the result of that window is stored once',
    )
    expect(await ofAccount.ofLine(SAMPLE_ACCOUNT, id)).toMatchObject([
      { window: { node_id: 'gather' }, pipelines: [] },
    ])
    // The explanation of its id describes the window.
    expect(await api.ofLine(SAMPLE_ACCOUNT, id)).toMatchObject([
      { window: { node_id: 'gather' }, stored: [stored] },
    ])
  })

  test('is not listed under a line that ended the window without being in it', async () => {
    const { world, worker, append } = await gatheringWorld()
    const starts = {
      group_by: [],
      flush_condition: {
        when: 'starts_when',
        conditional: { expressions: [{ field: '.line', str_operator: 'starts_with', value: 'new' }] },
      },
    }
    world.configuration.deploy(
      [
        SOURCE,
        node('transform', 'gather', 'reduce', ['source'], starts),
        node('sink', 'store', 'log-analysis', ['gather']),
      ],
      5,
      `pipeline-of-${SAMPLE_ACCOUNT}`,
    )
    await passSecond(world, worker)
    await append(SAMPLE_ACCOUNT, { line: 'old', app: 'a' })
    const offset = await append(SAMPLE_ACCOUNT, { line: 'new', app: 'a' })
    await passSecond(world, worker)
    expect(world.storedLines()).toEqual(['old'])
    const [line] = (await explained(world, offset)).lines
    expect([line?.stored, line?.gathered]).toEqual([[], []])
  })

  test('leads back even if an event ended the window, or the pipeline was published again', async () => {
    const { world, worker, append } = await gatheringWorld()
    const full = Array.from({ length: 3 }, (_, index) => ({ line: `${index}`, app: 'a' }))
    const ended = await append(SAMPLE_ACCOUNT, ...full)
    await append(SAMPLE_ACCOUNT, { line: 'left', app: 'c' })
    await settle(worker)
    const payload = JSON.stringify({
      id: `pipeline-of-${SAMPLE_ACCOUNT}`,
      accountId: SAMPLE_ACCOUNT,
      title: '',
      revision: 5,
      nodes: NODES,
    })
    world.configuration.set({
      kind: 'pipeline',
      entity: `pipeline-of-${SAMPLE_ACCOUNT}`,
      version: 5,
      payload,
    })
    await passSecond(world, worker)
    const [early, last] = world.store.rows('lines')
    expect(early).toMatchObject({ offset: ended, row: 0 })
    expect(await behind(world, ended, 0, SAMPLE_ACCOUNT)).toMatchObject({ node: 'gather', window: undefined })
    expect(await behind(world, last?.offset as bigint, Number(last?.row), SAMPLE_ACCOUNT)).toMatchObject({
      node: 'gather',
      document: { revision: 4 },
      window: { events: 1, group: '"c"' },
    })
  })
})
