import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import { duplicateProblems } from '../../conditions/distinct-items.ts'
import type { Problem } from '../../event/problem.ts'
import { labels } from './labels.ts'

/** Resource that entries and points belong to, in the terms of Google Cloud. */
export const monitoredResourceOptions = {
  project_id: Type.String({ minLength: 1, description: 'Project to write to' }),
  resource_type: Type.String({ minLength: 1, description: 'Type of the monitored resource, such as global' }),
  resource_labels: Type.Optional(
    labels({ description: 'Labels of the monitored resource, by distinct names' }),
  ),
}

export function monitoredResourceProblems(sent: JsonObject): Problem[] {
  return duplicateProblems('/resource_labels', sent.resource_labels, label =>
    isJsonObject(label) && typeof label.label_name === 'string' ? label.label_name : undefined,
  )
}

/** The resource of an entry or of a series, as requests contain it. */
export function monitoredResourceOf({
  resource_type: type,
  resource_labels: sent = [],
}: ResourceConfig): JsonObject {
  const entries = sent.map(({ label_name: name, label_value: value }) => [name, value] as const)
  return { type, ...(entries.length > 0 && { labels: Object.fromEntries(entries) }) }
}

interface ResourceConfig {
  readonly resource_type: string
  readonly resource_labels?: readonly { readonly label_name: string; readonly label_value: string }[]
}
