/** Names of section 4.4 that are read without regard to case. Where a name looks first, and where then. */
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
 * The paths of a record at which a field name looks, in this order: a later one only counts where the earlier
 * ones are absent (query language, section 4.4). A dot belongs to the path whether it separates members or is
 * part of a member's name, so a label named `app.kubernetes.io/name` is found under its longest name.
 */
export function fieldPaths(name: string): readonly string[] {
  const named = NAMED_PATHS.get(name.toLowerCase())
  if (named !== undefined) return named
  const prefix = PREFIXED.exec(name)?.[1]
  if (prefix !== undefined) return [`_${prefix.toLowerCase()}${name.slice(prefix.length)}`]
  return name.startsWith('_') ? [name] : [name, `_${name}`]
}
