import type { Cut } from '../../schemas/log/control.ts'
import { type AcceptedLoss, acceptedLosses } from './accepted-losses.ts'
import type { ConfigurationLog } from './configuration-log.ts'
import { create } from './configuration-log.ts'
import { entityCutsOf } from './cuts/registry.ts'
import { accounts, enterprises, exemptions } from './entities.ts'
import { isUnexplained, type LostConfiguration } from './lost-configuration.ts'
import { ConfigurationRejected } from './rejection.ts'

/** Author of an accepted loss in the audit: the operator of the machine, who has no account. */
const AUTHOR = { subjectId: 'operator', account: '' }

/**
 * Accepts that the end of the configuration log is lost. One event records this in the audit and lifts the versions of
 * all later changes above those of the lost ones. The event also replaces each lost change that partitions know by the
 * present value of the configuration. The lost changes then have no further effect.
 *
 * @param cuts newest cut of each entity that partitions know
 * @throws LogError, ConfigurationRejected like `ConfigurationLog.append`
 */
export async function acceptConfigurationLoss(
  configuration: ConfigurationLog,
  lost: LostConfiguration,
  cuts: readonly Cut[],
): Promise<void> {
  const { nextOffset, topic } = configuration
  const loss: AcceptedLoss = {
    topic: topic.name,
    partition: 0,
    from: Number(lost.from),
    to: Number(lost.to),
    witnesses: lost.witnesses,
    // The next record has offset `nextOffset` or above, so its version is above all versions that were given.
    versionShift: Math.max(configuration.highestVersion, lost.version) - Number(nextOffset),
    accounts: configuration.list(accounts).map(account => account.id),
    enterprises: configuration.list(enterprises).map(enterprise => enterprise.id),
  }
  // A late append, after a repetition of the command, counts as the same acceptance.
  const accepted = create(acceptedLosses, String(configuration.losses + 1), loss)
  const repeated = cuts
    .filter(cut => isUnexplained(configuration, cut))
    .flatMap(cut => entityCutsOf(cut)?.changeBeyond(cut, configuration) ?? [])
  try {
    await configuration.appendLoss([accepted, ...repeated], AUTHOR)
  } catch (error) {
    if (!(error instanceof ConfigurationRejected) || error.code !== 'EXEMPTION_LIMIT') throw error
    // The account already has the maximum number of exemptions. Lost exemptions end by themselves.
    const fitting = repeated.filter(
      ({ kind, id: key }) => kind !== exemptions || configuration.get(exemptions, key),
    )
    await configuration.appendLoss([accepted, ...fitting], AUTHOR)
  }
  // The shift alone keeps versions apart, even after a kill between the two writes. Filling also makes each offset name one
  // event.
  await configuration.fillUpTo(lost.to + 1n, AUTHOR)
}
