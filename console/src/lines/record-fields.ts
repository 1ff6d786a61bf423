import { type LineMembers, shownValue, type Value } from '../api/records.ts'

/** Members of a record that the query language names otherwise. */
const NAMES: Readonly<Record<string, string>> = {
  _app: 'app',
  _host: 'host',
  _file: 'file',
  _env: 'env',
  _tag: 'tag',
}
const MEMBERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NAMES).map(([member, field]) => [field, member]),
)
const OF_CLIENT = /^(meta|label)(?=\.|$)/

/** Members that describe the record, and are in no query. */
export const OWN_MEMBER = /^_(id|lid|account|ts|line|logtype|retention|mezmo_line_size|ipremote|ip|mac)$/

/** Name of a member in the query language. */
export function fieldOf(member: string): string {
  return NAMES[member] ?? member.replace(/^_(?=(meta|label)\.)/, '')
}

/** Value of a field, by its name in the query language; undefined if the line does not have it. */
function fieldValue(members: LineMembers, field: string): Value | undefined {
  const own = MEMBERS[field]
  if (own !== undefined) return members[own]
  const path = field.replace(OF_CLIENT, '_$1')
  return Object.hasOwn(members, path) ? members[path] : within(members, path.split('.'))
}

function within(value: unknown, path: readonly string[]): Value | undefined {
  const [name, ...rest] = path
  if (name === undefined) return value as Value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return within((value as Record<string, unknown>)[name], rest)
}

/** Text of a field; empty if the line does not have it. */
export function fieldText(members: LineMembers, field: string): string {
  const value = fieldValue(members, field)
  // Tags read better without brackets.
  return Array.isArray(value) ? value.map(each => shownValue(each as Value)).join(', ') : shownValue(value)
}

/** Members of objects by their paths; lists are values. */
export function flattened(members: Readonly<Record<string, Value>>, path = ''): [string, Value][] {
  return Object.entries(members).flatMap(([name, value]): [string, Value][] => {
    const isObject =
      typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
    return isObject ? flattened(value as Record<string, Value>, `${path}${name}.`) : [[path + name, value]]
  })
}
