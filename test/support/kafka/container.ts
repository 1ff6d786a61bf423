import { spawnSync } from 'node:child_process'
import { sayAloud } from './needed-or-skipped.ts'

export function dockerAnswers(): boolean {
  return spawnSync('docker', ['info']).status === 0
}

/** A Docker that answers may still be unable to get the image. */
export async function inContainerOr<T>(otherwise: () => Promise<T>, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    sayAloud(`no container (${(error as Error).message}): starting it from its jars`)
    return otherwise()
  }
}
