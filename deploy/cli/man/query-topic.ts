import { Command } from 'commander'

/** Forms of the query language, with their meanings. */
export const QUERY_FORMS: readonly (readonly [
  title: string,
  forms: readonly (readonly [string, string])[],
])[] = [
  [
    'Words',
    [
      ['timeout upstream', 'lines with both words, in any order and case'],
      ['time', 'also finds "timeout": a word that begins with it'],
      ['"timeout after"', 'a phrase: these words beside each other'],
      ['==time', 'the whole word; =Time: exact case; ===Time: both'],
    ],
  ],
  [
    'And, or, not',
    [
      ['timeout OR refused', 'one of them; OR is in upper case'],
      ['client timeout OR refused', 'client, and one of the others: OR binds tighter'],
      ['(client timeout) OR refused', 'parentheses make it clear'],
      ['timeout -upstream', 'without this word; NOT upstream is the same'],
    ],
  ],
  [
    'Fields',
    [
      ['level:error', 'a field: host, app, level, env, file, tag, message'],
      ['user.name:ann', 'a field of a JSON line, as deep as it is'],
      ['status:>=500', 'a comparison of numbers: >, >=, <, <='],
      ['status:(>=400 <500)', 'several conditions on one field'],
      ['level:[error,fatal]', 'one of these values, without blanks'],
      ['user:*', 'lines that have the field; -user:* those without'],
      ['status:* -status:200', 'another status; -status:200 alone finds lines without any'],
    ],
  ],
]

const INTRODUCTION = `A query selects lines. It is the same in search, tail, export, stats, views, groups and rules.
No query, or *, means every line.`

const NOTES = `There are no regular expressions, no wildcards within a word, and no && or ||. A blank must not follow
the colon of a field.

Quote a query for the shell, and put -- before one that begins with a minus:
  weir search 'level:error -"health check"'
  weir search -- '-debug level:warn'

docs/query-language.md shows each form with lines that it finds.`

/** Hidden command for `weir help query`. */
export function queryTopic(): Command {
  const topic = new Command('query')
  topic.helpInformation = queryHelp
  return topic.action(() => topic.outputHelp())
}

function queryHelp(): string {
  const width = Math.max(...QUERY_FORMS.flatMap(([, forms]) => forms.map(([form]) => form.length)))
  const sections = QUERY_FORMS.map(([title, forms]) =>
    [`${title}:`, ...forms.map(([form, meaning]) => `  ${form.padEnd(width)}  ${meaning}`)].join('\n'),
  )
  return `${[INTRODUCTION, ...sections, NOTES].join('\n\n')}\n`
}
