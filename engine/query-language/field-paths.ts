/** Names of section 4.4 that are case-insensitive, with their paths in order of precedence. */
const NAMED_PATHS: ReadonlyMap<string, readonly string[]> = new Map([
  ['host', ['_host']],
  ['source', ['_host']],
  ['app', ['_app']],
  ['level', ['level']],
  ['tag', ['_tag']],
  ['tags', ['_tag']],
  ['file', ['_file']],
  ['env', ['_env']],
  ['message', ['message', '_line']],
  ['line', ['_line']],
])
const PREFIXED = /^(meta|label)\./i

/**
 * The paths of a record that a field name reads, in order. A later path counts only if the earlier ones are absent (query
 * language, section 4.4). A dot either separates members or is part of a member's name. A label named
 * `app.kubernetes.io/name` is therefore found under its longest name.
 */
export function fieldPaths(name: string): readonly string[] {
  const named = NAMED_PATHS.get(name.toLowerCase())
  if (named !== undefined) return named
  const prefix = PREFIXED.exec(name)?.[1]
  if (prefix !== undefined) return [`_${prefix.toLowerCase()}${name.slice(prefix.length)}`]
  return name.startsWith('_') ? [name] : [name, `_${name}`]
}

const NAMES_OF_PATHS: ReadonlyMap<string, string> = new Map(
  ['host', 'app', 'tag', 'file', 'env'].map(name => [`_${name}`, name]),
)
const PREFIXED_PATH = /^_(?=(?:meta|label)\.)/

/** The name by which queries call the field at a path of a record. */
export function fieldName(path: string): string {
  return NAMES_OF_PATHS.get(path) ?? path.replace(PREFIXED_PATH, '')
}
