import { Command } from 'commander'
import type { JsonObject } from '../../../schemas/json.ts'
import type { ExitCode } from '../command-error.ts'
import type { ListedColumn } from '../output/output.ts'
import type { World } from '../world.ts'
import type { MemberOption, Resource } from './resource.ts'
import { resourceCommand } from './resource-command.ts'
import { text, words } from './resources.ts'

const HELP = `
Only active rules apply; a new rule is inactive unless --active yes is given. A rule needs at least one
condition: hosts, applications, levels or a query.

Examples:
  weir rule exclusion create noise --apps nginx --query healthcheck --active yes
  weir rule exclusion list
  weir rule exclusion update noise --active no
  weir rule retention create audit --app audit --days 365 --priority 1 --active yes
  weir rule retention delete audit --yes`

const isYes = (given: string) => given === 'yes'
const YES_OR_NO = ['yes', 'no']

const ACTIVE: MemberOption = {
  flags: '--active <yes|no>',
  about: 'whether the rule applies',
  member: 'active',
  choices: YES_OR_NO,
  read: isYes,
}
const QUERY: MemberOption = {
  flags: '--query <query>',
  about: 'search query that lines must match',
  member: 'query',
}
const NAMES: readonly MemberOption[] = ['hosts', 'apps'].map(member => ({
  flags: `--${member} <list>`,
  about: `names of ${member}, separated by commas, of which one must match`,
  member,
  read: words,
}))
const STATE: ListedColumn<JsonObject> = {
  title: 'STATE',
  text: ({ active }) => (active === true ? 'active' : 'inactive'),
}

const EXCLUSION: Resource = {
  noun: 'exclusion',
  above: 'rule',
  called: 'exclusion rule',
  summary: 'list, create, change and delete rules by which lines are not stored',
  path: '/v1/config/ingestion/exclusions',
  id: 'id',
  title: 'title',
  listing: {
    columns: [
      { title: 'ID', text: text('id') },
      { title: 'TITLE', text: text('title') },
      STATE,
      { title: 'APPS', text: text('apps') },
      { title: 'HOSTS', text: text('hosts') },
      { title: 'QUERY', text: text('query') },
      {
        title: 'TAILS AND ALERTS',
        text: ({ indexonly }) => (indexonly === true ? 'see the lines' : 'do not see them'),
        wide: true,
      },
    ],
    rawFields: ['id'],
    none: 'There are no exclusion rules.',
  },
  options: [
    ...NAMES,
    QUERY,
    ACTIVE,
    {
      flags: '--index-only <yes|no>',
      about: 'whether tails and alerts still see the lines; default: yes',
      member: 'indexonly',
      choices: YES_OR_NO,
      read: isYes,
    },
  ],
  change: 'PATCH',
  examples: [
    'weir rule exclusion create noise --apps nginx --query healthcheck --active yes',
    'weir rule exclusion update noise --active no',
  ],
}

const STREAM_EXCLUSION: Resource = {
  ...EXCLUSION,
  noun: 'stream-exclusion',
  called: 'stream exclusion rule',
  summary: 'list, create, change and delete rules by which lines are not streamed to Kafka',
  path: '/v1/config/stream/exclusions',
  listing: {
    ...EXCLUSION.listing,
    columns: EXCLUSION.listing.columns.filter(({ wide }) => !wide),
    none: 'There are no stream exclusion rules.',
  },
  options: [...NAMES, QUERY, ACTIVE],
  examples: ['weir rule stream-exclusion create debug --query level:debug --active yes'],
}

const RETENTION: Resource = {
  noun: 'retention',
  above: 'rule',
  called: 'retention rule',
  summary: 'list, create, change and delete rules by which lines are kept longer or shorter',
  path: '/v1/config/retention-rules',
  id: 'id',
  title: 'name',
  listing: {
    columns: [
      { title: 'ID', text: text('id') },
      { title: 'NAME', text: text('name') },
      STATE,
      { title: 'PRIORITY', align: 'right', text: text('priority') },
      { title: 'DAYS', align: 'right', text: text('days') },
      ...['HOST', 'APP', 'LEVEL', 'QUERY'].map(title => ({ title, text: text(title.toLowerCase()) })),
    ],
    rawFields: ['id'],
    none: 'There are no retention rules.',
  },
  options: [
    { flags: '--days <days>', about: 'days for which the lines are kept', member: 'days', read: Number },
    {
      flags: '--priority <number>',
      about: 'of several matching rules, the lowest number decides',
      member: 'priority',
      read: Number,
    },
    { flags: '--host <name>', about: 'exact name of the host', member: 'host' },
    { flags: '--app <name>', about: 'exact name of the application', member: 'app' },
    { flags: '--level <name>', about: 'name of the level', member: 'level' },
    QUERY,
    ACTIVE,
  ],
  change: 'PATCH',
  examples: [
    'weir rule retention create audit --app audit --days 365 --priority 1 --active yes',
    'weir rule retention update audit --days 400',
  ],
}

export function ruleCommand(world: World, finish: (code: ExitCode) => void): Command {
  const command = new Command('rule')
    .summary('manage rules on lines: exclusions, stream exclusions, retention')
    .description('Manage rules that apply to lines before they are stored.')
    .addHelpText('after', HELP)
  for (const resource of [EXCLUSION, STREAM_EXCLUSION, RETENTION])
    command.addCommand(resourceCommand(resource, world, finish))
  return command
}
