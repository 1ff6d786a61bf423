import Type from 'typebox'
import type { JsonObject } from '../../../schemas/json.ts'

/**
 * An option of every push source. No default is stored, because clients compare the answer with their request (pipeline
 * API, section 1.5 and appendix B).
 */
export const captureMetadata = {
  capture_metadata: Type.Optional(
    Type.Boolean({
      description:
        'Whether headers and query of a request become metadata of its events; they do unless this is false',
    }),
  ),
}

/** Whether events of a push source keep the metadata of their request. */
export function keepsMetadata({ capture_metadata: captured }: JsonObject): boolean {
  return captured !== false
}
