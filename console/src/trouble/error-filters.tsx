import type { ErrorCount, ErrorFilter } from '../api/trouble.ts'
import { count } from '../numbers.ts'
import { Choices } from './choices.tsx'
import { countsBy, matches } from './error-groups.ts'
import { type NodeTitles, nodeTitle } from './node-titles.ts'
import { TEXT as PAGE_TEXT } from './texts.ts'
import style from './trouble.module.css'

const TEXT = PAGE_TEXT.errors

/** Lists of pipelines, nodes and codes, each with the errors that the other conditions leave. */
export function ErrorFilters({
  counted,
  filter,
  pipelineTitle,
  titles,
  onFilter,
}: {
  /** Numbers of the errors of the period. */
  readonly counted: readonly ErrorCount[]
  readonly filter: ErrorFilter
  readonly pipelineTitle: (id: string) => string
  readonly titles: NodeTitles
  readonly onFilter: (change: Partial<ErrorFilter>) => void
}) {
  const besides = (name: keyof ErrorFilter) =>
    counted.filter(each => matches(each, { ...filter, [name]: '' }))
  const pipelineOf = new Map(counted.map(({ node_id: node, pipeline_id: id }) => [node, id]))
  const nodeName = (node: string) =>
    filter.pipeline === ''
      ? TEXT.nodeOf(nodeTitle(node, titles), pipelineTitle(pipelineOf.get(node) ?? ''))
      : nodeTitle(node, titles)
  return (
    <div className={style.filters}>
      <Choices
        label={TEXT.pipeline}
        all={TEXT.allPipelines}
        present={filter.pipeline}
        options={optionsOf(
          filter.pipeline,
          countsBy(besides('pipeline'), ({ pipeline_id: id }) => id),
          pipelineTitle,
        )}
        // A node belongs to one pipeline.
        onChoose={pipeline => onFilter({ pipeline, node: '' })}
      />
      <Choices
        label={TEXT.node}
        all={TEXT.allNodes}
        present={filter.node}
        options={optionsOf(
          filter.node,
          countsBy(besides('node'), ({ node_id: node }) => node),
          nodeName,
        )}
        onChoose={node => onFilter({ node })}
      />
      <Choices
        label={TEXT.code}
        all={TEXT.allCodes}
        present={filter.code}
        options={optionsOf(
          filter.code,
          countsBy(besides('code'), ({ code }) => code),
          code => code,
        )}
        onChoose={code => onFilter({ code })}
      />
    </div>
  )
}

/** Choices with their numbers. The chosen value stays among them, even if no error is left of it. */
function optionsOf(
  present: string,
  counts: ReadonlyMap<string, number>,
  nameOf: (value: string) => string,
): readonly (readonly [string, string])[] {
  const shown = present === '' || counts.has(present) ? [...counts] : [...counts, [present, 0] as const]
  return shown.map(([value, errors]) => [value, TEXT.choice(nameOf(value), count(errors))])
}
