import { Command } from 'commander'
import type { Credentials } from '../data-directory.ts'
import { credentialsFile, localCredentials } from './connection.ts'
import { type World, write } from './world.ts'

const LABELS: readonly [keyof Credentials, string][] = [
  ['apiUrl', 'API address'],
  ['ingestUrl', 'Ingestion address'],
  ['accountId', 'Account id'],
  ['accessToken', 'Access token'],
  ['enterpriseAccessToken', 'Enterprise access token'],
  ['ingestionKey', 'Ingestion key'],
  ['serviceKey', 'Service key'],
]

const HELP = `
The first start of the server creates them in credentials.json in the data folder
(WEIR_DATA_DIR, else ./weir-data), which only the server's user can read.

Examples:
  weir credentials
  export WEIR_ACCESS_TOKEN=$(weir credentials --json | jq -r .accessToken)`

export function credentialsCommand(world: World): Command {
  return new Command('credentials')
    .summary("print this machine's addresses, tokens and keys")
    .description("Print the addresses, tokens and keys of this machine's service.")
    .option('--json', 'print them as one JSON object')
    .addHelpText('after', HELP)
    .action(async (options: { json?: true }) => {
      const credentials = localCredentials(world)
      const width = Math.max(...LABELS.map(([, label]) => label.length))
      const lines = LABELS.map(([name, label]) => `${label.padEnd(width)}  ${credentials[name]}`)
      const text = options.json
        ? JSON.stringify(Object.fromEntries(LABELS.map(([name]) => [name, credentials[name]])))
        : [...lines, '', `From ${credentialsFile(world)}`].join('\n')
      await write(world.stdout, `${text}\n`)
    })
}
