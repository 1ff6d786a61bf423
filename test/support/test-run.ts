import { statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import type { KafkaCluster } from './kafka/kafka-cluster.ts'
import { ownKafkaAtHand } from './kafka/kafka-support.ts'
import { temporaryFolder } from './kafka/reaper.ts'
import { offerSharedBroker } from './kafka/shared-broker.ts'

const MEMORY_FILES = '/dev/shm'
/** Three files at a time, with brokers and engines, leave far less behind. */
const FOLDERS_TAKE_BYTES = 4 * 2 ** 30
/** Memory for the programs themselves. */
const PROGRAMS_TAKE_BYTES = 4 * 2 ** 30

/**
 * Set-up that the files of one run of Vitest share. Folders of tests are in memory where there is room. A store flushes
 * some thousand files, and a disk would be the slowest part of the run. `TMPDIR` sets another place. One broker serves
 * all tests that do not harm it.
 */
export default async function startTestRun(): Promise<() => Promise<void>> {
  const folder =
    process.env.TMPDIR === undefined && memoryHasRoom()
      ? temporaryFolder('weir-run-', MEMORY_FILES)
      : undefined
  if (folder !== undefined) process.env.TMPDIR = folder.path
  const broker = await offerSharedBroker(startBroker)
  return async () => {
    await broker.stop()
    folder?.remove()
  }
}

async function startBroker(): Promise<KafkaCluster> {
  const kafka = await ownKafkaAtHand()
  if (kafka === undefined) throw new Error('there is no Kafka here, and tests asked for it nevertheless')
  return kafka.start()
}

function memoryHasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FILES)
    return bavail * bsize >= FOLDERS_TAKE_BYTES && freemem() >= FOLDERS_TAKE_BYTES + PROGRAMS_TAKE_BYTES
  } catch {
    return false
  }
}
