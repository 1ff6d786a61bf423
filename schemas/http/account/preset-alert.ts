import Type from 'typebox'
import { named } from '../../named.ts'
import { ChannelRecord, ChannelWrite } from './channel.ts'

/** A full replacement: omitted members get their defaults. */
export const PresetAlertWrite = named(
  'PresetAlertWrite',
  Type.Object({
    name: Type.String({ minLength: 1 }),
    channels: Type.Optional(Type.Array(ChannelWrite)),
  }),
)
export type PresetAlertWrite = Type.Static<typeof PresetAlertWrite>

export const PresetAlertRecord = named(
  'PresetAlertRecord',
  Type.Object({
    presetid: Type.String(),
    account: Type.String(),
    name: Type.String(),
    channels: Type.Array(ChannelRecord),
    _created: Type.String({ format: 'date-time' }),
    _modified: Type.String({ format: 'date-time' }),
  }),
)
export type PresetAlertRecord = Type.Static<typeof PresetAlertRecord>
