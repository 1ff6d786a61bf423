import { styleText } from 'node:util'
import { jsonText } from '../../engine/json/json-text.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { printable } from './table.ts'
import type { World } from './world.ts'

type Style = 'red' | 'yellow' | 'green' | 'cyan' | 'gray' | 'magenta'

const LEVEL_STYLES: readonly [RegExp, Style][] = [
  [/^(EMERG|ALERT|CRIT|FATAL|SEVERE|ERR|PANIC)/, 'red'],
  [/^WARN/, 'yellow'],
  [/^(INFO|NOTICE)/, 'green'],
  [/^DEBUG/, 'cyan'],
  [/^TRACE/, 'gray'],
]

/** Prints records as JSON lines, or as text for people. */
export function lineText(world: World, isJson: boolean): (record: JsonObject) => string {
  return isJson ? jsonText : humanLine(world.stdout.isTTY === true && !world.env.NO_COLOR)
}

/** `time host app level text`, the time in UTC. */
function humanLine(colours: boolean): (record: JsonObject) => string {
  const styled = (style: Style, text: string) =>
    colours && text ? styleText(style, text, { validateStream: false }) : text
  return record => {
    const level = printable(String(record.level ?? ''))
    const levelStyle = LEVEL_STYLES.find(([pattern]) => pattern.test(level.toUpperCase()))?.[1]
    const parts = [
      styled('gray', new Date(Number(record._ts)).toISOString()),
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
