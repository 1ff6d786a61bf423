import type { Patch } from '../simulation/guards.ts'

const FOLD = 'engine/delivery/fold/delivery-fold.ts'
const CURSOR = 'engine/delivery/fold/lane-cursor.ts'
const WORKER = 'engine/worker/outbox/outbox-worker.ts'
const SENDER = 'engine/worker/outbox/batch-sender.ts'
const ERRORS = 'engine/worker/outbox/delivery-errors.ts'
const DELIVERY = 'engine/delivery/sending/batch-delivery.ts'

/** The negative controls of the lanes: without a guard, their simulation must find the fault that it prevents. */
export const LANE_GUARDS: Readonly<Record<string, readonly Patch[]>> = {
  'a report follows the answer': [
    {
      file: SENDER,
      find: 'const outcome = await delivery.run(signal, leave)',
      replace:
        'void delivery.run(signal, leave).catch(() => undefined)\n    const outcome = { attempts: 1, bytes: 0, failures: [] }',
    },
  ],
  'a report of an older epoch is ignored': [
    { file: FOLD, find: 'content.epoch >= this.#epoch', replace: 'content.epoch >= -1' },
  ],
  'a report answers the oldest batch alone': [
    {
      file: 'engine/delivery/fold/lane.ts',
      find: 'report.batch === this.#answered + 1',
      replace: 'report.batch > 0',
    },
  ],
  'open batches are in the checkpoint': [
    {
      file: CURSOR,
      find: 'open: [...this.#open.values()].map(batch => batch.toBatch(0, 0))',
      replace: 'open: []',
    },
  ],
  'batches without a report are in the checkpoint': [
    { file: CURSOR, find: 'closed: this.#closed,', replace: 'closed: [],' },
  ],
  'the positions of a lane are in the checkpoint': [
    { file: CURSOR, find: 'passed: passedState(this.#passed)', replace: 'passed: []' },
  ],
  'the positions of an account are in the checkpoint': [
    {
      file: 'engine/delivery/fold/outbox-account.ts',
      find: 'passed: passedState(this.#passed)',
      replace: 'passed: []',
    },
  ],
  'the time of a lane is in the checkpoint': [
    { file: CURSOR, find: '      timeMs: this.#timeMs,\n', replace: '      timeMs: 0,\n' },
  ],
  'batches end by log time, not by arrival': [
    {
      file: WORKER,
      find: 'this.#fold.apply(record)',
      replace: 'this.#fold.apply({ ...record, appendTimeMs: clock.wallMs() })',
    },
  ],
  'a batch follows the answer to the one before it': [
    { file: SENDER, find: 'if (busy.has(lane)) continue', replace: '' },
  ],
  'a batch waits for the report of one that gives events up': [
    { file: SENDER, find: ' || oldest.number <= progress.failed', replace: '' },
  ],
  'a cursor stands still while many batches have no report': [
    {
      file: CURSOR,
      find: 'return this.#closed.length >= MAX_CLOSED_BATCHES || ',
      replace: 'return 0 > 1 && ',
    },
  ],
  'positions do not pass a failed event': [
    { file: DELIVERY, find: '        return [rows]\n', replace: '        return []\n' },
  ],
  'a batch is halved until the bad event is alone': [
    { file: DELIVERY, find: 'if (answer.divides && rows.length > 1) return halves(rows)', replace: '' },
  ],
  'batches of a revision end where the next begins': [
    {
      file: CURSOR,
      find: 'if (batch.head.version !== version) this.#close(other, batch)',
      replace: 'if (batch.head.version > version) this.#close(other, batch)',
    },
  ],
  'repeats of events are dropped singly': [
    {
      file: CURSOR,
      find: 'if (!this.#passed.advance(source, position)) continue',
      replace: 'this.#passed.advance(source, position)',
    },
  ],
  'batches end without a further record': [
    { file: WORKER, find: 'return this.#ticks.sendDue(this.#fold)', replace: 'return false' },
  ],
  'ticks do not run ahead of the clock': [
    {
      file: 'engine/worker/tick-sender.ts',
      find: 'this.#sentForMs === deadlineMs || this.untilDueMs(fold) > 0',
      replace: 'this.#sentForMs === deadlineMs || deadlineMs === Number.POSITIVE_INFINITY',
    },
  ],
  'dead letters have the names of their reports': [
    {
      file: 'engine/delivery/sending/delivery-letters.ts',
      find: 'offset: Number(place.offset),',
      replace: 'offset: (globalThis.letterOffset = (globalThis.letterOffset ?? 0) + 1),',
    },
  ],
  'dead letters are durable before a checkpoint passes their report': [
    {
      file: WORKER,
      find: 'await this.#keep(answered)',
      replace: 'void this.#keep(answered).catch(() => undefined)',
    },
  ],
  'a checkpoint waits for the errors before it': [
    {
      file: WORKER,
      find: '(oldest !== undefined && oldest < prepared.nextOffset)',
      replace: 'oldest === prepared.nextOffset',
    },
  ],
  'errors that the store has are not stored again': [
    { file: ERRORS, find: 'if (offset <= (this.#storedTo ?? -1n)) return\n', replace: '' },
  ],
  'a trouble that was reported before a restart is not reported again': [
    {
      file: 'engine/delivery/sending/sending-states.ts',
      find: 'this.#states.has(key) ? this.#reported.has(key) : wasReported',
      replace: 'this.#reported.has(key)',
    },
  ],
  'a checkpoint is followed by the troubles that continue': [
    { file: WORKER, find: '    await this.#remind()\n', replace: '' },
  ],
  'trimming stays below what the lanes need': [
    {
      file: WORKER,
      find: 'topic.trim(partition, this.#kept.neededFrom)',
      replace: 'topic.trim(partition, this.#fold.nextOffset)',
    },
  ],
  'trimming leaves what the checkpoint before the newest needs': [
    {
      file: 'engine/worker/outbox/lane-checkpoints.ts',
      find: 'this.#neededFrom = older.neededFrom',
      replace: 'this.#neededFrom = newest.nextOffset',
    },
  ],
}
