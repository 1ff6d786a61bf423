import { styleText } from 'node:util'
import { jsonText } from '../../engine/json/json-text.ts'
import type { JsonObject } from '../../schemas/json.ts'
import type { Listing } from './output/output.ts'
import { printable } from './table.ts'
import type { Times } from './times/times.ts'
import { hasColours, type World } from './world.ts'

type Style = 'red' | 'yellow' | 'green' | 'cyan' | 'gray' | 'magenta'

const LEVEL_STYLES: readonly [RegExp, Style][] = [
  [/^(EMERG|ALERT|CRIT|FATAL|SEVERE|ERR|PANIC)/, 'red'],
  [/^WARN/, 'yellow'],
  [/^(INFO|NOTICE)/, 'green'],
  [/^DEBUG/, 'cyan'],
  [/^TRACE/, 'gray'],
]

/** Forms of a list of lines. */
export function lineListing({ iso }: Times): Listing<JsonObject> & { readonly csvFields: readonly string[] } {
  return {
    columns: [
      { title: 'TIME', text: record => iso(Number(record._ts)) },
      { title: 'HOST', text: record => String(record._host ?? '') },
      { title: 'APP', text: record => String(record._app ?? '') },
      { title: 'LEVEL', text: record => String(record.level ?? '') },
      { title: 'LINE', text: displayText },
    ],
    csvFields: ['_ts', '_host', '_app', 'level', '_line'],
    rawFields: ['_line'],
    none: 'No lines were found.',
  }
}

/** Prints records as JSON lines, or as text for people. */
export function lineText(world: World, isJson: boolean, times: Times): (record: JsonObject) => string {
  return isJson ? jsonText : humanLine(hasColours(world), times)
}

/** `time host app level text`. */
function humanLine(colours: boolean, times: Times): (record: JsonObject) => string {
  const styled = (style: Style, text: string) =>
    colours && text ? styleText(style, text, { validateStream: false }) : text
  return record => {
    const level = printable(String(record.level ?? ''))
    const levelStyle = LEVEL_STYLES.find(([pattern]) => pattern.test(level.toUpperCase()))?.[1]
    const parts = [
      styled('gray', times.iso(Number(record._ts))),
      styled('magenta', printable(String(record._host ?? ''))),
      styled('cyan', printable(String(record._app ?? ''))),
      ...(level ? [levelStyle ? styled(levelStyle, level) : level] : []),
      printable(displayText(record)),
    ]
    return parts.join(' ')
  }
}

/** `message` if present, else the line as received (the stored line, section 2). */
function displayText(record: JsonObject): string {
  return typeof record.message === 'string' ? record.message : String(record._line ?? '')
}
