import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { openClusterBase } from '../../../deploy/cluster/cluster-base.ts'
import type { Credentials } from '../../../deploy/data-directory.ts'
import { readSettings } from '../../../deploy/settings/settings.ts'
import { bootstrap } from '../../../engine/configuration/bootstrap.ts'
import { create } from '../../../engine/configuration/configuration-log.ts'
import { accessTokens, accountKeys, accounts, secretHash } from '../../../engine/configuration/entities.ts'
import { newKey, newShortId, newToken } from '../../../engine/configuration/mint.ts'
import type { Entropy } from '../../../engine/entropy/entropy.ts'
import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import { RunningWeir } from '../../support/running-weir.ts'

const AUTHOR = { subjectId: 'faults', account: '' }

/**
 * Creates an account for each partition before any process runs, directly on the configuration log.
 *
 * @returns clients of the API, one per account, which use the credentials in these folders
 */
export async function foundAccounts(
  environment: Readonly<Record<string, string>>,
  apiUrl: string,
  folder: string,
): Promise<RunningWeir[]> {
  const settings = readSettings(environment)
  const base = await openClusterBase(settings, pino({ level: 'silent' }))
  try {
    const { configuration, clock, entropy } = base
    const ids = Array.from({ length: settings.partitions }, (_, partition) =>
      idOnPartition(partition, settings.partitions, entropy),
    )
    const first = await bootstrap(configuration, { clock, entropy }, { accountId: ids[0] })
    if (!first.created) throw new Error('the topics are not new')
    const { credentials } = first
    const model = configuration.get(accounts, credentials.accountId)?.value
    if (model === undefined) throw new Error('the account is not there')
    const all = ids.map((accountId, place) =>
      place === 0
        ? credentials
        : { ...credentials, accountId, accessToken: newToken('sts', entropy), ingestionKey: newKey(entropy) },
    )
    const createdAtMs = clock.wallMs()
    const changes = all.slice(1).flatMap(({ accountId: account, accessToken, ingestionKey }) => [
      create(accounts, account, { ...model, id: entropy.uuid() }),
      create(accessTokens, entropy.uuid(), {
        kind: 'service',
        hash: secretHash(accessToken),
        name: 'faults',
        account,
        enterprise: null,
        subjectId: entropy.uuid(),
        email: null,
        scope: null,
        expiresAtMs: null,
        revoked: false,
        createdAtMs,
      }),
      create(accountKeys, newShortId(entropy), {
        account,
        type: 'ingestion',
        key: ingestionKey,
        name: 'faults',
        createdAtMs,
      }),
    ])
    await configuration.append(changes, AUTHOR)
    return all.map(each => clientOf({ ...each, apiUrl, ingestUrl: apiUrl }, folder))
  } finally {
    await base.log.close()
  }
}

function idOnPartition(partition: number, partitions: number, entropy: Entropy): string {
  for (;;) {
    const id = newShortId(entropy)
    if (partitionOfAccount(id, partitions) === partition) return id
  }
}

/** A program that is never started. It reaches other processes with the credentials in its folder. */
function clientOf(credentials: Credentials, folder: string): RunningWeir {
  const directory = join(folder, `account-${credentials.accountId}`)
  mkdirSync(directory)
  writeFileSync(join(directory, 'credentials.json'), JSON.stringify(credentials))
  return RunningWeir.prepare({}, directory)
}
