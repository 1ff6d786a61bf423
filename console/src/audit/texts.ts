/** Kinds of entities by the names of the API. */
export const KINDS: Readonly<Record<string, string>> = {
  'accepted-loss': 'Accepted loss',
  account: 'Account',
  'access-key': 'Access key',
  archiving: 'Archiving',
  board: 'Board',
  category: 'Category',
  'dead-letter': 'Dead-letter settings',
  deployment: 'Deployment',
  draft: 'Draft',
  enterprise: 'Enterprise',
  'enterprise-key': 'Enterprise key',
  'exclusion-rule': 'Exclusion rule',
  exemption: 'Exemption',
  'gateway-route': 'Gateway address',
  group: 'Group',
  'index-rate-alert': 'Index rate alert',
  installation: 'Installation',
  key: 'Key',
  'line-rules': 'Rules on lines',
  member: 'Member',
  pipeline: 'Pipeline',
  'preset-alert': 'Preset alert',
  'profile-reset': 'Profile reset',
  quarantine: 'Quarantined record',
  quota: 'Quota',
  'quota-state': 'Quota state',
  'retention-rule': 'Retention rule',
  revision: 'Revision',
  spread: 'Spread',
  'state-variables': 'Variables',
  stream: 'Stream',
  'stream-exclusion-rule': 'Stream exclusion rule',
  token: 'Access token',
  view: 'View',
}

/** Name of a kind within a sentence. */
export function kindText(kind: string): string {
  const text = KINDS[kind] ?? kind
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Sentences of the page about changes of the configuration. */
export const TEXT = {
  title: 'Audit',
  actor: 'Who',
  actorHint: 'Person, token or key',
  action: 'Action',
  actions: { '': 'All actions', created: 'Created', changed: 'Changed', removed: 'Removed' } as Readonly<
    Record<string, string>
  >,
  kind: 'Kind',
  allKinds: 'All kinds',
  filter: 'Filter',
  types: {
    user: 'person',
    service: 'program',
    enterprise: 'enterprise',
    servicekey: 'service key',
    system: 'Weir itself',
  } as Readonly<Record<string, string>>,
  id: 'Id',
  copyId: 'Copy the id',
  onlyThis: 'Only changes of this',
  onlyOf: (name: string) => `Only changes of ${name}`,
  withoutOnly: 'Show changes of all entities',
  onlyBy: (name: string) => `Only changes by ${name}`,
  withoutBy: 'Show changes by everybody',
  named: 'Names of the ids',
  member: 'Member',
  whole: 'Whole',
  before: 'Before',
  after: 'After',
  none: 'No change matches',
  noneWhy: 'The log of changes begins with the account. Give up a filter to see others.',
  all: 'Show all changes',
  older: 'Older changes',
  masked: 'Values that may be secrets are masked.',
  absent: '–',
} as const
