import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import type { PublishSite } from '../contract/define-destination.ts'

/** Option to join small objects into larger ones from time to time (pipeline API, section 6.2). */
export const fileConsolidation = Type.Optional(
  Type.Object(
    {
      enabled: Type.Optional(Type.Boolean({ default: false, description: 'Join small objects' })),
      process_every_seconds: Type.Optional(
        Type.Integer({
          minimum: 300,
          maximum: 3600,
          default: 600,
          description: 'Time from one look for small objects to the next, in seconds',
        }),
      ),
      requested_size_bytes: Type.Optional(
        Type.Integer({
          minimum: 50_000_000,
          maximum: 10_000_000_000,
          default: 500_000_000,
          description: 'Objects below this size are joined, in bytes',
        }),
      ),
      base_path: Type.Optional(
        Type.String({
          maxLength: 512,
          default: '',
          description: 'Only objects below this path are joined; empty for all of them',
        }),
      ),
    },
    { additionalProperties: false, description: 'Joining of small objects into larger ones' },
  ),
)

/** Joined JSON arrays are not valid JSON: components, section 7.6. */
export function consolidationProblems(sent: JsonObject): Problem[] {
  const { encoding, file_consolidation: consolidation } = sent
  if (encoding !== 'json' || !isJsonObject(consolidation) || consolidation.enabled !== true) return []
  return [{ instancePath: '/file_consolidation/enabled', message: 'must be false when encoding is "json"' }]
}

/** Finds a node that joins objects, when a pipeline is published. */
export function consolidationPublishProblems(config: JsonObject, { notPublished }: PublishSite): Problem[] {
  const { file_consolidation: consolidation } = config
  if (!isJsonObject(consolidation) || consolidation.enabled !== true) return []
  const message = `must be false: joining of objects is not part of this version, so ${notPublished}`
  return [{ instancePath: '/file_consolidation/enabled', message }]
}
