import { isIP } from 'node:net'
import type { Event } from '../../../event/event.ts'
import type { Template } from '../../../event/template.ts'
import { cleanTags } from '../../../lines/line-limits.ts'
import { parseBoundedJson } from '../../../lines/parsed-line.ts'

const MAC = /^[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}$/

/** Tags that render; a text that is a JSON array of strings gives one tag per element (components, section 7.2). */
export function renderTags(templates: readonly Template[], event: Event): string[] {
  if (templates.length === 0) return []
  return cleanTags(templates.flatMap(template => tagsOfText(template.render(event) ?? '')))
}

/**
 * An address that log ingestion would refuse is left out: no line is lost over a formality. (Our choice.)
 *
 * @returns empty when there is none
 */
export function validIp(text: string | undefined): string {
  return text !== undefined && isIP(text) !== 0 ? text : ''
}

/** The same for six pairs of hexadecimal digits. */
export function validMac(text: string | undefined): string {
  return text !== undefined && MAC.test(text) ? text : ''
}

function tagsOfText(text: string): readonly string[] {
  if (!text.startsWith('[')) return [text]
  const value = parseBoundedJson(text)
  const isList = Array.isArray(value) && value.every(element => typeof element === 'string')
  return isList ? (value as string[]) : [text]
}
