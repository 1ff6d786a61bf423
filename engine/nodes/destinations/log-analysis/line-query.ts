import { isIP } from 'node:net'
import type { Event } from '../../../event/event.ts'
import type { Template } from '../../../event/template.ts'
import { cleanTags } from '../../../lines/line-limits.ts'
import { parseBoundedJson } from '../../../lines/stored-line/parsed-line.ts'

const MAC = /^[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}$/

/**
 * Tags that render; a text that is a JSON array of strings gives one tag per element (components, section 7.2).
 *
 * @param limit number of characters beyond which the text of a template may end
 */
export function renderTags(templates: readonly Template[], event: Event, limit: number): string[] {
  if (templates.length === 0) return []
  return cleanTags(templates.flatMap(template => tagsOfText(template.render(event, limit) ?? '')))
}

/**
 * Leaves out an address that log ingestion would refuse, so that no line is lost because of it. (Our choice.)
 *
 * @returns empty without an address
 */
export function validIp(text: string | undefined): string {
  return text !== undefined && isIP(text) !== 0 ? text : ''
}

/** Returns six pairs of hexadecimal digits; other texts are left out. */
export function validMac(text: string | undefined): string {
  return text !== undefined && MAC.test(text) ? text : ''
}

function tagsOfText(text: string): readonly string[] {
  if (!text.startsWith('[')) return [text]
  const value = parseBoundedJson(text)
  const isList = Array.isArray(value) && value.every(element => typeof element === 'string')
  return isList ? (value as string[]) : [text]
}
