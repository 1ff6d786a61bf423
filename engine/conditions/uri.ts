import type { Problem } from '../event/problem.ts'

const HTTP_ADDRESS = /^https?:\/\/\S+$/i

/** Finds a text that is not the absolute URI of something reached over HTTP. */
export function uriProblems(instancePath: string, value: unknown): Problem[] {
  if (typeof value !== 'string' || value === '') return [] // The schema has said so.
  if (HTTP_ADDRESS.test(value) && URL.canParse(value)) return []
  return [{ instancePath, message: 'Must be a valid URI that begins with http:// or https://' }]
}
