import { linkSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  type BootstrapCredentials,
  type BootstrapValues,
  bootstrap,
} from '../../engine/configuration/bootstrap.ts'
import {
  accessTokens,
  INSTALLATION_KEY,
  installations,
  secretHash,
} from '../../engine/configuration/entities.ts'
import { newKey, newShortId, newToken } from '../../engine/configuration/mint.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { Credentials } from '../data-directory.ts'
import { createFolders, syncFolder, writeAtomically } from '../durable-file.ts'
import { firstSteps, howToReadCredentials } from '../first-steps.ts'
import type { Addresses } from '../servers.ts'
import { type Settings, SettingsError } from '../settings/settings.ts'
import type { ClusterBase } from './cluster-base.ts'

type FoundingPorts = Pick<ClusterBase, 'configuration' | 'clock' | 'entropy' | 'settings'>

/**
 * Founds the account unless another process has. Only the founder ever has its credentials in plain text. On a terminal
 * it prints them. Otherwise it writes them to the data folder before the log accepts them, so that no failure in between
 * can lose them.
 *
 * @throws SettingsError when they cannot be kept
 */
export async function foundAccount(ports: FoundingPorts, addresses: Addresses): Promise<void> {
  const { configuration, settings } = ports
  const given = givenValues(settings)
  if (process.stdout.isTTY) {
    const founded = await bootstrap(configuration, ports, given)
    if (founded.created) console.log(firstSteps({ ...addresses, ...founded.credentials }, 'nowhere'))
    return
  }
  const file = join(resolve(settings.dataDirectory), 'credentials.json')
  if (configuration.get(installations, INSTALLATION_KEY) !== undefined) return endAttempt(file, ports)
  const kept = keptBeforehand(file, given, addresses, ports.entropy)
  const founded = await bootstrap(configuration, ports, { ...given, ...kept })
  if (!founded.created) return endAttempt(file, ports)
  finish(file, { ...addresses, ...founded.credentials })
}

function givenValues(settings: Settings): BootstrapValues {
  return {
    accountId: settings.bootstrapAccountId,
    accessToken: settings.bootstrapAccessToken,
    enterpriseAccessToken: settings.bootstrapEnterpriseAccessToken,
    ingestionKey: settings.bootstrapIngestionKey,
    serviceKey: settings.bootstrapServiceKey,
    retentionDays: settings.retentionDays,
  }
}

/** Credentials of a failed attempt, or new ones; both are then in the file. */
function keptBeforehand(
  file: string,
  given: BootstrapValues,
  addresses: Addresses,
  entropy: Entropy,
): BootstrapCredentials {
  const fresh: Credentials = {
    ...addresses,
    accountId: given.accountId ?? newShortId(entropy),
    accessToken: given.accessToken ?? newToken('sts', entropy),
    enterpriseAccessToken: given.enterpriseAccessToken ?? newToken('ste', entropy),
    ingestionKey: given.ingestionKey ?? newKey(entropy),
    serviceKey: given.serviceKey ?? newKey(entropy),
    isNew: true,
  }
  let kept: Credentials
  try {
    kept = createOnce(file, fresh)
  } catch (cause) {
    throw cannotKeep(`${file} cannot be written (${(cause as Error).message})`)
  }
  if (kept.isNew !== true) throw cannotKeep(`${file} has the credentials of another installation`)
  return kept
}

function cannotKeep(why: string): SettingsError {
  return new SettingsError([
    `the first start on this log creates credentials, standard output is not a terminal, and ${why}: ` +
      'set WEIR_DATA_DIR to a folder of its own, or start once on a terminal',
  ])
}

/** One of several processes that share a folder creates the file, and all use its content. */
function createOnce(file: string, fresh: Credentials): Credentials {
  const folder = dirname(file)
  createFolders(folder)
  const own = `${file}.${process.pid}`
  writeAtomically(own, textOf(fresh))
  try {
    linkSync(own, file)
    syncFolder(folder)
    return fresh
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials
  } finally {
    rmSync(own)
  }
}

/**
 * Handles the remains of an attempt of this process, or of a killed one before it. They are kept if the attempt became
 * the installation, and removed if another process was first.
 */
function endAttempt(file: string, { configuration }: FoundingPorts): void {
  const left = attemptIn(file)
  if (left === undefined) return
  const hash = secretHash(left.accessToken)
  if (configuration.list(accessTokens, left.accountId).some(({ value }) => value.hash === hash))
    finish(file, left)
  else rmSync(file)
}

function attemptIn(file: string): Credentials | undefined {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as Credentials
    return found.isNew === true ? found : undefined
  } catch {
    // The file is missing, or not part of an attempt.
    return undefined
  }
}

/** Writes the final credentials, and reports where they are. */
function finish(file: string, { isNew: _, ...credentials }: Credentials): void {
  writeAtomically(file, textOf(credentials))
  console.log(howToReadCredentials(credentials, dirname(file)))
}

function textOf(credentials: Credentials): string {
  return `${JSON.stringify(credentials, null, 2)}\n`
}
