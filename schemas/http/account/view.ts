import Type from 'typebox'
import type { Keywords } from '../../keywords.ts'
import { named } from '../../named.ts'
import { CategoryNames } from './category.ts'
import { ChannelRecord, ChannelWrite } from './channel.ts'

const Words = Type.Array(Type.String({ minLength: 1 }))
const SEARCH_MEMBERS = ['query', 'hosts', 'apps', 'levels', 'tags']

/** A full replacement: omitted members get their defaults. */
export const ViewWrite = named(
  'ViewWrite',
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 120 }),
      query: Type.Optional(Type.String({ searchQuery: true } satisfies Keywords)),
      hosts: Type.Optional(Words),
      apps: Type.Optional(Words),
      levels: Type.Optional(Words),
      tags: Type.Optional(Words),
      category: Type.Optional(CategoryNames),
      presetid: Type.Optional(Type.String({ minLength: 1, description: 'Id of a preset alert.' })),
      channels: Type.Optional(Type.Array(ChannelWrite)),
    },
    { needsOneOf: SEARCH_MEMBERS, exclusivePeers: ['presetid', 'channels'] } satisfies Keywords,
  ),
)
export type ViewWrite = Type.Static<typeof ViewWrite>

export const ViewRecord = named(
  'ViewRecord',
  Type.Object({
    viewid: Type.String(),
    account: Type.String(),
    name: Type.String(),
    query: Type.String(),
    hosts: Type.Array(Type.String()),
    apps: Type.Array(Type.String()),
    tags: Type.Array(Type.String()),
    levels: Type.Array(Type.String()),
    category: Type.Array(Type.String()),
    presetids: Type.Array(Type.String(), { description: 'Id of the preset alert, if the view has one.' }),
    channels: Type.Array(ChannelRecord, {
      description: 'Channels of the view; with a preset alert, the present channels of that alert.',
    }),
    orgs: Type.Array(Type.String(), { description: 'Always empty.' }),
  }),
)
export type ViewRecord = Type.Static<typeof ViewRecord>
