import type { DraftNode } from '../../../engine/configuration/entities.ts'
import { MAX_PROBLEMS, type Problem, pointerTo } from '../../../engine/event/problem.ts'
import { expressionLimitProblem, partsWithExpressions } from '../../../engine/graph/expression-limit.ts'
import { optionLimitProblem } from '../../../engine/graph/option-limit.ts'
import { checkConfig, nestingProblem } from '../../../engine/nodes/contract/config-schema.ts'
import { finish, type Steps } from '../../../engine/steps.ts'
import { type FileTest, PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import { unnamed } from '../../../schemas/named.ts'
import type { AlertDocument } from '../../../schemas/pipeline.ts'
import { readingAlerts } from './file-alerts.ts'
import { readingNodes } from './file-nodes.ts'
import { testProblems } from './file-tests.ts'
import type { OutputReferences } from './output-references.ts'
import type { FilePlace, SentFile } from './sent-file.ts'

const FILE_SHAPE = unnamed(PipelineFile)
/** Number of findings above which the detailed check is skipped, because it takes time for each of them. */
const MAX_SCHEMA_PROBLEMS = 100
/** Maximum number of inputs of all nodes and alerts. Each is looked up and becomes an id of 36 characters. (Our choice.) */
const MAX_INPUTS = 20_000
/** Maximum number of items of a list: no pipeline has more, and checking more would take long. */
const MAX_ITEMS = 1000

export interface FileContent {
  readonly title: string
  /** Unchanged nodes and alerts are the same objects as before. */
  readonly nodes: readonly DraftNode[]
  readonly alerts: readonly AlertDocument[]
  readonly tests: readonly FileTest[]
  readonly references: OutputReferences
  /** Pointer to each node in the file, by node id. */
  readonly pointers: ReadonlyMap<string, string>
}

export type FileCheck = { readonly content: FileContent } | { readonly problems: readonly Problem[] }

/** Returns the content of a file with all defaults in place, or all findings with pointers into the file. */
export function contentOf(value: JsonValue | undefined, place: FilePlace): FileCheck {
  return finish(readingContent(value, place))
}

/** Like `contentOf`, in steps: a file of a thousand nodes takes a tenth of a second. */
export function* readingContent(value: JsonValue | undefined, place: FilePlace): Steps<FileCheck> {
  if (!isJsonObject(value)) return { problems: [{ instancePath: '', message: 'must be object' }] }
  const tooLarge = sizeProblems(value)
  if (tooLarge.length > 0) return { problems: tooLarge }
  const tooDeep = nestingProblem(value)
  if (tooDeep !== undefined) return { problems: [tooDeep] }
  const parts = ['sources', 'processors', 'destinations', 'alerts'].flatMap(list => value[list] ?? [])
  const before = partsWithExpressions(place.before)
  const beyondLimit = optionLimitProblem(parts, before) ?? expressionLimitProblem(parts, before)
  if (beyondLimit !== undefined) return { problems: [{ instancePath: '', message: beyondLimit }] }
  yield
  const checked = checkConfig(FILE_SHAPE, value, 'the file')
  const found = 'problems' in checked ? checked.problems : []
  if (found.length > MAX_SCHEMA_PROBLEMS) return { problems: found.slice(0, MAX_PROBLEMS) }
  const sent = sentFile(value, found)
  yield
  const read = yield* readingNodes(sent, place)
  const { alerts, problems: ofAlerts } = yield* readingAlerts(sent, place, read)
  const problems = [...found, ...read.problems, ...ofAlerts, ...testProblems(sent, read)]
  if (problems.length > 0) return { problems: problems.slice(0, MAX_PROBLEMS) }
  // Nothing was found, so the file has its type.
  const { title, tests = [] } = value as unknown as PipelineFile
  const { nodes, references, pointers } = read
  return { content: { title, nodes, alerts, tests, references, pointers } }
}

function sentFile(value: JsonObject, found: readonly Problem[]): SentFile {
  return {
    list: member => {
      const list = value[member]
      return Array.isArray(list) ? list : []
    },
    isFoundAt: pointer =>
      found.some(({ instancePath }) => instancePath === pointer || instancePath.startsWith(`${pointer}/`)),
  }
}

function sizeProblems(value: JsonObject): Problem[] {
  const problems: Problem[] = []
  for (const member in value) {
    const list = value[member]
    if (Array.isArray(list) && list.length > MAX_ITEMS)
      problems.push({
        instancePath: pointerTo('', member),
        message: `must NOT have more than ${MAX_ITEMS} items`,
      })
  }
  if (problems.length === 0 && inputCount(value) > MAX_INPUTS)
    problems.push({ instancePath: '', message: `must NOT have more than ${MAX_INPUTS} inputs in total` })
  return problems
}

function inputCount(value: JsonObject): number {
  let count = 0
  for (const list of ['processors', 'destinations', 'alerts'])
    for (const item of Array.isArray(value[list]) ? value[list] : [])
      if (isJsonObject(item) && Array.isArray(item.inputs)) count += item.inputs.length
  return count
}
