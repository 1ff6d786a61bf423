import type { LogRecord } from '../../engine/log/log.ts'
import { checkpointPartType } from '../../schemas/log/checkpoint.ts'
import { CHECKPOINT_TOPIC } from '../../schemas/log/topics.ts'
import type { Dice } from '../support/dice.ts'
import type { World } from './world.ts'

/**
 * Damages the last checkpoint of a partition: its record cannot be read any more, or a bit of it fell over. Only one in
 * the life of a world, and only where there was one before it, which is what the product promises to survive.
 */
export function damageLastCheckpoint(world: World, dice: Dice): void {
  const partition = dice.below(world.plan.partitions)
  const records = world.keptRecords(CHECKPOINT_TOPIC, partition)
  const chunks = records.filter(({ value }) => 'weir.Chunk' in checkpointPartType.decode(value).part)
  const last = chunks.at(-1)
  if (world.checkpointIsDamaged || chunks.length < 2 || last === undefined) return
  world.checkpointIsDamaged = true
  if (dice.chance(0.5)) world.broker.damage(CHECKPOINT_TOPIC, partition, last.offset)
  else records[records.indexOf(last)] = withFallenBit(last, dice)
  world.tell(`the last checkpoint of partition ${partition} is damaged`)
}

/** The same chunk with one bit changed, which only the CRC of the whole tells. */
function withFallenBit(record: LogRecord, dice: Dice): LogRecord {
  const decoded = checkpointPartType.decode(record.value)
  if (!('weir.Chunk' in decoded.part)) return record
  const data = Buffer.from(decoded.part['weir.Chunk'].data)
  const at = dice.below(data.length)
  data.writeUInt8(data.readUInt8(at) ^ 0x40, at)
  const part = { 'weir.Chunk': { ...decoded.part['weir.Chunk'], data } }
  return { ...record, value: checkpointPartType.encode({ ...decoded, part }, data.length + 512) }
}
