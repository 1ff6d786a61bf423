import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { NodeProfile } from '../../engine/nodes/contract/profile-view.ts'
import { PresentMemory } from '../../engine/replay/present-memory.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { IS_LONG } from '../support/long-form.ts'
import type { MemoryRow } from '../support/memory-store.ts'
import { SPREAD_PARTITIONS, SpreadRun, type SpreadScript } from '../support/spread-run.ts'
import { node, SOURCE } from '../support/world.ts'

const SEEDS = Number(process.env.SEEDS ?? (IS_LONG ? 30 : 4))
const FIRST_SEED = Number(process.env.SEED ?? 1)
const RATE = 3
const VALUES = 2

/** One node of each placement of memory, each with a destination of its own. */
const SCRIPT: SpreadScript = {
  nodes: () => [
    SOURCE,
    node('transform', 'sample', 'sample', ['source'], { rate: RATE }),
    node('transform', 'first', 'dedupe', ['source'], { fields: ['.app', '.level'] }),
    node('transform', 'tag', 'map-fields', ['source'], {
      mappings: TAGGING,
    }),
    node('transform', 'values', 'metrics-tag-cardinality-limit', ['tag'], { value_limit: VALUES }),
    node('transform', 'profile', 'data-profiler', ['source'], {
      ...{ app_fields: ['.app'], host_fields: ['.host'], level_fields: ['.level'], line_fields: ['.line'] },
    }),
    ...['sample', 'first', 'values', 'profile'].map(id =>
      node('sink', `store-${id}`, 'mezmo', [id], { query: { tags: [id] } }),
    ),
  ],
  // A reset is never repeated when the memory moves.
  cuts: [
    {
      kind: 'profile-reset',
      entity: 'pipeline-1/profile',
      version: 1,
      payload: JSON.stringify({ accountId: SAMPLE_ACCOUNT, pipeline: 'pipeline-1', node: 'profile' }),
    },
  ],
}
/** Makes the app a tag of a metric. */
const TAGGING = [{ source_field: '.app', target_field: '.tags.app', overwrite_target: true }]

const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index)

test.each(seeds)(
  'samples count in each partition, and equal events, values of tags and a profile are counted in one, while their account is spread and gathered (SEED=%i)',
  async seed => {
    const run = await SpreadRun.of(seed, SCRIPT)
    await run.run()
    const rowsOf = (id: string) => run.store.rows('lines').filter(row => hasTag(row, id))

    const sampled = rowsOf('sample').map(({ line }) => line as string)
    expect(sampled.toSorted()).toEqual(expectedSamples(run).sort())

    const pairOf = ({ line }: MemoryRow) => pair(run, line as string)
    const pairs = rowsOf('first').map(pairOf)
    expect(pairs.toSorted()).toEqual([...new Set([...run.sent.keys()].map(line => pair(run, line)))].sort())

    const accepted = rowsOf('values').map(({ line }) => line as string)
    const apps = new Set(accepted.map(line => run.sent.get(line)?.app as string))
    expect(apps.size).toBe(Math.min(VALUES, new Set([...run.sent.values()].map(({ app }) => app)).size))
    const ofThem = [...run.sent].filter(([, { app }]) => apps.has(app)).map(([line]) => line)
    expect(accepted.toSorted()).toEqual(ofThem.sort())

    const [profile, ...others] = (await profilesOf(run)).filter(({ events }) => events > 0)
    expect(others).toEqual([])
    expect(profile).toMatchObject({ events: run.lines, cutEvents: 0, templates: [{ template: 'line <*>' }] })
    const countOf = (member: 'app' | 'level') => {
      const names = [...run.sent.values()].map(line => line[member])
      return Object.fromEntries(
        [...new Set(names)].map(name => [name, names.filter(each => each === name).length]),
      )
    }
    expect(linesByName(profile, 'apps')).toEqual(countOf('app'))
    expect(linesByName(profile, 'levels')).toEqual(countOf('level'))
    expect(rowsOf('profile')).toHaveLength(run.lines)
  },
)

/** The profile of each partition. */
async function profilesOf({ topics }: SpreadRun): Promise<NodeProfile[]> {
  const memory = new PresentMemory({ catalogue: CATALOGUE, topics, clock: manualClock() })
  const profiles: NodeProfile[] = []
  const place = { account: SAMPLE_ACCOUNT, pipeline: 'pipeline-1', node: 'profile' }
  await memory.look(place, true, ({ memory: { kind, value }, timeMs }) => {
    const profile = kind.profile?.show(value, timeMs)
    if (profile !== undefined) profiles.push(profile)
  })
  return profiles
}

function linesByName(profile: NodeProfile | undefined, role: 'apps' | 'levels'): Record<string, number> {
  return Object.fromEntries(profile?.counts[role].map(({ name, lines }) => [String(name), lines]) ?? [])
}

function hasTag({ tags }: MemoryRow, tag: string): boolean {
  return (tags as string[]).includes(tag)
}

function pair(run: SpreadRun, line: string): string {
  const sent = run.sent.get(line)
  return `${sent?.app} ${sent?.level}`
}

/** The first of every so many lines of each partition of the ingest topic. */
function expectedSamples({ archive }: SpreadRun): string[] {
  return Array.from({ length: SPREAD_PARTITIONS }, (_, partition) => {
    const batches = (archive[partition] ?? []).filter(value => schemaIdOf(value) === lineBatchType.id)
    const lines = batches.flatMap(value => {
      const batch = LineBatchView.decode(value)
      return Array.from({ length: batch.count }, (_, index) => batch.lineText(index))
    })
    return lines.filter((_, place) => place % RATE === 0)
  }).flat()
}
