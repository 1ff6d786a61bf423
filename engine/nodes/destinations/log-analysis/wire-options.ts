import { isFieldPath } from '../../../event/field-path.ts'

/** Names and texts of the options in requests (pipeline API, section 6.3 and appendix A). */

export const EXPLICIT_SCHEME = 'Explicit field selection'
export const PASS_THROUGH_SCHEME = 'Message pass-through'

export const TYPE = 'log-analysis'
/** Type under which partitions run a node whose lines go to another installation. No request contains it. */
export const ELSEWHERE_TYPE = 'log-analysis-elsewhere'
export const WIRE_TYPE = 'mezmo'
export const ALIASES = [WIRE_TYPE, 'log-store'] as const
/** Two names of one option; the name of the type determines which of them is used. */
export const HOST_SPELLINGS = ['host', 'mezmo_host'] as const

/** Whether a hostname is the default, which is the id of the type as sent. */
export function isDefaultHostname(hostname: string): boolean {
  return hostname === TYPE || (ALIASES as readonly string[]).includes(hostname)
}

/** Whether a text is read as a path, not as a template, for an option that accepts both. */
export function isPathOption(text: string): boolean {
  return !text.includes('{{') && (text.startsWith('.') || isFieldPath(text))
}
