import { type PresetAlert, presetAlerts } from '../../engine/configuration/kinds/preset-alerts.ts'
import type { PresetAlertRecord, PresetAlertWrite } from '../../schemas/http/preset-alert.ts'
import type { Caller } from '../auth/caller.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { type Owned, OwnedEntities } from '../configuration/owned-entities.ts'
import type { Resource } from '../configuration/resource-routes.ts'
import { channelRecords } from './channels.ts'

/** Channels that views share (configuration and account API, section 6). */
export class PresetAlerts implements Resource<PresetAlertWrite, PresetAlertRecord> {
  readonly #entities: OwnedEntities<PresetAlert>
  readonly #ports: ConfigurationPorts

  constructor(ports: ConfigurationPorts) {
    this.#entities = new OwnedEntities(presetAlerts, ports)
    this.#ports = ports
  }

  list(caller: Caller): PresetAlertRecord[] {
    return this.#entities.list(caller).map(presetAlertRecord)
  }

  get(caller: Caller, id: string): PresetAlertRecord {
    return presetAlertRecord(this.#entities.get(caller, id))
  }

  async create(caller: Caller, write: PresetAlertWrite): Promise<PresetAlertRecord> {
    const nowMs = this.#ports.clock.wallMs()
    const created = await this.#entities.create(caller, account => ({
      account,
      ...this.#written(write),
      createdAtMs: nowMs,
      modifiedAtMs: nowMs,
    }))
    return presetAlertRecord(created)
  }

  async replace(caller: Caller, id: string, write: PresetAlertWrite): Promise<PresetAlertRecord> {
    const modifiedAtMs = this.#ports.clock.wallMs()
    const replaced = await this.#entities.replace(caller, id, ({ account, createdAtMs }) => ({
      account,
      ...this.#written(write),
      createdAtMs,
      modifiedAtMs,
    }))
    return presetAlertRecord(replaced)
  }

  /** Views that use it have no alert any more. */
  remove(caller: Caller, id: string): Promise<void> {
    return this.#entities.remove(caller, id)
  }

  #written({ name, channels }: PresetAlertWrite): Pick<PresetAlert, 'name' | 'channels'> {
    return { name, channels: channelRecords(channels, this.#ports.entropy) }
  }
}

function presetAlertRecord({ id, value }: Owned<PresetAlert>): PresetAlertRecord {
  return {
    presetid: id,
    account: value.account,
    name: value.name,
    channels: [...value.channels],
    _created: new Date(value.createdAtMs).toISOString(),
    _modified: new Date(value.modifiedAtMs).toISOString(),
  }
}
