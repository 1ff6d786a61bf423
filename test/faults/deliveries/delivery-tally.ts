import { type Column, tableLines } from '../../../deploy/cli/table.ts'
import type { AuditedCampaign } from '../audited-campaign.ts'
import {
  auditDelivery,
  DELIVERY_FINDINGS,
  type DeliveryFinding,
  type DeliveryFindings,
} from './delivery-audit.ts'
import type { Destination, SendingAccount } from './delivery-site.ts'

interface Row {
  readonly destination: string
  readonly lines: number
  /** Bodies that were taken more than once. */
  readonly repeats: number
  readonly amounts: Readonly<Record<DeliveryFinding, number>>
}

/** The table of a campaign on deliveries: a row for each destination. */
export class DeliveryTally implements AuditedCampaign {
  readonly findings: { readonly kind: string; readonly host: string; readonly sentence: string }[] = []
  readonly #rows: Row[] = []
  kills = 0

  /** @param delayed lines that waited for receivers of another account */
  async judge(
    { name, acknowledged }: SendingAccount,
    { type, knows, receiver }: Destination,
    delayed: readonly string[],
  ): Promise<void> {
    const taken = await receiver.taken()
    const found: DeliveryFindings = { ...auditDelivery({ acknowledged, taken, knows }), delayed }
    const host = `${name} account, ${type}`
    const keys = taken.map(({ key }) => key).filter(key => key !== '')
    const amountOf = (kind: DeliveryFinding) => found[kind]?.length ?? 0
    this.#rows.push({
      ...{ destination: host, lines: acknowledged.length, repeats: keys.length - new Set(keys).size },
      amounts: Object.fromEntries(DELIVERY_FINDINGS.map(kind => [kind, amountOf(kind)])) as Row['amounts'],
    })
    for (const kind of DELIVERY_FINDINGS) {
      const [first] = found[kind] ?? []
      if (first !== undefined)
        this.findings.push({ kind, host, sentence: `${amountOf(kind)} lines, the first of them "${first}"` })
    }
  }

  lines(): string[] {
    return [...tableLines(COLUMNS, this.#rows, false), `${this.kills} kills`]
  }
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'destination', text: ({ destination }) => destination },
  { title: 'lines', align: 'right', text: ({ lines }) => String(lines) },
  { title: 'repeats', align: 'right', text: ({ repeats }) => String(repeats) },
  ...DELIVERY_FINDINGS.map(
    (kind): Column<Row> => ({
      title: kind,
      align: 'right',
      text: ({ amounts }) => String(amounts[kind]),
    }),
  ),
]
