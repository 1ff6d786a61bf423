import { pino } from 'pino'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { quarantineRecord } from '../../engine/worker/record-quarantine.ts'
import { lossError } from '../configuration-guard.ts'
import type { Installation } from '../installation.ts'
import type { QuarantineTask } from './quarantine-task.ts'

/**
 * Puts a record of an installation into quarantine at one node.
 *
 * @returns whether a revision of a pipeline of the record's account has the node
 * @throws QuarantineError, ConfigurationLostError, LogError, StoreError with a sentence
 */
export async function quarantineInInstallation(
  installation: Pick<
    Installation,
    'ingest' | 'checkpoints' | 'keyed' | 'opening' | 'configuration' | 'end' | 'lostConfiguration' | 'clock'
  >,
  { topic: name, partition, offset, node, by }: QuarantineTask,
): Promise<boolean> {
  const { ingest, checkpoints, keyed, opening, configuration, end, lostConfiguration, clock } = installation
  if (lostConfiguration !== undefined) throw lossError(lostConfiguration, configuration)
  const checkpointed = { ingest: { topic: ingest, checkpoints }, keyed }[name]
  const { store } = opening
  const ports = { ...checkpointed, catalogue: CATALOGUE, store, configuration, clock, logger: silent() }
  const isKnown = await quarantineRecord(ports, { partition, offset, node }, by)
  // The end is marked here too when no server has begun that.
  await end.begin()
  await end.whenMarked()
  return isKnown
}

function silent() {
  return pino({ level: 'silent' })
}
