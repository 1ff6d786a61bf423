import type { RunningWeir } from './running-weir.ts'

const PRELOAD = new URL('./switched-off-preload.ts', import.meta.url).pathname

/** A program whose drop-fields does not come to an end with some lines, and whose watchdog has little patience. */
const PATCHES = [
  {
    file: 'engine/nodes/processors/drop-fields.ts',
    find: 'return event => pass(without(event, removals))',
    replace:
      "return event => { while (String(event.member('line')) === 'endless'); return pass(without(event, removals)) }",
  },
  {
    file: 'deploy/watchdog/standing.ts',
    find: 'lookEveryMs: 500, reportAfterMs: 10_000, endAfterMs: 60_000',
    replace: 'lookEveryMs: 50, reportAfterMs: 1_000, endAfterMs: 3_000',
  },
]

/** Settings of such a program. */
export const ENDLESS_NODE = {
  NODE_OPTIONS: `--import ${PRELOAD}`,
  SWITCHED_OFF: JSON.stringify(PATCHES),
} as const

/** ingest → drop a field → own store. @returns id of the node in between */
export async function deployEndlessNode(running: RunningWeir): Promise<string> {
  const create = async (path: string, body: unknown) =>
    (await running.send<{ data: { id: string } }>('POST', path, body)).data.id
  const pipeline = await create('/v3/pipeline', { title: 'tidy' })
  const source = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const user_config = { fields: ['.secret'] }
  const node = { type: 'drop-fields', inputs: [source], user_config }
  const drop = await create(`/v3/pipeline/${pipeline}/transform`, node)
  await create(`/v3/pipeline/${pipeline}/sink`, { type: 'mezmo', inputs: [drop], user_config: {} })
  await running.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  return drop
}

/** The command that the last message of a killed program names. */
export interface ToldQuarantine {
  readonly command: readonly string[]
  readonly topic: string
  readonly partition: string
  readonly offset: string
  readonly node: string
}

/** @throws Error when the output names none */
export function toldQuarantine(output: string): ToldQuarantine {
  const told = /"weir (quarantine weir\.(\S+)\/(\d+)\/(\d+) (\S+))\\"/.exec(output)
  if (told === null) throw new Error(`no command is named: ${output}`)
  const [words, topic, partition, offset, node] = told.slice(1) as [string, string, string, string, string]
  return { command: words.split(' '), topic, partition, offset, node }
}
