import type { StoreDefect } from './simulated-store.ts'

/** A place in the source, and its text when the guard is off. The replaced text must be there exactly once. */
export interface Patch {
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** A guard, and how to switch it off: by patches of the engine's source, or by a store that is wrong. */
export interface Guard {
  readonly patches?: readonly Patch[]
  readonly storeDefect?: StoreDefect
  /** Whether it is missed in the worlds of a spread account. */
  readonly isOfSpread?: boolean
}

const WORKER = 'engine/worker/partition-worker.ts'
const FLUSHES = 'engine/worker/flush-queue.ts'
const CUTS = 'engine/fold/applied-cuts.ts'
const FOLD = 'engine/fold/partition-fold.ts'
const LINE_BATCH = 'engine/lines/columns/line-batch-view.ts'
const PUSH_FRONT = 'api/ingest/push-front.ts'
const GATEWAY_ROUTE_STATES = 'api/ingest/gateway-route-states.ts'
const LOST_TAIL = 'engine/replay/lost-tail.ts'
const OPEN_WINDOWS = 'engine/fold/open-windows.ts'
const TRACES = 'engine/nodes/processors/trace-sampling/traces.ts'
const OWNERSHIP = 'engine/worker/partition-ownership.ts'

/**
 * The negative controls: without a guard, the simulation must find the fault that it prevents. If a change moves a guard,
 * its patch fails with an error that says so.
 */
export const GUARDS: Readonly<Record<string, Guard>> = {
  'checkpoint after acknowledgement': {
    patches: [
      {
        file: FLUSHES,
        find: '    for (const batch of flush.tables) {\n',
        replace:
          '    if (flush.checkpoint !== null) await this.#options.kept.write(ownership.epochOffset, flush.nextOffset, flush.checkpoint)\n    for (const batch of flush.tables) {\n',
      },
    ],
  },
  'vectors of encrypted values are not drawn': {
    patches: [
      {
        file: 'engine/nodes/processors/encryption/encrypt-fields.ts',
        find: 'const digest = keyed.of(place())',
        replace: 'const digest = keyed.of(place() + String(Math.random()))',
      },
    ],
  },
  'windows end by log time, not by arrival': {
    patches: [
      {
        file: 'engine/worker/record-applying.ts',
        find: 'this.#fold.applying(record, ',
        replace: '((globalThis.arrivalMs = this.#options.clock.wallMs()), this.#fold).applying(record, ',
      },
      {
        file: OPEN_WINDOWS,
        find: 'return this.#moment.timeMs >= this.#endMs',
        replace: 'return true',
      },
      {
        file: OPEN_WINDOWS,
        find: '    if (timeMs < account.windowsEndMs) return\n',
        replace: '',
      },
      {
        file: OPEN_WINDOWS,
        find: 'this.#accounts.withWindowsDue(timeMs)',
        replace: 'this.#accounts.withWindowsDue(Math.max(timeMs, globalThis.arrivalMs ?? 0))',
      },
      {
        file: 'engine/fold/account-state.ts',
        find: 'revision.graph.deadlineMs <= timeMs',
        replace: 'revision.graph.deadlineMs <= Math.max(timeMs, globalThis.arrivalMs ?? 0)',
      },
      {
        file: 'engine/graph/compile-graph.ts',
        find: 'this.#release(context, () => context.nowMs)',
        replace: 'this.#release(context, () => Math.max(context.nowMs, globalThis.arrivalMs ?? 0))',
      },
    ],
  },
  'decisions about traces are in the checkpoint': {
    patches: [
      {
        file: TRACES,
        find: '    yield* decidedLines(this.#decisions)\n',
        replace: '',
      },
    ],
  },
  'lines that wait for their trace are in the checkpoint': {
    patches: [
      {
        file: TRACES,
        find: '    for (const waiting of this.#waiting.all()) yield* waitingLines(waiting)\n',
        replace: '',
      },
    ],
  },
  'values of a limited tag are in the checkpoint': {
    patches: [
      {
        file: 'engine/nodes/processors/metrics-tag-cardinality-limit/accepted-values.ts',
        find: 'for (const kept of this.#kept()) {\n      parts',
        replace: 'for (const kept of [...this.#kept()].slice(0, 0)) {\n      parts',
      },
    ],
  },
  'lines that wait for their trace move with it': {
    isOfSpread: true,
    patches: [
      {
        file: TRACES,
        find: 'if (!moving.has(share)) continue\n      this.#waiting.end(waiting)',
        replace: 'continue',
      },
    ],
  },
  'decisions about traces move with their account': {
    isOfSpread: true,
    patches: [{ file: TRACES, find: 'target.note(trace, kept, sinceMs)', replace: '' }],
  },
  'open windows move with their group': {
    isOfSpread: true,
    patches: [
      {
        file: 'engine/windows/open-aggregates.ts',
        find: 'yield* add(share, line)',
        replace: '',
      },
    ],
  },
  'the keys of a dedupe move with their last use': {
    isOfSpread: true,
    patches: [
      {
        file: 'engine/nodes/processors/dedupe/recent-keys.ts',
        find: 'piece.#add([use])',
        replace: 'piece.#add([[key, 0]])',
      },
    ],
  },
  'a script reads the log time': {
    patches: [
      {
        file: 'engine/scripts/script-functions.ts',
        find: 'apply: (_values, run) => run.nowMs',
        replace: 'apply: () => Date.now()',
      },
    ],
  },
  'log time instead of the wall clock': {
    patches: [
      {
        file: 'engine/worker/record-applying.ts',
        find: 'this.#fold.applying(record, ',
        replace: 'this.#fold.applying({ ...record, appendTimeMs: this.#options.clock.wallMs() }, ',
      },
    ],
  },
  'batch boundaries by the log, not by arrival': {
    patches: [
      {
        file: WORKER,
        find: '    this.#ticks.noteTime(fold)\n    this.#options.onRoomChanged?.()\n',
        replace:
          '    this.#ticks.noteTime(fold)\n    this.#options.onRoomChanged?.()\n    for (const flush of fold.endByArrival()) this.#flushes.add(flush)\n',
      },
      {
        file: FOLD,
        find: '  /** A flush without rows whose',
        replace:
          '  endByArrival(): Flush[] { return !this.#parts.tables.lines.isOpen ? [] : [finish(this.#flush(this.#nextOffset - 1n, this.timeMs))] }\n\n  /** A flush without rows whose',
      },
    ],
  },
  'a fence': { storeDefect: 'no fence' },
  'a fence that is an error': { storeDefect: 'fence that reports success' },
  'settling after a time-out': {
    patches: [{ file: OWNERSHIP, find: 'if (this.#doubt !== batch) return false', replace: 'return false' }],
  },
  'settling reads both forms of lines': {
    patches: [
      {
        file: 'engine/worker/settled-tables.ts',
        find: 'store.settle({ topic, partition, table }, from)',
        replace:
          "store.settle({ topic, partition, table: table === 'slotted_lines' ? 'lines' : table }, from)",
      },
    ],
  },
  'the slots of a line have each of its bytes': {
    patches: [
      {
        file: 'engine/lines/slots/split-line.ts',
        find: 'slots.push(text.slice(start + quote, valueEnd))',
        replace: "slots.push(text.slice(start + quote, valueEnd).replace('1', '2'))",
      },
    ],
  },
  'the epoch is raised before settling': {
    patches: [
      { file: OWNERSHIP, find: 'attempt: this.#epoch.attempt + 1', replace: 'attempt: this.#epoch.attempt' },
    ],
  },
  "a zombie's late checkpoint loses": {
    patches: [
      {
        file: 'engine/replay/checkpoint-log.ts',
        find: 'found.manifests.sort((a, b) => (isNewer(a, b) ? -1 : 1))',
        replace: 'found.manifests',
      },
    ],
  },
  'offsets do not pass a failed event': {
    patches: [
      {
        file: FLUSHES,
        find: 'return ownership.insert(batch)',
        replace: 'return ownership.insert(batch).catch(() => undefined)',
      },
    ],
  },
  'throttle state in the checkpoint': {
    patches: [
      {
        file: 'engine/fold/accounts.ts',
        find: 'of yield* account.states())',
        replace: 'of (yield* account.states()).slice(0, 0))',
      },
    ],
  },
  'repeats of a producer are dropped': {
    patches: [
      {
        file: 'engine/fold/record-effect.ts',
        find: 'producers.advance(producer.id, producer.sequence, moment.timeMs)',
        replace: 'true',
      },
    ],
  },
  'an older cut is ignored': {
    patches: [
      { file: CUTS, find: 'if (cut.version <= this.version(cut.kind, cut.entity)) return\n', replace: '\n' },
    ],
  },
  'checkpoints between records': {
    patches: [
      {
        file: FOLD,
        find: 'if (tables.endsBefore(timeMs, this.sliceMs)) flushes.push(yield* this.#flush(record.offset, timeMs))',
        replace:
          'if (tables.endsBefore(timeMs, this.sliceMs)) { this.#nextOffset = record.offset + 1n; flushes.push(yield* this.#flush(record.offset, timeMs)) }',
      },
    ],
  },
  'retention stays below the checkpoint': {
    patches: [
      {
        file: 'engine/worker/housekeeping.ts',
        find: 'checkpointOffset: neededFrom',
        replace: 'checkpointOffset: 1n << 60n',
      },
    ],
  },
  'a closed day is copied once': { storeDefect: 'closed day copied twice' },
  "an app is the line's own": {
    patches: [
      {
        file: LINE_BATCH,
        find: 'this.#word(this.#appIndex[index] as number)',
        replace: 'this.#word(this.#appIndex[0] as number)',
      },
    ],
  },
  "a level is the line's own": {
    patches: [
      {
        file: LINE_BATCH,
        find: 'this.#word(this.#levelIndex[index] as number)',
        replace: 'this.#word(this.#levelIndex[0] as number)',
      },
    ],
  },
  'the default graph counts bytes': {
    patches: [
      {
        file: 'engine/fold/account/event-runs.ts',
        find: 'indexes.length, batch.bytesOf(indexes)',
        replace: 'indexes.length, indexes.length',
      },
    ],
  },
  'a node counts the bytes that it drops': {
    patches: [
      {
        file: 'engine/graph/node-outcomes.ts',
        find: 'countDropped(event: Event, row: number): void {\n    this.#counters.dropped++\n    this.#counters.droppedBytes += event.bytes',
        replace:
          'countDropped(event: Event, row: number): void {\n    this.#counters.dropped++\n    this.#counters.droppedBytes += 1',
      },
    ],
  },
  'a byte is not a character': {
    patches: [
      {
        file: 'engine/lines/stored-line/line-draft.ts',
        find: 'line.sizeBytes = line.textEnd - line.textStart',
        replace:
          'line.sizeBytes = Buffer.from(line.textBytes.subarray(line.textStart, line.textEnd)).toString().length',
      },
    ],
  },
  'retention is what the account was given': {
    patches: [
      {
        file: 'engine/fold/line-output.ts',
        find: 'retentionDays, poolDays: 0',
        replace: 'retentionDays: retentionDays + 1, poolDays: 0',
      },
    ],
  },
  'rules on lines are part of the checkpoint': {
    patches: [
      {
        file: 'engine/fold/cuts/line-rules.ts',
        find: '  restore(rules, _cut, { accounts }) {',
        replace: '  restore(rules, _cut, { accounts }) {\n    if (rules !== undefined) return',
      },
      {
        file: 'engine/fold/cuts/quota.ts',
        find: '  restore(quota, _cut, { accounts }) {',
        replace: '  restore(quota, _cut, { accounts }) {\n    if (quota !== undefined) return',
      },
    ],
  },
  'a quota ends with its period, by log time': {
    patches: [
      {
        file: 'engine/fold/rules/account-rules.ts',
        find: 'if (timeMs >= untilMs) continue',
        replace: '',
      },
    ],
  },
  'a push is answered when it is durable': {
    patches: [
      {
        file: PUSH_FRONT,
        find: 'await this.#append(request, caller, messages, pieces, capturesMetadata)',
        replace:
          'void this.#append(request, caller, messages, pieces, capturesMetadata).catch(() => undefined)',
      },
    ],
  },
  'a pause leaves pushes with their senders': {
    patches: [
      {
        file: GATEWAY_ROUTE_STATES,
        find: 'return takesEvents(deployment.value)',
        replace: 'return true || takesEvents(deployment.value)',
      },
    ],
  },
  'a hold leaves pushes with their senders': {
    patches: [{ file: GATEWAY_ROUTE_STATES, find: 'return isHeld ? ', replace: 'return isHeld && false ? ' }],
  },
  'a hold leaves lines with their senders': {
    patches: [{ file: 'api/ingest/ingestion-holds.ts', find: 'return isHeld\n', replace: 'return false\n' }],
  },
  'lines that were accepted before a hold are handled': {
    patches: [
      {
        file: 'engine/configuration/pause-mode.ts',
        find: 'hold: { held: true },',
        replace: 'hold: { held: true, paused: true },',
      },
    ],
  },
  'a pause that drops lines keeps them out of the store': {
    patches: [
      {
        file: 'engine/fold/account/event-runs.ts',
        find: 'if (revision.drops) {',
        replace: 'if (revision.drops && revision.version < 0) {',
      },
    ],
  },
  'a push comes behind the deployment that reads it': {
    patches: [
      {
        file: GATEWAY_ROUTE_STATES,
        find: 'return (inEffect.versionOnLog(',
        replace: 'return true || (inEffect.versionOnLog(',
      },
    ],
  },
  'a log may not end below what is known of it': {
    patches: [
      {
        file: LOST_TAIL,
        find: '  if (next >= end) {\n',
        replace: '  if (next >= 0n || end < 0n) {\n',
      },
    ],
  },
  'rows of the store know where a log must end': {
    patches: [{ file: LOST_TAIL, find: '    ...positions,\n', replace: '' }],
  },
  'checkpoints know where a log must end': {
    patches: [{ file: LOST_TAIL, find: '    await log.reach(),\n', replace: '' }],
  },
  'the first record of an acceptance is durable alone': {
    patches: [
      {
        file: LOST_TAIL,
        find: '  await append(0)\n',
        replace: '  void append(0).catch(() => undefined)\n',
      },
      { file: LOST_TAIL, find: 'const CUT_CHARACTERS = 400_000', replace: 'const CUT_CHARACTERS = 1' },
    ],
  },
  'what an older copy of the store lacks is stored again': {
    patches: [
      {
        file: 'engine/worker/partition-start.ts',
        find: 'this.#options.kept.goBack(first, older.storedTo)',
        replace: 'this.#options.kept.load()',
      },
    ],
  },
  'what is stored again ends where the older copy does': {
    patches: [
      {
        file: 'engine/worker/partition-start.ts',
        find: 'kept?.body), storedTo: older.storedTo }',
        replace: 'kept?.body), storedTo: older.knownTo }',
      },
    ],
  },
  'a checkpoint of lost records is passed over': {
    patches: [
      {
        file: 'engine/replay/checkpoint-log.ts',
        find: '    if ((await this.#gapAround(nextOffset)) !== undefined) return undefined\n',
        replace: '',
      },
    ],
  },
  'rows of lost records do not settle what comes behind them': {
    patches: [
      { file: FLUSHES, find: 'if (flush.gap !== undefined) this.#settled.pass(flush.gap)', replace: '' },
    ],
  },
  // Each of the two is enough, so both are off.
  'counts that the store has from before an earlier loss are known after the next': {
    patches: [
      {
        file: LOST_TAIL,
        find: 'const known = await knownOf(witnesses, partition, began)',
        replace: 'const known = await knownOf(witnesses, partition)',
      },
      {
        file: 'engine/worker/settled-tables.ts',
        find: ' || (gap !== undefined && isInGap(highest, gap))',
        replace: '',
      },
    ],
  },
  'a refused record has no effect': {
    patches: [
      {
        file: FOLD,
        find: 'isRefused(record) ? refusedPlace(record) : control && lossOf(control)',
        replace: 'control && lossOf(control)',
      },
    ],
  },
  'a process refuses what lands below the end that others know': {
    patches: [
      {
        file: 'engine/log/guarded-topic.ts',
        find: '    guard.know(guard.seen > mark ? guard.seen : mark)\n',
        replace: '',
      },
    ],
  },
  'an older copy of the store is noticed': {
    patches: [
      {
        file: 'engine/replay/older-store.ts',
        find: 'return storedTo < knownTo',
        replace: 'return storedTo < storedTo',
      },
    ],
  },
  'the budget of expressions': {
    patches: [
      {
        file: 'engine/expressions/expression-budget.ts',
        find: 'this.#saved -= units',
        replace: 'this.#saved -= units - units',
      },
    ],
  },
  'work that grows with options is counted': {
    patches: [
      {
        file: 'engine/expressions/cost-meter.ts',
        find: 'if (this.#allowance?.countsOptions) {',
        replace: 'if (this.#allowance?.countsOptions === null) {',
      },
    ],
  },
  'an account pays for work on events that fail': {
    patches: [
      {
        file: 'engine/expressions/cost-meter.ts',
        find: '      allowance.owe(this.#spent - this.#drawn)\n',
        replace: '',
      },
    ],
  },
  'what is free for many events together': {
    patches: [
      {
        file: 'engine/expressions/expression-budget.ts',
        find: 'this.#shared -= units',
        replace: 'this.#shared -= units - units',
      },
    ],
  },
  'a line that rules leave out counts as dropped': {
    patches: [
      {
        file: 'engine/fold/line-output.ts',
        find: 'left.dropped(event, exclusion.reason)',
        replace: '',
      },
    ],
  },
  'a configuration that ends early is refused': {
    patches: [
      {
        file: 'engine/configuration/configuration-end.ts',
        find: "if (lost === undefined && inStore !== 'away') this.#storeIsJudged = true\n    return lost",
        replace: 'this.#storeIsJudged = true\n    return undefined',
      },
    ],
  },
  'partitions know changes that the store has not marked': {
    patches: [
      {
        file: 'engine/configuration/configuration-end.ts',
        find: 'await knownCuts(isShared ? CUTS_WITHIN_MS : undefined)',
        replace: '[]',
      },
    ],
  },
  'versions after a loss are beyond those that were lost': {
    patches: [
      {
        file: 'engine/configuration/accept-loss.ts',
        find: 'versionShift: Math.max(configuration.highestVersion, lost.version) - Number(nextOffset)',
        replace: 'versionShift: 0',
      },
    ],
  },
  'partitions repeat lost changes that they know': {
    patches: [
      {
        file: 'engine/configuration/accept-loss.ts',
        find: '.filter(cut => isUnexplained(configuration, cut))',
        replace: '.filter(() => false)',
      },
    ],
  },
}
