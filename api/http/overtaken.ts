import { ConfigurationRejected } from '../../engine/configuration/rejection.ts'

/** How often a write is tried again when other processes changed the same entities meanwhile. */
const MAX_ATTEMPTS = 20

/** Does again, on the newest state, what lost against another writer. */
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
