import { type Command, InvalidArgumentError, Option } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { type Column, tableLines } from '../table.ts'
import { hasColours, type World, write, writeLines } from '../world.ts'
import { csvLine } from './csv.ts'
import { fieldText, fieldValue, withFields } from './field.ts'

const FORMATS = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'raw'] as const
type Format = (typeof FORMATS)[number]
/** Forms that print each row at once. */
export const STREAMED = ['ndjson', 'csv', 'raw'] as const
export type StreamedFormat = (typeof STREAMED)[number]

export interface OutputOptions {
  readonly output?: Format
  readonly fields?: readonly string[]
  /** The older `--json`, whose form each command determines. */
  readonly json?: true
}

/** Forms of the rows of a listing. */
export interface Listing<Row> {
  /** Columns of tables. */
  readonly columns: readonly ListedColumn<Row>[]
  /** Fields of `csv` and `raw` without `--fields`. Default: of `csv` all members that the rows have, of `raw` the first column. */
  readonly csvFields?: readonly string[]
  readonly rawFields: readonly string[]
  /** Sentence in place of a table without rows. */
  readonly none: string
}

export interface ListedColumn<Row> extends Column<Row> {
  /** True for a column that only `-o wide` shows. */
  readonly wide?: true
}

/**
 * Adds the options by which every listing chooses its form.
 *
 * @param json description of the older `--json`
 * @param formats forms that the command has: those that print each row at once, for one that does not end
 */
export function withOutput(command: Command, json?: string, formats: readonly Format[] = FORMATS): Command {
  command
    .addOption(new Option('-o, --output <format>', 'form of the result').choices(formats))
    .option('--fields <list>', 'only these members, separated by commas: id,title,actor.email', readFields)
  return json === undefined ? command : command.option('--json', json)
}

function readFields(text: string): readonly string[] {
  const fields = text.split(',').map(field => field.trim())
  if (fields.includes(''))
    throw new InvalidArgumentError('Write names separated by commas, such as id,title.')
  return [...new Set(fields)]
}

/** Receives rows as they come, and prints them in the chosen form. Tables, YAML and some CSV appear at the end. */
export interface RowWriter<Row> {
  write(rows: readonly Row[]): Promise<void>
  /** @returns number of rows */
  end(): Promise<number>
}

/** Prints all rows of a listing. @param after lines that follow a table */
export async function writeListing<Row extends object>(
  listing: Listing<Row>,
  rows: readonly Row[],
  options: OutputOptions,
  world: World,
  after: readonly string[] = [],
): Promise<void> {
  assertKnownFields(rows as readonly JsonObject[], options.fields)
  const writer = rowWriter(listing, options, world)
  await writer.write(rows)
  await writer.end()
  if (isTable(options) && !world.quiet && after.length > 0) await writeLines(world.stdout, ['', ...after])
}

/** Prints one object: with all of its members as YAML, unless another form is chosen. */
export async function writeRecord<Row extends object>(
  listing: Listing<Row>,
  row: Row,
  options: OutputOptions,
  world: World,
): Promise<void> {
  const { output = 'yaml', fields } = options
  if (output !== 'json' && output !== 'yaml')
    return writeListing(listing, [row], { ...options, output }, world)
  assertKnownFields([row as JsonObject], fields)
  const chosen = fields === undefined ? (row as JsonObject) : withFields(row as JsonObject, fields)
  if (output === 'json') return write(world.stdout, `${jsonText(chosen)}\n`)
  await write(world.stdout, await yamlText(chosen))
}

async function yamlText(value: JsonValue): Promise<string> {
  // Loaded on demand: it takes a third of the time of a short command.
  const { stringify } = await import('yaml')
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** Whether the user has chosen a form, instead of the usual one of the command. */
export function isChosen({ output, fields }: OutputOptions): boolean {
  return output !== undefined || fields !== undefined
}

/** Whether the form is for people. */
function isTable({ output = 'table' }: OutputOptions): boolean {
  return output === 'table' || output === 'wide'
}

export function rowWriter<Row extends object>(
  listing: Listing<Row>,
  { output = 'table', fields }: OutputOptions,
  world: World,
): RowWriter<Row> {
  const { stdout } = world
  const chosen = (row: Row) =>
    fields === undefined ? (row as JsonObject) : withFields(row as JsonObject, fields)
  switch (output) {
    case 'table':
    case 'wide':
      return tableWriter(listing, { isWide: output === 'wide', fields }, world)
    case 'json':
      return jsonWriter(chosen, world)
    case 'ndjson':
      return streamed(world, jsonLineText(fields))
    case 'yaml':
      return collected(async rows => write(stdout, await yamlText(rows.map(chosen))))
    case 'csv':
      return csvWriter(fields ?? listing.csvFields, world)
    case 'raw':
      return streamed(world, rawText(fields ?? listing.rawFields))
  }
}

/** Text of rows in a form that prints each row at once. */
export interface RowText<Row> {
  /** Line before the first row. */
  readonly heading?: string
  /** One line without its end; a value of CSV may contain line ends. */
  readonly textOf: (row: Row) => string
}

/** @param fields members to print; of `ndjson` undefined means all */
export function rowText<Row extends object>(
  format: StreamedFormat,
  fields: readonly string[] | undefined,
  listing: Listing<Row> & { readonly csvFields: readonly string[] },
): RowText<Row> {
  if (format === 'ndjson') return jsonLineText(fields)
  return format === 'csv' ? csvText(fields ?? listing.csvFields) : rawText(fields ?? listing.rawFields)
}

function jsonLineText<Row extends object>(fields: readonly string[] | undefined): RowText<Row> {
  return {
    textOf: row =>
      jsonText(fields === undefined ? (row as JsonObject) : withFields(row as JsonObject, fields)),
  }
}

function csvText<Row extends object>(fields: readonly string[]): RowText<Row> {
  return {
    heading: csvLine(fields),
    textOf: row => csvLine(fields.map(name => fieldText(fieldValue(row as JsonObject, name)))),
  }
}

/** Values separated by tabs, without quotes: of a single field it is the plain text. */
function rawText<Row extends object>(fields: readonly string[]): RowText<Row> {
  return { textOf: row => fields.map(field => fieldText(fieldValue(row as JsonObject, field))).join('\t') }
}

/** Prints rows in a form of the command itself. */
export function textWriter<Row>(textOf: (row: Row) => string, world: World): RowWriter<Row> {
  return streamed(world, { textOf })
}

function tableWriter<Row extends object>(
  { columns, none }: Listing<Row>,
  { isWide, fields }: { readonly isWide: boolean; readonly fields: readonly string[] | undefined },
  world: World,
): RowWriter<Row> {
  const shown =
    fields === undefined
      ? columns.filter(({ wide }) => isWide || !wide)
      : fields.map(column => fieldColumn<Row>(column))
  return collected(async rows => {
    const isQuiet = world.quiet === true
    if (rows.length === 0) return isQuiet ? undefined : write(world.stdout, `${none}\n`)
    await writeLines(world.stdout, tableLines(shown, rows, hasColours(world)).slice(isQuiet ? 1 : 0))
  })
}

function fieldColumn<Row extends object>(field: string): Column<Row> {
  return { title: field.toUpperCase(), text: row => fieldText(fieldValue(row as JsonObject, field)) }
}

/** An array with one row per line, so that a reader need not wait for its end. */
function jsonWriter<Row>(chosen: (row: Row) => JsonValue, { stdout }: World): RowWriter<Row> {
  let count = 0
  return {
    write: async rows => {
      const lines = rows.map((row, index) => `${count + index === 0 ? '[' : ','}\n  ${jsonText(chosen(row))}`)
      count += rows.length
      await write(stdout, lines.join(''))
    },
    end: async () => {
      await write(stdout, count === 0 ? '[]\n' : '\n]\n')
      return count
    },
  }
}

function csvWriter<Row extends object>(fields: readonly string[] | undefined, world: World): RowWriter<Row> {
  if (fields !== undefined) return streamed(world, csvText(fields))
  return collected(async rows => {
    const { heading = '', textOf } = csvText([...new Set(rows.flatMap(row => Object.keys(row)))])
    if (rows.length > 0) await writeLines(world.stdout, [heading, ...rows.map(textOf)])
  })
}

function streamed<Row>({ stdout }: World, { heading, textOf }: RowText<Row>): RowWriter<Row> {
  let count = 0
  return {
    write: async rows => {
      if (count === 0 && rows.length > 0 && heading !== undefined) await write(stdout, `${heading}\n`)
      count += rows.length
      await writeLines(stdout, rows.map(textOf))
    },
    end: async () => count,
  }
}

function collected<Row>(print: (rows: readonly Row[]) => Promise<void>): RowWriter<Row> {
  const all: Row[] = []
  return {
    write: async rows => {
      for (const row of rows) all.push(row)
    },
    end: async () => {
      await print(all)
      return all.length
    },
  }
}

/** @throws CommandError for a field that none of the rows has */
function assertKnownFields(rows: readonly JsonObject[], fields: readonly string[] | undefined): void {
  const unknown = fields?.find(field => rows.every(row => fieldValue(row, field) === undefined))
  if (unknown === undefined || rows.length === 0) return
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
  throw new CommandError(EXIT.usage, `There is no field "${unknown}"; the fields are ${names.join(', ')}.`)
}
