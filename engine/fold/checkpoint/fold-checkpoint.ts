import type { NamedState } from '../../../schemas/log/checkpoint.ts'
import type { Cut } from '../../../schemas/log/control.ts'
import type { Steps } from '../../steps.ts'
import type { Accounts } from '../accounts.ts'
import type { AppliedCuts } from '../applied-cuts.ts'
import { pipelineCut } from '../cuts/pipeline.ts'
import { FoldError } from '../fold-error.ts'
import type { FoldMoment } from '../fold-moment.ts'
import type { Producers } from '../repeats.ts'
import type { OpenTables } from '../tables/open-tables.ts'
import { checkpointBytes } from './checkpoint-bytes.ts'
import { knownCheckpoint } from './read-checkpoint.ts'

/** The parts of a fold that a checkpoint contains. */
export interface FoldState {
  readonly identity: { readonly topic: string; readonly partition: number; readonly logId: string }
  readonly moment: FoldMoment
  readonly accounts: Accounts
  readonly cuts: AppliedCuts
  readonly producers: Producers
  readonly tables: OpenTables
}

/** Encodes the state of a fold in stretches, between which nothing may be applied. */
export function* takeCheckpoint(state: FoldState, nextOffset: bigint): Steps<Buffer> {
  const { identity, moment, accounts, cuts, producers, tables } = state
  const { timeMs, behaviour } = moment
  const head = {
    behaviour,
    logId: identity.logId,
    nextOffset: Number(nextOffset),
    timeMs,
    sliceMs: cuts.sliceMs,
    stored: tables.allGiven,
    cuts: [...cuts.all],
    producers: producers.snapshot(timeMs),
  }
  const { minute } = tables
  const holder = { 'weir.PendingMinute': { startMs: minute.startMs } }
  const pending = { holder, data: minute.activity.snapshot() }
  const versionOf = (pipeline: string) => cuts.version(pipelineCut.kind, pipeline)
  return yield* checkpointBytes(head, [pending, ...(yield* accounts.states(timeMs, versionOf))])
}

/**
 * Restores the state of a checkpoint into a new fold, in stretches.
 *
 * @returns first offset that the checkpoint does not include
 * @throws FoldError when it belongs to another log, or was written by a newer program
 */
export function* restoreCheckpoint(bytes: Buffer, state: FoldState): Steps<bigint> {
  const { identity, moment, accounts, cuts, producers, tables } = state
  const checkpoint = knownCheckpoint(bytes, identity)
  const { topic, partition, logId } = identity
  if (checkpoint.logId !== logId) {
    throw new FoldError(
      `the checkpoint of ${topic}/${partition} belongs to log ${checkpoint.logId}, this is ${logId}`,
    )
  }
  moment.bringIntoForce(checkpoint.behaviour)
  moment.timeMs = checkpoint.timeMs
  tables.restoreGiven(checkpoint.stored)
  producers.restore(checkpoint.producers)
  restoreMinute(checkpoint.states, tables)
  yield* cuts.restore(checkpoint.cuts as Cut[], checkpoint.sliceMs, accounts.restore(checkpoint.states))
  return BigInt(checkpoint.nextOffset)
}

function restoreMinute(states: readonly NamedState[], { minute }: OpenTables): void {
  for (const { holder, data } of states) {
    if (!('weir.PendingMinute' in holder)) continue
    minute.activity.restore(data)
    minute.startMs = holder['weir.PendingMinute'].startMs
  }
}
