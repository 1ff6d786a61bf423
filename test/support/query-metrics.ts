/** Words of the query language of Prometheus that stand beside a metric and are not one. */
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'on', 'ignoring', 'by', 'without'])
/** Parts of a query that contain names of labels, or no names: texts, selectors, ranges and lists of labels. */
const WITHOUT_METRICS = /"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|without|on|ignoring)\s*\([^)]*\)/g
/** A name that is not a function, nor the unit of a number. */
const NAME = /(?<![\w.$])[a-z_]\w*(?!\w|\s*\()/gi

/** Names of the metrics that a query of Prometheus reads. */
export function metricsOfQuery(query: string): readonly string[] {
  const bare = query.replace(/"[^"]*"/g, '').replace(WITHOUT_METRICS, ' ')
  const names = bare.match(NAME) ?? []
  return [...new Set(names.filter(name => !WORDS.has(name)))]
}
