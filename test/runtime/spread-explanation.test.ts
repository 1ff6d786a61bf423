import { expect, test } from 'vitest'
import { ApiError } from '../../api/http/errors.ts'
import { Explanations, formOfPipeline } from '../../api/pipeline/explain/explanations.ts'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import { LoopTurns } from '../../engine/turns/loop-turns.ts'
import type { ExplainedLine, ExplainedStepRecord } from '../../schemas/http/pipeline/explanation-api.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import { type LineIdParts, lineId, parseLineId } from '../../schemas/log/position.ts'
import { isLineTable } from '../../schemas/log/tables.ts'
import { DEAD_LETTER_TOPIC, KEYED_TOPIC, OUTBOX_TOPIC, type TOPIC_NUMBERS } from '../../schemas/log/topics.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { Dice } from '../support/dice.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { IS_LONG } from '../support/long-form.ts'
import { SPREAD_PARTITIONS, SpreadRun, type SpreadScript } from '../support/spread-run.ts'
import { node, SOURCE } from '../support/world.ts'

const SEEDS = Number(process.env.SEEDS ?? (IS_LONG ? 3 : 1))
const FIRST_SEED = Number(process.env.SEED ?? 1)
const PIPELINE = 'pipeline-1'
const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index)

interface WholeRun {
  readonly script: Script
  readonly run: SpreadRun
  readonly explained: ReadonlyMap<string, ExplainedLine>
}

const wholeRuns = new Map<number, Promise<WholeRun>>()

/** The run of a seed that keeps its log, with every line explained. Tests only read it. */
function wholeRun(seed: number): Promise<WholeRun> {
  const begin = async () => {
    const script = new Script({ keepsLog: true })
    const run = await SpreadRun.of(seed, script)
    await run.run()
    return { script, run, explained: await everyLine(run) }
  }
  const known = wholeRuns.get(seed) ?? begin()
  wholeRuns.set(seed, known)
  return known
}

test.each(seeds)('every line is explained to its end in all partitions (SEED=%i)', async seed => {
  const { script, run, explained } = await wholeRun(seed)
  const stored = storedIds(run)
  expect(explained.size).toBe(run.lines)
  const textsById = new Map(
    [...storedIds(run, 'gathered')].flatMap(([text, ids]) => ids.map(id => [id, text] as const)),
  )
  for (const [text, line] of explained) {
    expect([text, idsIn(line)]).toEqual([text, stored.get(text) ?? []])
    expectPartOf(text, line, textsById)
  }
  // The output of a full window is explained with its last line, in the partition that read that line.
  const full = [...textsById].filter(([, texts]) => texts.split('\n').length === 3).map(([id]) => id)
  expect(full.length).toBeGreaterThan(0)
  const released = [...explained.values()].flatMap(({ stored: all }) => all.filter(isOfWindow))
  expect(released.map(({ line_id: id }) => id).sort()).toEqual(full.sort())
  expect(countsIn([...explained.values()])).toEqual(countedBy(run))
  for (const each of throttled([...explained.values()])) expectFull(each)
  expect([...explained.values()].some(line => movesOf(line) > 2)).toBe(true)
  // An explanation of a line that was still on its way is a part of its final explanation.
  for (const { text, line } of script.early) {
    const final = explained.get(text) as ExplainedLine
    const isOnItsWay = stepsOf(line).some(({ outcome }) => outcome === 'under_way')
    if (isOnItsWay) expect(idsIn(final)).toEqual(expect.arrayContaining(idsIn(line)))
    else expect(line).toEqual(final)
  }
  for (const [text, ids] of stored)
    for (const id of ids) expect(await ofLine(run, id)).toEqual([explained.get(text)])
})

test.each(seeds)(
  'exactly the records that the log has removed are reported as gone (SEED=%i)',
  async seed => {
    const run = await SpreadRun.of(seed, new Script({ keepsLog: false }))
    await run.run()
    const explained = await everyLine(run)
    const stored = storedIds(run)
    for (const [text, line] of explained) {
      const ids = stored.get(text) ?? []
      const isGone = stepsOf(line).some(({ outcome }) => outcome === 'not_kept')
      if (isGone) expect(ids).toEqual(expect.arrayContaining(idsIn(line)))
      else expect([text, idsIn(line)]).toEqual([text, ids])
    }
    for (const [text, ids] of stored)
      for (const id of ids) {
        const lines = await ofLine(run, id)
        if (lines.length > 0) expect(lines).toEqual([explained.get(text)])
      }
  },
)

test('lines that a query finds are explained to their end, with the results from other partitions', async () => {
  const { run, explained } = await wholeRun(FIRST_SEED)
  const period = { query: parseQuery('app:key-3'), fromMs: 0, toMs: Number.MAX_SAFE_INTEGER - 1 }
  const { signal } = new AbortController()
  const linesOf = async (onlyMissing: boolean, limit = 100) => {
    const found: ExplainedLine[] = []
    const wanted = { ...period, limit, onlyMissing }
    for await (const piece of explanationsOf(run).found(SAMPLE_ACCOUNT, wanted, signal))
      if ('line' in piece) found.push(piece.line)
    return found
  }
  const expected = [...explained.values()].filter(line => messageOf(line).app === 'key-3')
  expect(expected.length).toBeGreaterThan(5)
  expect(await linesOf(false)).toEqual(expected)
  const missing = expected.filter(({ stored }) => stored.length === 0)
  expect(missing.length).toBeGreaterThan(0)
  expect(missing.length).toBeLessThan(expected.length)
  expect(await linesOf(true)).toEqual(missing)
  expect(await linesOf(true, 1)).toEqual(missing.slice(0, 1))
})

test('an id that names another topic is not taken for the line at the same place', async () => {
  const { run } = await wholeRun(FIRST_SEED)
  const ids = [...storedIds(run).values()].flat()
  const keyed = ids.map(id => parseLineId(id)).find(place => place?.topic === KEYED_TOPIC) as LineIdParts
  expect(await ofLine(run, lineId(keyed))).toHaveLength(1)
  for (const topic of [DEAD_LETTER_TOPIC, OUTBOX_TOPIC] as const)
    expect([topic, await ofLine(run, lineId({ ...keyed, topic }))]).toEqual([topic, []])
})

/** Lines move once or twice, on two ways through the graph; destinations of some revisions fail. */
class Script implements SpreadScript {
  readonly setsClock = true
  readonly keepsLog: boolean
  /** Explanations made while the run went on. */
  readonly early: { readonly text: string; readonly line: ExplainedLine }[] = []
  #actions = 0

  constructor({ keepsLog }: { readonly keepsLog: boolean }) {
    this.keepsLog = keepsLog
  }

  nodes(_revision: number, dice: Dice) {
    const windowMs = () => dice.pick([2_000, 60_000, 3_600_000])
    const drop = { expressions: [{ field: '.level', str_operator: 'equal', value: 'level-0' }] }
    const limit = {
      threshold: 1 + dice.below(4),
      window_ms: windowMs(),
      key_field: dice.pick(['.app', '.app', '.level']),
    }
    const broken = dice.chance(0.2) ? { query: { hostname: '{{ .missing }}' } } : {}
    const second = { threshold: 2, window_ms: windowMs(), key_field: '.level' }
    return [
      SOURCE,
      node('transform', 'noise', 'filter', ['source'], { action: 'drop', conditional: drop }),
      node('transform', 'limit', 'throttle', ['noise'], limit),
      node('transform', 'second', 'throttle', ['limit'], second),
      node('sink', 'store', 'mezmo', ['second'], broken),
      node('transform', 'gather', 'reduce', ['source'], {
        duration_ms: 2_000,
        max_events: 3,
        group_by: ['.level'],
        merge_strategies: [{ field: '.line', strategy: 'concat_newline' }],
      }),
      node('sink', 'gathered', 'mezmo', ['gather'], { query: { tags: ['gathered'] } }),
      ...(dice.chance(0.7)
        ? [
            node('transform', 'sample', 'throttle', ['source'], { threshold: 1, window_ms: windowMs() }),
            node('sink', 'sampled', 'mezmo', ['sample']),
            node('sink', 'limited', 'mezmo', ['limit']),
          ]
        : []),
    ]
  }

  async afterAction(run: SpreadRun): Promise<void> {
    if (this.#actions++ % 15 > 0) return
    for (const [text, line] of await everyLine(run, 4)) this.early.push({ text, line })
  }
}

function explanationsOf({ topics }: SpreadRun): Explanations<ExplainedLine> {
  const ports = {
    configuration: { get: () => ({}) as never },
    replayTurns: new LoopTurns(manualClock()),
    replay: { catalogue: CATALOGUE, ...topics },
  }
  return new Explanations(ports, formOfPipeline(PIPELINE))
}

/** Explanations of the lines of the last records of each partition, by their text. Lines that are gone are left out. */
async function everyLine(run: SpreadRun, records = Number.POSITIVE_INFINITY) {
  const { ingest } = run.topics
  const explanations = explanationsOf(run)
  const explained = new Map<string, ExplainedLine>()
  for (let partition = 0; partition < SPREAD_PARTITIONS; partition++) {
    const archive = run.archive[partition] ?? []
    const offsets = [...archive.keys()].filter(offset => {
      const value = archive[offset] as Buffer
      return schemaIdOf(value) === lineBatchType.id
    })
    const { first } = await ingest.bounds(partition)
    for (const offset of offsets.slice(-records)) {
      const batch = `${ingest.logId.slice(0, 8)}:${partition}:${offset}:0`
      const lines = await unlessGone(() => explanations.ofBatch(SAMPLE_ACCOUNT, batch))
      if (lines.length === 0) expect(first).toBeGreaterThan(0n)
      for (const line of lines) explained.set(messageOf(line).line as string, line)
    }
  }
  return explained
}

const ofLine = (run: SpreadRun, id: string) =>
  unlessGone(() => explanationsOf(run).ofLine(SAMPLE_ACCOUNT, id))

async function unlessGone(ask: () => Promise<ExplainedLine[]>): Promise<ExplainedLine[]> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return []
    throw error
  }
}

function messageOf({ event }: ExplainedLine): JsonObject {
  return event.message as JsonObject
}

function stepsOf({ pipeline }: ExplainedLine): readonly ExplainedStepRecord[] {
  return pipeline?.steps ?? []
}

function movesOf(line: ExplainedLine): number {
  return stepsOf(line).filter(({ outcome }) => outcome === 'moved').length
}

/** Ids of the stored lines, except those that windows released. */
function idsIn({ stored }: ExplainedLine): string[] {
  return stored
    .filter(({ node_id: id }) => id !== 'gathered')
    .map(({ line_id: id }) => id)
    .sort()
}

/** Output of a window is explained with a line of that window, if at all. */
function expectPartOf(text: string, { stored }: ExplainedLine, textsById: ReadonlyMap<string, string>): void {
  for (const { line_id: id, node_id: by } of stored)
    if (by === 'gathered') expect(textsById.get(id)?.split('\n')).toContain(text)
}

/** Ids of the lines that the world has stored, by text. */
function storedIds({ store }: SpreadRun, destination = 'limited'): Map<string, string[]> {
  const ids = new Map<string, string[]>()
  for (const { target, rows } of store.parts.filter(part => isLineTable(part.target.table))) {
    const topic = target.topic as keyof typeof TOPIC_NUMBERS
    for (const { t, line, offset, row, tags } of rows) {
      if ((tags as string[]).includes('gathered') !== (destination === 'gathered')) continue
      const place = { timeMs: Number(t), offset: BigInt(offset as bigint), row: Number(row) }
      const id = lineId({ ...place, topic, partition: target.partition })
      ids.set(line as string, [...(ids.get(line as string) ?? []), id].sort())
    }
  }
  return ids
}

function isOfWindow({ node_id: id }: ExplainedLine['stored'][number]): boolean {
  return id === 'gathered'
}

/** Output of a window that time ended is not explained. */
function isOfWindows(id: string): boolean {
  return id === 'gather' || id === 'gathered'
}

type Counts = Record<string, { events: number; dropped: number; failed: number }>

/** Explained steps by node. A step that moved its event counts for the sender alone. */
function countsIn(lines: readonly ExplainedLine[]): Counts {
  const counts: Counts = {}
  for (const { node_id: id, outcome, read } of lines.flatMap(stepsOf)) {
    if (outcome === 'moved' || isOfWindows(id)) continue
    counts[id] ??= { events: 0, dropped: 0, failed: 0 }
    counts[id].events++
    if (outcome === 'dropped' || !read) counts[id].dropped++
    if (outcome === 'failed') counts[id].failed++
  }
  return counts
}

/** Steps by node, as the world has counted them. */
function countedBy({ store }: SpreadRun): Counts {
  const counts: Counts = {}
  for (const { node: id, pipeline, ...row } of store.rows('node_metrics')) {
    if (pipeline !== PIPELINE || isOfWindows(id as string)) continue
    const count = counts[id as string] ?? { events: 0, dropped: 0, failed: 0 }
    counts[id as string] = count
    count.events += Number(row.events_in)
    count.dropped += Number(row.dropped)
    count.failed += Number(row.failed)
  }
  return counts
}

interface Throttled {
  readonly bucket: string | null
  readonly threshold: number
  readonly passed: readonly { readonly at: string; readonly count: number }[]
}

function throttled(lines: readonly ExplainedLine[]): Throttled[] {
  return lines
    .flatMap(stepsOf)
    .flatMap(({ reason }) =>
      reason !== undefined && 'bucket' in reason ? [reason as unknown as Throttled] : [],
    )
}

/** Who was dropped by a throttle found its bucket full. */
function expectFull({ threshold, passed }: Throttled): void {
  expect(passed.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(threshold)
}
