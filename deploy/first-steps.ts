import type { Credentials } from './data-directory.ts'

/** What a first start prints: the address and three commands that work as they stand. */
export function firstSteps({ apiUrl, ingestUrl, accountId, accessToken, ingestionKey }: Credentials): string {
  const authorization = `-H 'Authorization: Token ${accessToken}'`
  return [
    `A new account was created: ${accountId}. Its credentials are kept in the data folder; npx weir credentials`,
    'prints them again. Try it:',
    '',
    '  # send a line',
    `  curl '${ingestUrl}/logs/ingest?hostname=my-host' -H 'apikey: ${ingestionKey}' \\`,
    `       -H 'content-type: application/json' -d '{"lines":[{"line":"Hello, Weir","app":"first-steps"}]}'`,
    '',
    '  # search it (a line is found about a second after it was sent)',
    `  curl "${apiUrl}/v2/export?from=$(($(date +%s)-3600))&to=$(date +%s)&query=hello" ${authorization}`,
    '',
    '  # ask for its usage',
    `  curl "${apiUrl}/v2/usage/apps?from=$(date -u +%FT%TZ)&to=$(date -u +%FT%TZ)" ${authorization}`,
    '',
  ].join('\n')
}
