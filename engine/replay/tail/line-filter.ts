import type { CostMeter } from '../../expressions/cost-meter.ts'
import type { TailedLine } from '../../fold/tailed-line.ts'
import { foldCodePoint } from '../../query-language/case-folding.ts'
import { matches } from '../../query-language/evaluate.ts'
import { evaluateKnown } from '../../query-language/known-members.ts'
import type { LineFilters } from '../../query-language/line-filters.ts'
import type { Query } from '../../query-language/syntax-tree.ts'

/**
 * Whether a line matches the query; cheap checks come first.
 *
 * @throws BEYOND_BUDGET from the meter
 */
export type LineFilter = (line: TailedLine, meter: CostMeter) => boolean

/** Combines the lists and the query by AND (filters, section 5). */
export function lineFilter({ hosts, apps, levels, tags }: LineFilters, query: Query): LineFilter {
  const wanted = {
    hosts: new Set(hosts),
    apps: new Set(apps),
    levels: new Set(levels.map(foldedText)),
    tags: new Set(tags),
  }
  return (line, meter) => {
    if (hosts.length > 0 && !wanted.hosts.has(line.host)) return false
    if (apps.length > 0 && !wanted.apps.has(line.app)) return false
    if (query.kind === 'all' && levels.length === 0 && tags.length === 0) return true
    const { level, tags: lineTags } = line.stored
    if (levels.length > 0 && !wanted.levels.has(foldedText(level))) return false
    if (tags.length > 0 && !lineTags.some(tag => wanted.tags.has(tag))) return false
    return evaluateKnown(query, line.known, meter) ?? matches(query, line.searched, meter)
  }
}

function foldedText(text: string): string {
  return String.fromCodePoint(
    ...Array.from(text, character => foldCodePoint(character.codePointAt(0) as number)),
  )
}
