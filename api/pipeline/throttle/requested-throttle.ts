import Type from 'typebox'
import type { ThrottlePath } from './throttle-node.ts'

export const THROTTLE_PATH = '/v3/pipeline/:pipelineId/transform/:nodeId'
export const ThrottleParams = Type.Object({ pipelineId: Type.String(), nodeId: Type.String() })

/** The throttle that the path of a request names. */
export function requestedThrottle({ pipelineId, nodeId }: Type.Static<typeof ThrottleParams>): ThrottlePath {
  return { pipeline: pipelineId, node: nodeId }
}
