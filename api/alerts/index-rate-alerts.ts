import {
  DEFAULT_INDEX_RATE_ALERT,
  indexRateAlerts,
} from '../../engine/configuration/kinds/index-rate-alert.ts'
import type {
  IndexRateAlertRecord,
  IndexRateAlertWrite,
} from '../../schemas/http/account/index-rate-alert.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { givenMembers } from '../configuration/given-members.ts'
import { templateText } from './channels.ts'

type Ports = Pick<ConfigurationPorts, 'configuration'>

type Webhook = IndexRateAlertRecord['channels']['webhook'][number]
type WebhookWrite = NonNullable<NonNullable<IndexRateAlertWrite['channels']>['webhook']>[number]

/** The alert on the rate at which lines are stored, one for each account (configuration and account API, section 16). */
export class IndexRateAlerts {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  get(caller: Caller): IndexRateAlertRecord {
    const stored = this.#ports.configuration.get(indexRateAlerts, accountOf(caller).shortId)
    if (stored === undefined) return DEFAULT_INDEX_RATE_ALERT
    const { account, ...record } = stored.value
    return record
  }

  async replace(caller: Caller, write: IndexRateAlertWrite): Promise<IndexRateAlertRecord> {
    const account = accountOf(caller).shortId
    const record = recordOf(write)
    // A full replacement; the last write wins.
    const change = { kind: indexRateAlerts, id: account, expectedVersion: -1, value: { account, ...record } }
    await this.#ports.configuration.append([change], { subjectId: caller.subjectId, account })
    return record
  }
}

function recordOf(write: IndexRateAlertWrite): IndexRateAlertRecord {
  const { email = [], pagerduty = [], slack = [], webhook = [] } = write.channels ?? {}
  return {
    ...givenMembers(write, ['max_lines', 'max_z_score']),
    threshold_alert: write.threshold_alert,
    frequency: write.frequency,
    channels: {
      email,
      pagerduty,
      slack,
      webhook: webhook.map((each, index) => webhookOf(each, `channels.webhook[${index}]`)),
    },
    enabled: write.enabled ?? false,
  }
}

function webhookOf({ url, method, headers = {}, bodyTemplate }: WebhookWrite, key: string): Webhook {
  const template =
    bodyTemplate === undefined ? {} : { bodyTemplate: templateText(bodyTemplate, `${key}.bodyTemplate`) }
  return { url, method, headers, ...template }
}
