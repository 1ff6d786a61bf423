import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import { Secret } from '../contract/secret.ts'

export const credentialsJson = Secret({
  minLength: 1,
  description: 'Key file of a service account, as JSON text',
})

export function credentialsProblems({ credentials_json: text }: JsonObject): Problem[] {
  if (typeof text !== 'string' || text === '' || isObjectText(text)) return []
  return [{ instancePath: '/credentials_json', message: 'must be the text of a JSON object' }]
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}
