import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import type { Dice } from '../support/dice.ts'
import { must } from './broken-promise.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { World } from './world.ts'

/** Share of losses before which the store was away: only partitions can know the lost records. */
const UNMARKED_SHARE = 0.5

/**
 * Every process ends, and the configuration log loses records that are known to have been there. The records of the
 * founding stay. This happens at most once per world.
 */
export function loseConfigurationEnd(world: World, dice: Dice): void {
  const { store } = world
  const records = world.keptRecords(CONFIG_TOPIC, 0)
  const founded = world.foundedRecords
  const known = Number(store.endMark?.next ?? 0)
  if (world.configurationIsCut || known <= founded) return
  world.configurationIsCut = true
  for (const process of world.alive) world.kill(process)
  // Other deployments may get the numbers of lost ones.
  world.heldDeployments.clear()
  const earlier = store.endMarks.filter(({ next }) => next >= founded && next < records.length)
  const isUnmarked = earlier.length > 0 && dice.chance(UNMARKED_SHARE)
  if (isUnmarked) store.endMark = dice.pick(earlier)
  const least = isUnmarked ? Number(store.endMark?.next) : founded
  const kept = least + dice.below((isUnmarked ? records.length : known) - least)
  world.lossIsMarked = !isUnmarked
  const marked = isUnmarked ? least : known
  world.tell(`the configuration log ends before ${kept} instead of ${records.length}; ${marked} are marked`)
  records.splice(kept)
  world.startProcess()
}

/** Checks a world at rest: the loss was noticed, and the lost changes have no effect. */
export function expectLossAccepted(world: World, { configuration, engine }: SimulatedProcess): void {
  if (!world.configurationIsCut || configuration === undefined) return
  must(
    configuration.losses > 0 || !world.lossIsMarked,
    'a configuration that ends early is noticed',
    () => `it goes on at ${configuration.nextOffset} as if nothing had been there`,
  )
  must(
    configuration.losses <= 1,
    'a loss is accepted once',
    () => `it was accepted ${configuration.losses} times`,
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
