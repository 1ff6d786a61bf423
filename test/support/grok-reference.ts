import { expandedPattern } from '../../engine/expressions/grok/grok-expression.ts'
import { GROK_TOPICS } from '../../engine/expressions/grok/grok-library.ts'
import type { LibraryPatterns } from '../../engine/expressions/grok/patterns/library-pattern.ts'
import { LINE_TYPES } from '../../engine/nodes/processors/data-profiler/line-type.ts'
import { code, listed, table } from './markdown.ts'

/** Titles of the topics of the library, in its order. */
const TITLES = [
  'Words, numbers and texts between marks',
  'Addresses, paths and their parts',
  'Days and times',
  'Syslog, its senders, and Kubernetes',
  'HTTP servers, proxies and load balancers',
  'Databases',
  'Programs and frameworks',
  'Firewalls and watchers of networks',
]

const INTRODUCTION = `# Grok patterns

<!-- Made by \`npm run docs\` from the library in engine/expressions/grok. -->

A grok pattern consists of references such as \`%{WORD}\`, which only has to match, and \`%{WORD:part}\`, which also gives a member
\`part\`. Between references only blanks and the characters \`,\` \`;\` \`:\` \`-\` may stand; \`%{CURLY_BRACKET}\` and the like are for others. A
blank is exactly one blank. The pattern is searched anywhere in the text, and its first match counts. All values are texts.

Patterns are used by the parser [\`parse_grok\`](nodes.md#transform-parse), and by \`parseGrok\` in [scripts](scripts.md). A name that is not on
this page is refused, and so is a type suffix such as \`:int\`. For example, \`%{WORD:part} %{NUMBER:nr}: %{GREEDYDATA:text}\` makes
\`{"part":"oven","nr":"4","text":"door open"}\` of \`oven 4: door open\`.

Some patterns give members of their own, which are in the last column.`

/** The page of all names of grok patterns. */
export function grokReference(): string {
  if (TITLES.length !== GROK_TOPICS.length) throw new RangeError('a topic of grok patterns has no title')
  const types =
    'The processor [`data-profiler`](nodes.md#transform-data-profiler) tries these patterns on each line, in this order, and names the ' +
    `first that matches: ${listed(LINE_TYPES)}.`
  return `${[
    INTRODUCTION,
    ...GROK_TOPICS.map((topic, index) => `## ${TITLES[index]}\n\n${topicTable(topic)}`),
    `## Types of lines\n\n${types}`,
  ].join('\n\n')}\n`
}

function topicTable(topic: LibraryPatterns): string {
  const rows = Object.entries(topic).map(([name, { lines }]) => [
    code(name),
    exampleOf(lines),
    listed(labelsOf(name)),
  ])
  return table(['Pattern', 'Matches, for example', 'Members'], rows)
}

/** A line that the pattern matches; as JSON where Markdown would not show it as it is. */
function exampleOf(lines: readonly string[]): string {
  const line = lines.find(each => each !== '') as string
  return code(/^\s|\s$|[\n\t]/.test(line) ? JSON.stringify(line) : line)
}

function labelsOf(name: string): string[] {
  const labels: string[] = []
  expandedPattern(`%{${name}}`, labels)
  return [...new Set(labels)]
}
