import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { type Checkpoint, checkpointType } from '../../../schemas/log/checkpoint.ts'
import { NewerSchemaError } from '../../../schemas/log/wire-format.ts'
import { FoldError } from '../fold-error.ts'
import type { PartitionName } from '../run-watch.ts'

/**
 * Reads a checkpoint, even one whose behaviour this program does not know.
 *
 * @throws FoldError when its form is of a newer program; WireFormatError when it is damaged
 */
export function decodedCheckpoint(bytes: Buffer, partition: PartitionName): Checkpoint {
  try {
    return checkpointType.decode(bytes)
  } catch (cause) {
    throw cause instanceof NewerSchemaError ? ofNewerProgram(partition, { cause }) : cause
  }
}

/**
 * Reads a checkpoint from which this program can continue.
 *
 * @throws FoldError when a newer program wrote it; WireFormatError when it is damaged
 */
export function knownCheckpoint(bytes: Buffer, partition: PartitionName): Checkpoint {
  const checkpoint = decodedCheckpoint(bytes, partition)
  if (checkpoint.behaviour > BEHAVIOUR) throw ofNewerProgram(partition)
  return checkpoint
}

function ofNewerProgram({ topic, partition }: PartitionName, options?: ErrorOptions): FoldError {
  return new FoldError(
    `the checkpoint of ${topic}/${partition} was written by a newer program: start that one`,
    options,
  )
}
