import type { Caller } from './caller.ts'

/**
 * Headers about the caller, on every response after authentication (configuration and account API, section 2.5). A header
 * without a value is left out.
 */
export function authHeaders(caller: Caller): Record<string, string> {
  const headers: Record<string, string> = {
    'x-auth-subject-id': caller.subjectId,
    'x-auth-access-type': caller.accessType,
  }
  if (caller.account !== undefined) {
    headers['x-auth-account-id'] = caller.account.id
    headers['x-auth-account-short-id'] = caller.account.shortId
  }
  if (caller.enterpriseId !== undefined) headers['x-auth-enterprise-id'] = caller.enterpriseId
  if (caller.subjectEmail !== undefined) headers['x-auth-subject-email'] = caller.subjectEmail
  return headers
}
