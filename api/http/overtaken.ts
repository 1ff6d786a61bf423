import { ConfigurationRejected } from '../../engine/configuration/rejection.ts'

/** Number of attempts of a write when other processes change the same entities. */
const MAX_ATTEMPTS = 20

/** Repeats a write on the newest state when another writer was faster. */
export async function untilNotOvertaken<Written>(write: () => Promise<Written>): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (!isOvertaken(error) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

function isOvertaken(error: unknown): boolean {
  return error instanceof ConfigurationRejected && error.code === 'CHANGED_MEANWHILE'
}
