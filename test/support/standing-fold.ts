import Type from 'typebox'
import { startFoldWatchdog } from '../../deploy/watchdog/fold-watchdog.ts'
import { slowestTurn } from '../../deploy/watchdog/slowest-turn.ts'
import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import { silentLogger } from '../../engine/logger.ts'
import { defineProcessor } from '../../engine/nodes/contract/define-processor.ts'
import type { Steps } from '../../engine/steps.ts'
import { type Control, controlType } from '../../schemas/log/control.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { catalogueWith } from './catalogue-with.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from './line-batches.ts'

/**
 * A process with two folds whose work takes turns, and a watchdog.
 *
 * usage: node standing-fold.ts REPORT_AFTER_MS END_AFTER_MS stand | work MS | repeat MS
 * - stand: one of the folds meets a line at which a node does not come to an end.
 * - work: both work for that long, and the process ends by itself.
 * - repeat: all records were processed before. A node takes that long with a line, and the process ends by itself.
 *
 * A process that ends by itself prints "worked" and its slowest turn.
 */
const [reportAfterMs = '', endAfterMs = '', mode = '', givenMs] = process.argv.slice(2)
const standMs = mode === 'repeat' ? Number(givenMs) : Number.POSITIVE_INFINITY

/** Stands with the line "endless", and takes a while for any other. */
const endless = defineProcessor({
  type: 'endless',
  summary: 'Work without end on one line.',
  config: Type.Object({}, { additionalProperties: false }),
  errors: [],
  compile: () => event => {
    const line = event.member('line')
    const untilMs = performance.now() + (line === 'endless' ? standMs : 0.1)
    while (performance.now() < untilMs);
    return event
  },
  configs: [{ sent: {} }],
  examples: [],
})
const catalogue = catalogueWith({ processors: [endless] })
const logId = '00000000-0000-4000-8000-000000000000'

class Partition {
  readonly #fold: PartitionFold
  #offset = 0n

  constructor(partition: number, revision: number) {
    this.#fold = new PartitionFold(catalogue, { topic: INGEST_TOPIC, partition, partitions: 2, logId })
    if (mode === 'repeat') this.#fold.processedTo = 1_000n
    const node = { title: null, user_config: {} }
    const nodes = [
      { ...node, id: 'source', kind: 'source', type: 'log-analysis-ingestion', inputs: [] },
      { ...node, id: 'before', kind: 'transform', type: 'stringify', inputs: ['source'] },
      { ...node, id: 'stands', kind: 'transform', type: 'endless', inputs: ['source'] },
      { ...node, id: 'sink', kind: 'sink', type: 'blackhole', inputs: ['stands', 'before'] },
    ]
    const document = { id: 'shop', accountId: SAMPLE_ACCOUNT, title: '', revision, nodes }
    const cut = { kind: 'pipeline', entity: 'shop', version: revision, payload: JSON.stringify(document) }
    this.#control({ 'weir.Cut': cut as never })
  }

  *send(lines: readonly string[]): Steps {
    yield* this.#apply(lineBatchValue([{ lines: lines.map(line => ({ line })) }]))
  }

  #control(body: Control['body']): void {
    const steps = this.#apply(controlType.encode({ behaviour: 12, body }))
    while (!steps.next().done);
  }

  *#apply(value: Buffer): Steps {
    const record = { offset: this.#offset++, appendTimeMs: 1_700_000_000_000, producer: null, value }
    yield* this.#fold.applying(record)
  }
}

startFoldWatchdog('info', silentLogger, {
  lookEveryMs: 20,
  reportAfterMs: Number(reportAfterMs),
  endAfterMs: Number(endAfterMs),
})
const [standing, other] = [new Partition(1, 7), new Partition(0, 3)]
/** Each record takes several stretches, between which the other fold works. */
const many = Array.from({ length: 1_000 }, () => 'x')
const untilMs = performance.now() + Number(givenMs)
for (let round = 1; mode === 'work' ? performance.now() < untilMs : round <= 3; round++) {
  const last = mode !== 'work' && round === 3 ? ['endless'] : []
  const work = [standing.send([...many, ...last]), other.send(many)]
  for (let open = work; open.length > 0; ) {
    open = open.filter(steps => !steps.next().done)
    await new Promise(resolve => setImmediate(resolve))
  }
}
console.log('worked')
console.log(JSON.stringify(slowestTurn.turn))
