import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastingPort } from '../../support/free-port.ts'
import { RunningWeir } from '../../support/running-weir.ts'
import type { DeliveryFacts } from './delivery-audit.ts'
import type { DeliveryReceiver } from './delivery-receiver.ts'
import { Receiver } from './receiver.ts'
import { WeirReceiver } from './weir-receiver.ts'

const AUTH = { strategy: 'basic', user: 'weir', password: 'secret' }
const KEY = { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'secret' }
/** So small that a campaign sees new segments, checkpoints and trimming. */
const LOG_MAX_BYTES = '96MB'
/** Time for a body and its answer. */
const ANSWER_WITHIN_MS = 5_000

interface Kind {
  readonly type: string
  readonly knows: DeliveryFacts['knows']
  /** Default: a process that reads requests of the protocol. @param path file or folder for what it takes */
  readonly open?: (path: string) => Promise<DeliveryReceiver>
  options(receiver: Pick<DeliveryReceiver, 'origin' | 'ingestionKey'>): object
}

/** Destinations of the first account. */
const KINDS: readonly Kind[] = [
  {
    type: 'http',
    knows: 'requests',
    options: ({ origin }) => ({
      uri: `${origin}/in`,
      encoding: 'ndjson',
      advanced_options: { timeout_secs: 5, max_bytes: 4_000 },
    }),
  },
  {
    type: 'elasticsearch',
    knows: 'documents',
    options: ({ origin }) => ({ endpoints: [origin], index: 'lines', auth: AUTH }),
  },
  {
    type: 's3',
    knows: 'objects',
    options: ({ origin }) => ({
      ...{ auth: KEY, region: 'eu-1', bucket: 'lines', endpoint: origin },
      ...{ encoding: 'ndjson', batch_timeout_secs: 1 },
    }),
  },
  {
    type: 'log-analysis',
    knows: 'documents',
    open: path => WeirReceiver.open(path),
    options: ({ origin: host, ingestionKey: ingestion_key }) => ({ host, ingestion_key }),
  },
]

/** The other account has one that is always well. */
const OTHER = KINDS[0] as Kind

/** Lines that were sent to one account, and its destinations. */
export interface SendingAccount {
  readonly name: string
  readonly key: string
  readonly acknowledged: string[]
  readonly destinations: readonly Destination[]
}

export interface Destination extends Pick<Kind, 'type' | 'knows'> {
  readonly receiver: DeliveryReceiver
}

/** The real program, and two accounts whose lines it delivers to receivers. */
export class DeliverySite {
  readonly weir: RunningWeir
  readonly first: SendingAccount
  readonly other: SendingAccount
  readonly #folder: string
  #sent = 0

  private constructor(
    weir: RunningWeir,
    folder: string,
    [first, other]: readonly [SendingAccount, SendingAccount],
  ) {
    this.weir = weir
    this.first = first
    this.other = other
    this.#folder = folder
  }

  static async open(): Promise<DeliverySite> {
    const folder = mkdtempSync(join(tmpdir(), 'weir-deliveries-'))
    const settings = {
      WEIR_PORT: String(await lastingPort()),
      WEIR_LOG_MAX_BYTES: LOG_MAX_BYTES,
      // The two accounts share each worker.
      WEIR_PARTITIONS: '1',
    }
    const weir = await RunningWeir.start(settings, join(folder, 'data'))
    const { accountId, ingestionKey } = weir.credentials
    const call = enterpriseCalls(weir)
    const child = { company: 'other', owneremail: 'other@example.com' }
    const other = await call<{ account: string; ingestion_key: string }>('/v3/enterprise/account', child)
    const accounts = [
      { name: 'first', account: accountId, key: ingestionKey, kinds: KINDS },
      { name: 'other', account: other.account, key: other.ingestion_key, kinds: [OTHER] },
    ].map(async ({ name, account, key, kinds }): Promise<SendingAccount> => {
      const destinations = await Promise.all(
        kinds.map(async ({ type, knows, open = file => Receiver.open(`${file}.jsonl`) }) => {
          return { type, knows, receiver: await open(join(folder, `${name}-${type}`)) }
        }),
      )
      const create = async (path: string, body: object) =>
        (await call<{ id: string }>(path, body, account)).id
      const pipeline = await create('/v3/pipeline', { title: 'deliveries' })
      const source = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
      for (const [index, { options, type }] of kinds.entries()) {
        const user_config = options((destinations[index] as Destination).receiver)
        await create(`/v3/pipeline/${pipeline}/sink`, { type, inputs: [source], user_config })
      }
      await call(`/v3/pipeline/${pipeline}/publish`, {}, account)
      return { name, key, acknowledged: [], destinations }
    })
    return new DeliverySite(weir, folder, [
      await (accounts[0] as Promise<SendingAccount>),
      await (accounts[1] as Promise<SendingAccount>),
    ])
  }

  /** Sends lines in one body. A killed program acknowledges none of them. @returns whether they were acknowledged */
  async send({ name, key, acknowledged }: SendingAccount, lines: number): Promise<boolean> {
    const texts = Array.from(
      { length: lines },
      () => `${name} ${this.#sent++} ${'.'.repeat(this.#sent % 90)}`,
    )
    try {
      const response = await fetch(`${this.weir.credentials.ingestUrl}/logs/ingest?hostname=h`, {
        method: 'POST',
        headers: { apikey: key, 'content-type': 'application/json' },
        body: JSON.stringify({ lines: texts.map(line => ({ line })) }),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      await response.arrayBuffer()
      if (response.status !== 200) return false
    } catch {
      return false
    }
    acknowledged.push(...texts)
    return true
  }

  async close(): Promise<void> {
    await this.weir.end('SIGKILL')
    for (const { destinations } of [this.first, this.other])
      for (const { receiver } of destinations) await receiver.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Calls of the API as the enterprise, for one of its accounts or itself. */
function enterpriseCalls(weir: RunningWeir) {
  return async <Data>(path: string, body: object, account?: string): Promise<Data> => {
    const { apiUrl, enterpriseAccessToken } = weir.credentials
    const response = await fetch(`${apiUrl}${path}`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Token ${enterpriseAccessToken}`, 'content-type': 'application/json' },
        ...(account !== undefined && { 'x-delegate-account-id': account }),
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
    return ((await response.json()) as { data: Data }).data
  }
}
