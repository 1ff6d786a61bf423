import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import type { Dice } from '../support/dice.ts'
import { must } from './broken-promise.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { World } from './world.ts'

/**
 * Every process ends, and the configuration log loses records that are known to have been there. The records of the
 * founding stay. This happens at most once per world.
 */
export function loseConfigurationEnd(world: World, dice: Dice): void {
  const { endMark } = world.store
  const records = world.keptRecords(CONFIG_TOPIC, 0)
  const founded = world.foundedRecords
  const known = Number(endMark?.next ?? 0)
  if (world.configurationIsCut || known <= founded) return
  world.configurationIsCut = true
  for (const process of world.alive) world.kill(process)
  const kept = founded + dice.below(known - founded)
  world.tell(`the configuration log ends before ${kept} instead of ${records.length}; ${known} are known`)
  records.splice(kept)
  world.startProcess()
}

/** Checks a world at rest: the loss was noticed, and the lost changes have no effect. */
export function expectLossAccepted(world: World, { configuration, engine }: SimulatedProcess): void {
  if (!world.configurationIsCut || configuration === undefined) return
  must(
    configuration.losses > 0,
    'a configuration that ends early is noticed',
    () => `it goes on at ${configuration.nextOffset} as if nothing had been there`,
  )
  for (const { account, cut } of deployedConfiguration(CATALOGUE, configuration).cuts()) {
    // Exemptions end by themselves.
    if (cut.kind === 'exemption') continue
    const version = engine?.cutVersion(account, cut.kind, cut.entity)
    must(
      version === cut.version,
      'partitions follow the configuration',
      () => `of ${cut.kind} ${cut.entity} version ${version} holds instead of ${cut.version}`,
    )
  }
}
