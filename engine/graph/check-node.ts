import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { type ConfigCheck, checkConfig } from '../config-schema.ts'
import type { DestinationSettings } from '../destinations/define-destination.ts'
import { checkDestinationConfig } from '../destinations/registry.ts'
import type { Problem } from '../problem.ts'
import { processorOf } from '../processors/registry.ts'
import { sourceOf } from '../sources/registry.ts'
import { type NodeKind, standingOf } from './known-types.ts'

export type NodeCheck =
  | { readonly stored: JsonObject }
  | {
      readonly problems: readonly Problem[]
      /** `notBuilt`: the type is in the contract, and this program does not run it. */
      readonly reason: 'invalid' | 'notBuilt' | 'unknownType'
    }

export interface NodeCheckOptions {
  /** The stored options of the node that is being replaced: names that the server gave stay. */
  readonly previous?: JsonObject
  readonly destinations?: DestinationSettings
}

/**
 * Checks type and options of a node as they came in a request; all findings at once, with pointers into the
 * request body.
 *
 * @param userConfig `user_config` as sent; undefined means `{}`
 * @returns what is to be stored and returned on every read: what was sent, the listed defaults, and nothing else
 *   (pipeline API, section 1.5)
 */
export function checkNode(
  kind: NodeKind,
  type: string,
  userConfig: JsonValue | undefined,
  options: NodeCheckOptions = {},
): NodeCheck {
  const standing = standingOf(kind, type)
  if (standing === 'unknownType')
    return refused(standing, '/type', 'must be equal to one of the allowed values')
  if (standing === 'notBuilt')
    return refused(standing, '/type', `"${type}" is not available on this server yet`)
  const sent = userConfig ?? {}
  if (userConfig === null || typeof sent !== 'object' || Array.isArray(sent))
    return refused('invalid', '/user_config', 'must be object')
  const checked = checkOptions(kind, type, sent, options)
  if ('stored' in checked) return checked
  const problems = checked.problems.map(({ instancePath, message }) => ({
    instancePath: `/user_config${instancePath}`,
    message,
  }))
  return { problems, reason: 'invalid' }
}

function checkOptions(
  kind: NodeKind,
  type: string,
  sent: JsonObject,
  options: NodeCheckOptions,
): ConfigCheck {
  switch (kind) {
    case 'source':
      return checkConfig(sourceOf(type)?.config ?? {}, sent)
    case 'transform':
      return checkProcessorConfig(type, sent, options.previous)
    case 'sink': {
      const checked = checkDestinationConfig(type, sent, options.destinations)
      if ('unknown' in checked) throw new RangeError(`${type} is no destination`)
      return checked
    }
  }
}

function checkProcessorConfig(type: string, sent: JsonObject, previous: JsonObject | undefined): ConfigCheck {
  const processor = processorOf(type)
  if (processor === undefined) throw new RangeError(`${type} is no processor`)
  const checked = checkConfig(processor.config, sent)
  const problems = ['problems' in checked ? checked.problems : [], processor.check?.(sent) ?? []].flat()
  if (problems.length > 0 || 'problems' in checked) return { problems }
  return { stored: processor.complete?.(checked.stored, previous) ?? checked.stored }
}

function refused(
  reason: 'invalid' | 'notBuilt' | 'unknownType',
  instancePath: string,
  message: string,
): NodeCheck {
  return { problems: [{ instancePath, message }], reason }
}
