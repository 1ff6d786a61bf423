import type { Credentials } from './data-directory.ts'

type ShownCredentials = Omit<Credentials, 'isNew'>

/** Output of a first start on a terminal: the place of the credentials, and three commands that work unchanged. */
export function firstSteps(
  { apiUrl, ingestUrl, accountId, accessToken, ingestionKey, ...others }: ShownCredentials,
  kept: 'in the data folder' | 'nowhere',
): string {
  const authorization = `-H 'Authorization: Token ${accessToken}'`
  const where =
    kept === 'nowhere'
      ? [
          `A new account was created: ${accountId}. Its credentials are shown only this once and are not kept: note them.`,
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
    '  # search for it (a line is found about a second after it was sent)',
    `  curl "${apiUrl}/v2/export?from=$(($(date +%s)-3600))&to=$(date +%s)&query=hello" ${authorization}`,
    '',
    '  # show its usage',
    `  curl "${apiUrl}/v2/usage/apps?from=$(date -u +%FT%TZ)&to=$(date -u +%FT%TZ)" ${authorization}`,
    '',
  ].join('\n')
}

/**
 * Output of a first start without a terminal. Such output goes to a journal or a container log, which more people read,
 * and for longer, than should know the credentials.
 *
 * @param folder absolute path of the credentials' folder, as seen by this process
 */
export function howToReadCredentials(
  { accountId }: Pick<ShownCredentials, 'accountId'>,
  folder: string,
): string {
  return [
    `A new account was created: ${accountId}. Its credentials are in ${folder}/credentials.json. This output is not a`,
    'terminal, so they are not printed here. As the user that runs this server, on its machine or in its container:',
    '',
    `  WEIR_DATA_DIR='${folder}' npx weir credentials      # in a container: weir credentials`,
    '',
  ].join('\n')
}

/** Output with a link that signs the local user in; it is printed on terminals alone. */
export function signInSentence(link: string): string {
  return [
    'Open the console. This link signs you in once, within 10 minutes, on this machine; npx weir console prints a new one:',
    '',
    `  ${link}`,
  ].join('\n')
}
