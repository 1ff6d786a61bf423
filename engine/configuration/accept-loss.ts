import type { Cut } from '../../schemas/log/control.ts'
import type {
  DeadLetterCut,
  ExemptionCut,
  LineRulesCut,
  PipelineCut,
  QuotaCut,
} from '../../schemas/log/cuts.ts'
import { parseJson } from '../json/json-text.ts'
import { type AcceptedLoss, acceptedLosses } from './accepted-losses.ts'
import type { Change, ConfigurationLog } from './configuration-log.ts'
import { create } from './configuration-log.ts'
import { accounts, deadLetterSettings, deployments, enterprises, exemptions, spreads } from './entities.ts'
import type { AnyKind, ConfigurationView, Kind } from './kind.ts'
import { DEFAULT_DEAD_LETTER_SETTINGS } from './kinds/dead-letter-settings.ts'
import { lineRules, noLineRules } from './kinds/line-rules.ts'
import { quotaStates } from './kinds/quotas.ts'
import { isUnexplained, type LostTail } from './lost-tail.ts'
import { ConfigurationRejected } from './rejection.ts'

/** Who accepts a loss, for the audit: the operator of the machine has no account. */
const AUTHOR = { subjectId: 'operator', account: '' }

/**
 * Goes on without what the configuration log has lost. One event says so: it is in the audit, versions of all later
 * changes are higher than any that was lost, and partitions that know more than the configuration are told again what
 * the configuration says, so that nothing of a lost change goes on having effect.
 *
 * @param cuts newest cut of each entity that partitions know
 * @throws LogError, ConfigurationRejected as `ConfigurationLog.append`
 */
export async function acceptConfigurationLoss(
  configuration: ConfigurationLog,
  lost: LostTail,
  cuts: readonly Cut[],
): Promise<void> {
  const { nextOffset, topic } = configuration
  const loss: AcceptedLoss = {
    topic: topic.name,
    partition: 0,
    from: Number(lost.from),
    to: Number(lost.to),
    witnesses: lost.witnesses,
    // The next record lies at `nextOffset` or beyond, and its version is beyond all that was given.
    versionShift: Math.max(configuration.highestVersion, lost.version) - Number(nextOffset),
    accounts: configuration.list(accounts).map(account => account.id),
    enterprises: configuration.list(enterprises).map(enterprise => enterprise.id),
  }
  // An append that turns up late, when the act has been repeated, is the same act.
  const accepted = create(acceptedLosses, String(configuration.losses + 1), loss)
  const toldAgain = cuts
    .filter(cut => isUnexplained(configuration, cut))
    .flatMap(cut => changeOf(configuration, cut) ?? [])
  try {
    await configuration.appendLoss([accepted, ...toldAgain], AUTHOR)
  } catch (error) {
    if (!(error instanceof ConfigurationRejected) || error.code !== 'EXEMPTION_LIMIT') throw error
    // An account that has all the exemptions that it may: those that were lost end by themselves.
    const fitting = toldAgain.filter(
      ({ kind, id: key }) => kind !== exemptions || configuration.get(exemptions, key),
    )
    await configuration.appendLoss([accepted, ...fitting], AUTHOR)
  }
  // The shift alone keeps versions apart, also after a kill between the two; with this an offset means one event, too.
  await configuration.fillUpTo(lost.to + 1n, AUTHOR)
}

/** What brings an entity to a version beyond that of a cut, with what the configuration says of it. */
function changeOf(view: ConfigurationView, { kind, entity, version, payload }: Cut): Change | undefined {
  switch (kind) {
    case 'pipeline': {
      const known = view.get(deployments, entity)?.value
      if (known !== undefined) return put(deployments, entity, { ...known, number: version + 1 })
      if (payload === '') return undefined
      const { accountId: account } = parseJson(payload) as unknown as PipelineCut
      return put(deployments, entity, { account, number: version + 1, revisionId: null })
    }
    case 'spread': {
      const known = view.get(spreads, entity)?.value ?? { account: entity, enabled: false, spans: [] }
      return put(spreads, entity, { ...known, change: version + 1 })
    }
    case 'account':
      return again(view, accounts, entity)
    case 'dead-letter': {
      const { accountId: account } = JSON.parse(payload) as DeadLetterCut
      return again(view, deadLetterSettings, entity, { account, ...DEFAULT_DEAD_LETTER_SETTINGS })
    }
    case 'exemption': {
      const { accountId: account, pipeline, node, key, forgetMs } = JSON.parse(payload) as ExemptionCut
      const ended = { account, pipeline, node, key, untilMs: 0, lastMs: forgetMs, reason: '', createdAtMs: 0 }
      return again(view, exemptions, entity, ended)
    }
    case 'line-rules':
      return again(view, lineRules, entity, noLineRules((JSON.parse(payload) as LineRulesCut).accountId))
    case 'quota':
      return again(view, quotaStates, entity, {
        account: (JSON.parse(payload) as QuotaCut).accountId,
        inForce: [],
      })
    case 'slice':
    case 'loss':
      return undefined
  }
}

/** @param absent its value where the configuration does not know it */
function again<Value>(
  view: ConfigurationView,
  kind: Kind<Value>,
  id: string,
  absent?: Value,
): Change | undefined {
  const value = view.get(kind, id)?.value ?? absent
  return value === undefined ? undefined : put(kind, id, value)
}

function put<Value>(kind: Kind<Value>, id: string, value: Value): Change {
  return { kind: kind as AnyKind, id, expectedVersion: -1, value }
}
