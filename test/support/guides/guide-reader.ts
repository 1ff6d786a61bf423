import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../../../schemas/json.ts'
import { eventually } from '../exported-lines.ts'
import type { RunningWeir } from '../running-weir.ts'
import { GuideShell } from './guide-shell.ts'

const PROGRAM = fileURLToPath(new URL('../../../deploy/bin/weir.mjs', import.meta.url))

/** Settings of a program whose accounts can have service keys, which groups need. */
export const SETTINGS = { WEIR_PARTITIONS: '1', WEIR_ALLOW_SERVICE_KEY_CREATION: 'on' }

/** A reader of a guide: an empty folder, an account of their own, and a shell with the variables that the guides expect. */
export class GuideReader {
  readonly folder: string
  readonly shell: GuideShell
  readonly #weir: RunningWeir

  private constructor(weir: RunningWeir, folder: string, env: Readonly<Record<string, string>>) {
    this.#weir = weir
    this.folder = folder
    this.shell = new GuideShell(folder, env)
  }

  /** @param folder a folder that does not exist yet */
  static async arrive(weir: RunningWeir, folder: string): Promise<GuideReader> {
    const programs = join(folder, '.bin')
    await mkdir(programs, { recursive: true })
    await writeFile(join(programs, 'weir'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
    await chmod(join(programs, 'weir'), 0o755)
    const env = {
      ...weir.environment,
      HOME: folder,
      // A reader's contexts must not mix with those of the person who runs the test.
      XDG_CONFIG_HOME: join(folder, '.config'),
      PATH: `${programs}${delimiter}${process.env.PATH}`,
      WEIR_URL: weir.credentials.apiUrl,
      ...(await newAccount(weir)),
    }
    return new GuideReader(weir, folder, env)
  }

  /** Waits until everything that was accepted is stored. */
  async stored(): Promise<void> {
    const sinceMs = Date.now()
    await eventually(
      () => this.#weir.get<SystemStatus>('/v3/system/status'),
      ({ data: { read_at, partitions } }) =>
        Date.parse(read_at) >= sinceMs &&
        partitions.every(partition => partition.lag_records + partition.unstored_records === 0),
    )
  }
}

interface SystemStatus {
  readonly data: {
    readonly read_at: string
    readonly partitions: readonly { readonly lag_records: number; readonly unstored_records: number }[]
  }
}

/** @returns credentials of a new account, as variables of the command line */
async function newAccount({ credentials }: RunningWeir): Promise<Record<string, string>> {
  const { apiUrl, enterpriseAccessToken } = credentials
  const headers = { authorization: `Token ${enterpriseAccessToken}`, 'content-type': 'application/json' }
  async function created<T>(path: string, body: JsonObject, delegation = {}): Promise<T> {
    const init = { method: 'POST', headers: { ...headers, ...delegation }, body: JSON.stringify(body) }
    const response = await fetch(`${apiUrl}${path}`, init)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  const { data } = await created<{ data: { account_id: string; ingestion_key: string } }>(
    '/v3/enterprise/account',
    { company: 'Reader', owneremail: 'owner@example.org' },
  )
  const delegation = { 'x-delegate-account-id': data.account_id }
  const reader = { name: 'reader', kind: 'service', scope: 'admin' }
  const { token } = await created<{ token: string }>('/v1/config/tokens', reader, delegation)
  const { key } = await created<{ key: string }>(
    '/v1/config/keys?type=service',
    { name: 'reader' },
    delegation,
  )
  return { WEIR_ACCESS_TOKEN: token, WEIR_INGESTION_KEY: data.ingestion_key, WEIR_SERVICE_KEY: key }
}
