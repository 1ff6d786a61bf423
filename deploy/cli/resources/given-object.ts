import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { Option } from 'commander'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import { CommandError, EXIT } from '../command-error.ts'
import type { World } from '../world.ts'
import type { MemberOption } from './resource.ts'

const STANDARD_INPUT = '-'

export interface GivenOptions {
  /** YAML or JSON. */
  readonly file?: string
  /** Each as `member=value`. */
  readonly set?: readonly string[]
}

/** Adds the options by which an object is given. */
export function withObject(command: Command, options: readonly MemberOption[]): Command {
  for (const { flags, about, choices } of options) {
    const option = new Option(flags, about)
    command.addOption(choices === undefined ? option : option.choices(choices))
  }
  return command
    .option('-f, --file <file>', 'file with fields, YAML or JSON; "-": standard input')
    .option('--set <field=value...>', 'further fields; a value is JSON, or else a text: daily.limit=100')
}

/** Members from the file, the options and `--set`, of which later ones take precedence. */
export async function givenObject(
  command: Command,
  options: readonly MemberOption[],
  world: World,
): Promise<JsonObject> {
  const given = command.opts<GivenOptions & Record<string, unknown>>()
  const object: JsonObject = given.file === undefined ? {} : await fileObject(given.file, world)
  for (const { flags, member, read = (value: string) => value } of options) {
    const value = given[attributeOf(flags)]
    if (typeof value === 'string') place(object, member, read(value))
  }
  for (const each of given.set ?? []) {
    const at = each.indexOf('=')
    if (at < 1) throw new CommandError(EXIT.usage, `--set "${each}" is not of the form member=value.`)
    place(object, each.slice(0, at), setValue(each.slice(at + 1)))
  }
  return object
}

function attributeOf(flags: string): string {
  return new Option(flags).attributeName()
}

async function fileObject(file: string, { stdin }: World): Promise<JsonObject> {
  const given = file === STANDARD_INPUT ? await text(stdin) : await readFile(file, 'utf8')
  // Loaded on demand: most commands have no file.
  const { parse } = await import('yaml')
  let value: JsonValue
  try {
    value = parse(given) as JsonValue
  } catch (error) {
    throw new CommandError(
      EXIT.usage,
      `${file} is not YAML or JSON: ${(error as Error).message.split('\n')[0]}`,
    )
  }
  if (isJsonObject(value)) return value
  throw new CommandError(EXIT.usage, `${file} does not contain an object.`)
}

function setValue(given: string): JsonValue {
  try {
    return JSON.parse(given) as JsonValue
  } catch {
    return given
  }
}

function place(object: JsonObject, path: string, value: JsonValue): void {
  const names = path.split('.')
  const last = names.pop() as string
  let inner = object
  for (const name of names) {
    const next = Object.hasOwn(inner, name) ? inner[name] : undefined
    const child: JsonObject = isJsonObject(next) ? { ...next } : {}
    Object.defineProperty(inner, name, { value: child, enumerable: true, writable: true, configurable: true })
    inner = child
  }
  Object.defineProperty(inner, last, { value, enumerable: true, writable: true, configurable: true })
}
