import type { Credentials } from './data-directory.ts'

/** What a first start prints: where the credentials are, the address and three commands that work as they stand. */
export function firstSteps(
  { apiUrl, ingestUrl, accountId, accessToken, ingestionKey, ...others }: Omit<Credentials, 'isNew'>,
  kept: 'in the data folder' | 'nowhere',
): string {
  const authorization = `-H 'Authorization: Token ${accessToken}'`
  const where =
    kept === 'nowhere'
      ? [
          `A new account was created: ${accountId}. Its credentials are told this once and kept nowhere: note them.`,
          '',
          `  access token             ${accessToken}`,
          `  enterprise access token  ${others.enterpriseAccessToken}`,
          `  ingestion key            ${ingestionKey}`,
          `  service key              ${others.serviceKey}`,
          '',
          'Try it:',
        ]
      : [
          `A new account was created: ${accountId}. Its credentials are kept in the data folder; npx weir credentials`,
          'prints them again. Try it:',
        ]
  return [
    ...where,
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
