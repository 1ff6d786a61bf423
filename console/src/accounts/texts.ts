/** Sentences of the page about the accounts of an enterprise. */
export const TEXT = {
  title: 'Accounts',
  why: 'Accounts are separate: each has its own lines, pipelines, people and keys. Choose the one that you want to look at.',
  of: (enterprise: string) => `Enterprise ${enterprise}`,
  new: 'New account',
  create: 'Create',
  save: 'Save',
  done: 'Done',
  none: 'There is no account',
  noneWhy: 'An account takes lines with its first ingestion key.',
  find: 'Find an account',
  findHint: 'Company, id or owner',
  noMatch: 'No account matches',
  noMatchWhy: 'The text is looked for in the company, the id and the owner.',
  all: 'Show all accounts',
  most: (shown: string, all: string) =>
    `Only ${shown} of ${all} accounts are shown. Find others by their names.`,

  company: 'Company',
  owner: 'Owner',
  ownerNew: 'E-mail address of the owner',
  ownerNote: 'The former owner stays as an administrator.',
  retention: 'Retention',
  retentionField: 'Days for which lines are kept',
  retentionNew: 'Empty: as in the first account of the installation.',
  retentionNote: 'It applies to lines that come from now on. With 0 days they are accepted and never found.',
  retentionLong:
    '90 also stands for more than 90 days. An administrator of the account sees the number under Rules.',
  days: (days: string) => (days === '1' ? '1 day' : `${days} days`),
  daysAndMore: (days: string) => `${days} days or more`,
  ingestion: 'Ingestion',
  accepts: 'Accepts lines',
  refuses: 'Suspended',
  suspendedAccount: 'Suspended account',
  change: (company: string) => `Change ${company}`,
  made: (company: string) => `Account ${company}`,
  key: 'First ingestion key',
  keyWhy: 'Programs send lines to the account with this key. The account lists it under People and keys.',

  suspendIngestion: (company: string) => `Suspend ingestion of ${company}`,
  suspendIngestionWhy:
    'From then on lines of this account are answered with 403 and not stored, until you resume. Stored lines stay, and people can go on searching them.',
  suspendIngestionConfirm: 'Suspend ingestion',
  resumeIngestion: (company: string) => `Resume ingestion of ${company}`,

  suspend: (company: string) => `Suspend the account ${company}`,
  suspendWhy:
    'All tokens and keys of the account become invalid at once: nobody signs in, and its lines are refused. Everything that it contains stays, and you can resume it.',
  suspendConfirm: 'Suspend the account',
  resume: (company: string) => `Resume the account ${company}`,
} as const
