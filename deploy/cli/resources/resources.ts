import type { Command } from 'commander'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { ExitCode } from '../command-error.ts'
import type { World } from '../world.ts'
import type { MemberOption, Resource } from './resource.ts'
import { resourceCommand } from './resource-command.ts'

export const words = (text: string): JsonValue => text.split(',').filter(word => word !== '')
export const text = (member: string) => (row: JsonObject) => textOf(row[member])

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === '') return '-'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(String).join(', ')
  return String(value)
}

function dayOf(value: JsonValue | undefined): string {
  return typeof value === 'number' || typeof value === 'string' ? new Date(value).toISOString() : '-'
}

const QUERY_FILTERS: readonly MemberOption[] = ['hosts', 'apps', 'levels', 'tags'].map(member => ({
  flags: `--${member} <list>`,
  about: `names of ${member}, separated by commas`,
  member,
  read: words,
}))

export const MEMBER: Resource = {
  noun: 'member',
  summary: 'list, add, change and remove members of the account',
  path: '/v1/config/members',
  id: 'email',
  title: 'email',
  listing: {
    columns: [
      { title: 'EMAIL', text: text('email') },
      { title: 'ROLE', text: text('role') },
      { title: 'GROUPS', text: text('groups') },
    ],
    rawFields: ['email'],
    none: 'There are no members.',
  },
  options: [
    { flags: '--role <role>', about: 'role', member: 'role', choices: ['admin', 'member', 'readonly'] },
    { flags: '--groups <ids>', about: 'ids of groups, separated by commas', member: 'groups', read: words },
  ],
  change: 'PUT',
  examples: [
    'weir member list',
    'weir member create ann@example.org --role member',
    'weir member update ann@example.org --role readonly',
    'weir member delete ann@example.org --yes',
  ],
}

export const GROUP: Resource = {
  noun: 'group',
  summary: 'list, create, change and delete groups of members',
  path: '/v1/config/groups',
  id: 'id',
  title: 'name',
  listing: {
    columns: [
      { title: 'ID', text: text('id') },
      { title: 'NAME', text: text('name') },
      { title: 'LINES', text: text('accessScopes') },
    ],
    rawFields: ['id'],
    none: 'There are no groups.',
  },
  options: [
    {
      flags: '--query <query>',
      about: 'search query for the lines that its members see',
      member: 'accessScopes',
    },
  ],
  change: 'PATCH',
  needsServiceKey: true,
  examples: [
    "weir group create web --query 'app:nginx'",
    'weir group update web --query app:web',
    'weir group list',
  ],
}

export const KEY: Resource = {
  noun: 'key',
  summary: 'list, create, rename and delete ingestion and service keys',
  path: '/v1/config/keys',
  id: 'id',
  title: 'name',
  listing: {
    columns: [
      { title: 'ID', text: text('id') },
      { title: 'NAME', text: text('name') },
      { title: 'TYPE', text: text('type') },
      { title: 'CREATED', text: ({ created }) => dayOf(created) },
    ],
    rawFields: ['id'],
    none: 'There are no keys.',
  },
  options: [
    {
      flags: '--type <type>',
      about: 'ingestion, or service where the operator allows it',
      member: 'type',
      choices: ['ingestion', 'service'],
    },
  ],
  createQuery: ['type'],
  change: 'PUT',
  secret: 'key',
  hidden: ['key'],
  examples: [
    'weir key create shipper --type ingestion',
    'weir key list',
    'weir key get shipper --fields key -o raw',
    'weir key delete shipper --yes',
  ],
}

const VIEW_MEMBERS = ['name', 'query', 'hosts', 'apps', 'levels', 'tags', 'category'] as const

export const VIEW: Resource = {
  noun: 'view',
  summary: 'list, create, change and delete views',
  path: '/v1/config/view',
  id: 'viewid',
  title: 'name',
  listing: {
    columns: [
      { title: 'ID', text: text('viewid') },
      { title: 'NAME', text: text('name') },
      { title: 'QUERY', text: text('query') },
      { title: 'CATEGORY', text: text('category') },
      ...['HOSTS', 'APPS', 'LEVELS', 'TAGS'].map(title => ({
        title,
        text: text(title.toLowerCase()),
        wide: true as const,
      })),
    ],
    rawFields: ['viewid'],
    none: 'There are no views.',
  },
  options: [
    { flags: '--query <query>', about: 'search query', member: 'query' },
    ...QUERY_FILTERS,
    { flags: '--category <list>', about: 'names of categories', member: 'category', read: words },
  ],
  change: 'PUT',
  replaced: replacedView,
  examples: [
    "weir view create errors --query 'level:error' --apps nginx,api",
    'weir view update errors --query level:fatal',
    'weir view get errors > errors.yaml',
  ],
}

/** The service replaces a view as a whole. Channels of a preset alert belong to it, and are not sent. */
function replacedView(present: JsonObject): JsonObject {
  const kept = VIEW_MEMBERS.map(member => [member, present[member]] as const)
  const filled = kept.filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0))
  const [presetid] = Array.isArray(present.presetids) ? present.presetids : []
  const channels = presetid === undefined ? { channels: present.channels ?? [] } : { presetid }
  return { ...(Object.fromEntries(filled) as JsonObject), ...channels }
}

export const TOKEN: Resource = {
  noun: 'token',
  summary: 'create, list, rotate and revoke access tokens',
  path: '/v1/config/tokens',
  id: 'id',
  title: 'name',
  listing: { columns: [{ title: 'ID', text: text('id') }], rawFields: ['id'], none: 'There are no tokens.' },
  options: [
    {
      flags: '--scope <scope>',
      about: 'narrower scope',
      member: 'scope',
      choices: ['owner', 'admin', 'member', 'readonly', 'ingest'],
    },
    { flags: '--expires <when>', about: 'expiry: 90d, 2026-12-31; never', member: 'expires', read: expires },
  ],
  change: 'PATCH',
  examples: [],
}

function expires(given: string): JsonValue {
  return given === 'never' ? null : given
}

export const ACCOUNT: Resource = {
  noun: 'account',
  summary: 'list, create and change accounts of the enterprise',
  path: '/v3/enterprise/account',
  id: 'account',
  title: 'company',
  listing: {
    columns: [
      { title: 'ACCOUNT', text: text('account') },
      { title: 'COMPANY', text: text('company') },
      { title: 'OWNER', text: text('owneremail') },
      { title: 'STATUS', text: text('status') },
      { title: 'DAYS', align: 'right', text: text('retention') },
      { title: 'PLAN', text: ({ plan }) => textOf(isJsonObject(plan) ? plan.type : undefined), wide: true },
      { title: 'CREATED', text: text('created'), wide: true },
    ],
    rawFields: ['account'],
    none: 'There are no accounts.',
  },
  options: [
    { flags: '--owner <email>', about: 'e-mail address of the owner', member: 'owneremail' },
    { flags: '--retention <days>', about: 'retention of lines in days', member: 'retention', read: Number },
    { flags: '--plan <type>', about: 'plan', member: 'plan.type' },
  ],
  change: 'PUT',
  inEnvelope: true,
  deletes: false,
  examples: [
    'WEIR_ACCESS_TOKEN=ste_… weir account list',
    'weir account create "Example Ltd" --owner ann@example.org --use enterprise',
    'weir account update a1b2c3d4e5 --retention 30',
    'weir account suspend a1b2c3d4e5',
  ],
}

type Finish = (code: ExitCode) => void

export const memberCommand = (world: World, finish: Finish): Command => resourceCommand(MEMBER, world, finish)
export const groupCommand = (world: World, finish: Finish): Command => resourceCommand(GROUP, world, finish)
export const keyCommand = (world: World, finish: Finish): Command => resourceCommand(KEY, world, finish)
export const viewCommand = (world: World, finish: Finish): Command => resourceCommand(VIEW, world, finish)
