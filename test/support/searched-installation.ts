import { create } from '../../engine/configuration/configuration-log.ts'
import { accessGroups, memberKey, members } from '../../engine/configuration/kinds/members.ts'
import { RECEIVED_MS } from './sent-lines.ts'
import { openStoredLines, type StoredLines } from './stored-lines.ts'
import { type TestInstallation, testInstallation } from './test-installation.ts'

/** The HTTP interface over the real store, for tests that read the lines which they store. */
export interface SearchedInstallation {
  readonly weir: TestInstallation
  readonly lines: StoredLines
  /** Id of the first account. */
  readonly account: string
  /**
   * A new member of the first account, in a group for each of these scopes.
   *
   * @returns headers of a request that the member makes
   */
  memberLimitedTo(...accessScopes: readonly string[]): Promise<{ readonly authorization: string }>
  close(): Promise<void>
}

/** @param wallMs of its clock, UNIX ms */
export async function openSearchedInstallation(wallMs = RECEIVED_MS): Promise<SearchedInstallation> {
  const lines = await openStoredLines()
  const weir = await testInstallation({ store: lines.store })
  weir.clock.setWall(wallMs)
  const account = weir.credentials.accountId
  return {
    weir,
    lines,
    account,
    memberLimitedTo: async (...accessScopes) => {
      const [subjectId, ...groups] = [weir.entropy.uuid(), ...accessScopes.map(() => weir.entropy.uuid())]
      const email = `${subjectId}@example.org`
      const made = { account, createdAtMs: 0 }
      await weir.write(
        ...accessScopes.map((scope, index) =>
          create(accessGroups, groups[index] as string, { ...made, name: scope, accessScopes: scope }),
        ),
        create(members, memberKey(account, email), { ...made, email, role: 'member', groups, subjectId }),
      )
      return { authorization: `Token ${await weir.token({ kind: 'user', subjectId, email })}` }
    },
    close: async () => {
      await weir.app.close()
      await lines.close()
    },
  }
}
