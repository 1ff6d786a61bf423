import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import {
  type Batching,
  NO_TRANSPORT,
  type SendingDestination,
} from '../../engine/nodes/contract/define-destination.ts'
import { checkStoredOptions } from '../../engine/nodes/contract/node-declaration.ts'
import type { JsonObject } from '../../schemas/json.ts'

/** All destinations that send requests. */
export const SENDING: readonly SendingDestination[] = CATALOGUE.sendingDestinations.filter(
  ({ transport }) => transport !== NO_TRANSPORT,
)

export const SENDING_BY_HTTP = SENDING.filter(({ transport }) => transport === 'http')

/** A destination with options that allow a publication. */
export interface SendingNode {
  readonly destination: SendingDestination
  readonly config: JsonObject
  readonly batching: Batching
}

/** @throws Error when the options are refused */
export function sendingNode(type: string, sent: JsonObject): SendingNode {
  const destination = SENDING.find(each => each.type === type)
  if (destination?.batching === undefined) throw new Error(`${type} sends nothing`)
  const checked = checkStoredOptions(destination, sent)
  const problems =
    'problems' in checked
      ? checked.problems
      : (destination.publishProblems?.(checked.stored, {} as never) ?? [])
  if ('problems' in checked || problems.length > 0) throw new Error(JSON.stringify(problems))
  return { destination, config: checked.stored, batching: destination.batching }
}
