import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import { categoryNames } from '../../engine/configuration/kinds/categories.ts'
import { presetAlerts } from '../../engine/configuration/kinds/preset-alerts.ts'
import { channelsOf, presetAlertOf, type View, views } from '../../engine/configuration/kinds/views.ts'
import type { ViewRecord, ViewWrite } from '../../schemas/http/account/view.ts'
import { channelRecords } from '../alerts/channels.ts'
import { categoryIds } from '../categories/category-names.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import type { Resource } from '../configuration/resource-routes.ts'
import { writtenResource } from '../configuration/written-resource.ts'
import { badRequest } from '../http/errors.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'clock' | 'entropy'>

/** Saved searches, with their alerts (configuration and account API, section 4). */
export function viewResource(ports: Ports): Resource<ViewWrite, ViewRecord> {
  const { configuration, entropy } = ports
  return writtenResource<View, ViewWrite, ViewRecord>(views, ports, {
    value: (kept, write) => {
      const { name, query = '', hosts = [], apps = [], tags = [], levels = [], category, presetid } = write
      const categories = categoryIds(configuration, kept.account, 'views', category)
      if (presetid !== undefined) assertPresetAlert(configuration, kept.account, presetid)
      const channels = channelRecords(write.channels, entropy)
      const presetAlert = presetid ?? null
      return { ...kept, name, query, hosts, apps, tags, levels, categories, presetAlert, channels }
    },
    record: ({ id, value }) => {
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
    },
  })
}

function assertPresetAlert(configuration: ConfigurationView, account: string, id: string): void {
  if (configuration.get(presetAlerts, id)?.value.account === account) return
  throw badRequest([{ message: '"presetid" must be the id of a preset alert', key: 'presetid' }])
}
