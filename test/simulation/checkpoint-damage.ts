import type { LogRecord } from '../../engine/log/log.ts'
import { checkpointPartType } from '../../schemas/log/checkpoint.ts'
import { CHECKPOINT_TOPIC } from '../../schemas/log/topics.ts'
import type { Dice } from '../support/dice.ts'
import type { World } from './world.ts'

/**
 * Damages the last checkpoint of a partition: its record becomes unreadable, or one bit changes. This happens once per
 * world, and only if there is an earlier checkpoint, because the product promises to survive only that.
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

/** The chunk with one changed bit, which only the CRC of the whole reveals. */
function withFallenBit(record: LogRecord, dice: Dice): LogRecord {
  const decoded = checkpointPartType.decode(record.value)
  if (!('weir.Chunk' in decoded.part)) return record
  const data = Buffer.from(decoded.part['weir.Chunk'].data)
  const at = dice.below(data.length)
  data.writeUInt8(data.readUInt8(at) ^ 0x40, at)
  const part = { 'weir.Chunk': { ...decoded.part['weir.Chunk'], data } }
  return { ...record, value: checkpointPartType.encode({ ...decoded, part }, data.length + 512) }
}
