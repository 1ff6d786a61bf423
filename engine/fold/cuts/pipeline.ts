import {
  FIRST_BEHAVIOUR,
  SECOND_BEHAVIOUR,
  THIRTEENTH_BEHAVIOUR,
} from '../../../schemas/log/behaviour-numbers.ts'
import type { Cut } from '../../../schemas/log/control.ts'
import { type Pause, type PipelineCut, pauseOf } from '../../../schemas/log/cuts.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import { parseJson } from '../../json/json-text.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { finish, type Steps } from '../../steps.ts'
import type { AccountState } from '../account-state.ts'
import { type AffectedFold, defineSentCut } from './cut-kind.ts'

/** Version of a tried document; a record that travels between partitions can hold it. */
const TRIED_VERSION = 2 ** 50

/** Deploys or pauses a revision of a pipeline; an empty payload withdraws it. */
export const pipelineCut = defineSentCut({
  kind: 'pipeline',
  behaviour: (document, catalogue) =>
    document === undefined ? FIRST_BEHAVIOUR : behaviourOfPipeline(catalogue, document),
  address: 'home',
  hasRevisions: true,
  parse: text => (text === '' ? undefined : (parseJson(text) as unknown as PipelineCut)),
  accountOf: document => document?.accountId,

  *apply(document, cut, fold) {
    const { tried } = fold.settings
    if (tried?.id === cut.entity) {
      yield* deployTried(tried, fold, pauseOf(document))
      fold.forward(fold.accounts.of(tried.accountId), cut)
    } else if (document !== undefined) {
      yield* replace(fold.accounts.of(document.accountId), cut, document, fold)
    } else {
      for (const account of fold.accounts)
        if (account.has(cut.entity)) yield* replace(account, cut, undefined, fold)
    }
  },

  /** The revision has events under way from other partitions. */
  applyLate(document, { entity, version }, fold) {
    if (document === undefined) return false
    const account = fold.accounts.of(document.accountId)
    if (account.knows(entity, version)) return false
    fold.notePending(account)
    finish(account.deployBeside(document, { version, replacedMs: fold.timeMs() }))
    return true
  },

  isPartOf: (account, entity) => account.has(entity),

  *restore(document, { entity, version }, { accounts, keptOf }) {
    const { states, retiring } = keptOf(entity)
    if (document !== undefined)
      yield* accounts.of(document.accountId).deploy(document, { version, snapshots: states })
    // The newest revision is first, so that each finds the memory that it shared.
    for (const { document, version, replacedMs, states } of retiring.toReversed())
      yield* accounts
        .of(document.accountId)
        .deployBeside(document, { version, snapshots: states, replacedMs })
  },
})

/**
 * Runs a document in place of the deployed one of its pipeline, even after later publications. It is paused when the
 * pipeline is. Events from other partitions stay with the revision that sent them.
 */
export function tryPipeline(document: PipelineCut, fold: AffectedFold): void {
  fold.settings.tried = document
  const account = fold.accounts.of(document.accountId)
  finish(deployTried(document, fold, account.pauseOf(document.id), replacingMs(account, fold)))
}

function* deployTried(
  document: PipelineCut,
  { accounts, notePending }: AffectedFold,
  pause: Pause,
  replacingMs?: number,
): Steps {
  const account = accounts.of(document.accountId)
  notePending(account)
  yield* account.deploy({ ...document, ...pause }, { version: TRIED_VERSION, replacingMs })
  notePending(account)
}

/** @param document undefined: the pipeline is withdrawn */
function* replace(
  account: AccountState,
  cut: Cut,
  document: PipelineCut | undefined,
  fold: AffectedFold,
): Steps {
  const { entity, version } = cut
  const replacement = { replacingMs: replacingMs(account, fold), output: fold.output }
  fold.notePending(account)
  if (document === undefined) yield* account.withdraw(entity, replacement)
  else yield* account.deploy(document, { version, ...replacement })
  fold.notePending(account)
  if (document === undefined) fold.deleted(account.account, entity)
  fold.forward(account, cut)
  const isPaused = document?.paused ?? false
  const inEffect = { version, document, isPaused, atMs: fold.timeMs() }
  fold.watch()?.takesEffect(account.account, entity, inEffect)
}

/** Events also arrive from other partitions, and each partition applies a cut at its own time. */
function replacingMs({ spread }: AccountState, fold: AffectedFold): number | undefined {
  return spread?.receives ? fold.timeMs() : undefined
}

function behaviourOfPipeline(catalogue: Catalogue, { nodes, paused, drops }: PipelineCut): number {
  return Math.max(
    paused ? SECOND_BEHAVIOUR : FIRST_BEHAVIOUR,
    drops ? THIRTEENTH_BEHAVIOUR : FIRST_BEHAVIOUR,
    ...nodes.map(node => behaviourOfNode(catalogue, node)),
  )
}

function behaviourOfNode(catalogue: Catalogue, { kind, type }: NodeDocument): number {
  const declaration = {
    source: catalogue.runningSourceOf(type),
    transform: catalogue.processorOf(type),
    sink: catalogue.destinationOf(type),
  }[kind]
  return declaration?.since ?? FIRST_BEHAVIOUR
}
