import { checkpointPartType } from '../../schemas/log/checkpoint.ts'
import { CHECKPOINT_TOPIC, INGEST_TOPIC } from '../../schemas/log/topics.ts'
import type { StoreCopy } from './simulated-store.ts'
import type { World } from './world.ts'

/** Time after which the messages of ended processes have arrived. */
const LATE_MS = 31_000

/**
 * Every process ends, and the store is replaced by its copy. Then a new process begins. This happens only if the log and
 * its checkpoints reach back to the copy: otherwise the product refuses to continue.
 */
export async function exchangeStore(world: World, copy: StoreCopy): Promise<void> {
  for (const process of world.alive) world.kill(process)
  await world.drain()
  // A statement that arrives late may then be slow, and none outlives the store that it is made to.
  for (const _ of ['on the way', 'under way']) {
    world.scheduler.advance(LATE_MS)
    await world.drain()
  }
  const partitions = Array.from({ length: world.plan.partitions }, (_, partition) => partition)
  const reachesBack = partitions.every(partition => logReaches(world, partition, copy))
  // A checkpoint that is damaged may be the one to begin with.
  if (reachesBack && !world.checkpointIsDamaged) {
    world.store.goBack(copy)
    world.checkpointIsDamaged = true
    world.tell('the store is what it was when it was copied')
  }
  world.startProcess()
}

/** Whether the log begins at its beginning, or with a checkpoint that the copy has everything before. */
function logReaches(world: World, partition: number, copy: StoreCopy): boolean {
  const first = world.keptRecords(INGEST_TOPIC, partition)[0]?.offset ?? 0n
  if (first === 0n)
    return world.broker.archive(INGEST_TOPIC, partition).length === 0 || isKept(world, partition)
  const storedTo = copy.marks.get(`${INGEST_TOPIC}/${partition}`)?.storedTo
  if (storedTo === undefined) return false
  return world
    .keptRecords(CHECKPOINT_TOPIC, partition)
    .map(({ value }) => checkpointPartType.decode(value))
    .filter(({ part }) => 'weir.Manifest' in part)
    .some(({ nextOffset }) => BigInt(nextOffset) >= first && BigInt(nextOffset) <= storedTo)
}

function isKept(world: World, partition: number): boolean {
  return world.keptRecords(INGEST_TOPIC, partition).length > 0
}
