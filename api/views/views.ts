import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import { categoryNames } from '../../engine/configuration/kinds/categories.ts'
import { presetAlerts } from '../../engine/configuration/kinds/preset-alerts.ts'
import { channelsOf, presetAlertOf, type View, views } from '../../engine/configuration/kinds/views.ts'
import type { ViewRecord, ViewWrite } from '../../schemas/http/view.ts'
import { channelRecords } from '../alerts/channels.ts'
import type { Caller } from '../auth/caller.ts'
import { categoryIds } from '../categories/category-names.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { type Owned, OwnedEntities } from '../configuration/owned-entities.ts'
import type { Resource } from '../configuration/resource-routes.ts'
import { badRequest } from '../http/errors.ts'

/** Searches that are kept, with their alerts (configuration and account API, section 4). */
export class Views implements Resource<ViewWrite, ViewRecord> {
  readonly #entities: OwnedEntities<View>
  readonly #ports: ConfigurationPorts

  constructor(ports: ConfigurationPorts) {
    this.#entities = new OwnedEntities(views, ports)
    this.#ports = ports
  }

  list(caller: Caller): ViewRecord[] {
    return this.#entities.list(caller).map(view => this.#record(view))
  }

  get(caller: Caller, id: string): ViewRecord {
    return this.#record(this.#entities.get(caller, id))
  }

  /** @throws ApiError 400 when it names what does not exist, as does `replace` */
  async create(caller: Caller, write: ViewWrite): Promise<ViewRecord> {
    const createdAtMs = this.#ports.clock.wallMs()
    const make = (account: string) => ({ account, ...this.#written(account, write), createdAtMs })
    return this.#record(await this.#entities.create(caller, make))
  }

  async replace(caller: Caller, id: string, write: ViewWrite): Promise<ViewRecord> {
    const edit = ({ account, createdAtMs }: View) => ({
      account,
      ...this.#written(account, write),
      createdAtMs,
    })
    return this.#record(await this.#entities.replace(caller, id, edit))
  }

  remove(caller: Caller, id: string): Promise<void> {
    return this.#entities.remove(caller, id)
  }

  #written(account: string, write: ViewWrite): Omit<View, 'account' | 'createdAtMs'> {
    const { configuration, entropy } = this.#ports
    const { name, query = '', hosts = [], apps = [], tags = [], levels = [], category, presetid } = write
    const categories = categoryIds(configuration, account, 'views', category)
    if (presetid !== undefined) assertPresetAlert(configuration, account, presetid)
    const channels = channelRecords(write.channels, entropy)
    return { name, query, hosts, apps, tags, levels, categories, presetAlert: presetid ?? null, channels }
  }

  #record({ id, value }: Owned<View>): ViewRecord {
    const { configuration } = this.#ports
    const presetAlert = presetAlertOf(configuration, value)
    return {
      viewid: id,
      account: value.account,
      name: value.name,
      query: value.query,
      hosts: [...value.hosts],
      apps: [...value.apps],
      tags: [...value.tags],
      levels: [...value.levels],
      category: categoryNames(configuration, value.categories),
      presetids: presetAlert === undefined ? [] : [presetAlert.id],
      channels: [...channelsOf(configuration, value)],
      orgs: [],
    }
  }
}

function assertPresetAlert(configuration: ConfigurationView, account: string, id: string): void {
  if (configuration.get(presetAlerts, id)?.value.account === account) return
  throw badRequest([{ message: '"presetid" must be the id of a preset alert', key: 'presetid' }])
}
