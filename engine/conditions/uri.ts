import type { Problem } from '../event/problem.ts'

const HTTP_ADDRESS = /^https?:\/\/\S+$/i

/** Reports a text that is not an absolute HTTP or HTTPS URI. */
export function uriProblems(instancePath: string, value: unknown): Problem[] {
  if (typeof value !== 'string' || value === '') return [] // reported by the schema
  if (HTTP_ADDRESS.test(value) && URL.canParse(value)) return []
  return [{ instancePath, message: 'Must be a valid URI that begins with http:// or https://' }]
}
