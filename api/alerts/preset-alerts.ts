import { type PresetAlert, presetAlerts } from '../../engine/configuration/kinds/preset-alerts.ts'
import type { PresetAlertRecord, PresetAlertWrite } from '../../schemas/http/account/preset-alert.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import type { Resource } from '../configuration/resource-routes.ts'
import { writtenResource } from '../configuration/written-resource.ts'
import { isoTime } from '../http/iso-time.ts'
import { channelRecords } from './channels.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'clock' | 'entropy'>

/** Channels that views share (configuration and account API, section 6). A view has no alert after its preset alert is removed. */
export function presetAlertResource(ports: Ports): Resource<PresetAlertWrite, PresetAlertRecord> {
  return writtenResource<PresetAlert, PresetAlertWrite, PresetAlertRecord>(presetAlerts, ports, {
    value: (kept, { name, channels }, modifiedAtMs) => ({
      ...kept,
      name,
      channels: channelRecords(channels, ports.entropy),
      modifiedAtMs,
    }),
    record: ({ id, value }) => ({
      presetid: id,
      account: value.account,
      name: value.name,
      channels: [...value.channels],
      _created: isoTime(value.createdAtMs),
      _modified: isoTime(value.modifiedAtMs),
    }),
  })
}
