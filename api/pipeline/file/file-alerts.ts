import { checkAlert } from '../../../engine/alerts/check-alert.ts'
import type { DraftNode } from '../../../engine/configuration/entities.ts'
import type { Problem } from '../../../engine/event/problem.ts'
import type { Steps } from '../../../engine/steps.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { AlertDocument } from '../../../schemas/pipeline.ts'
import { isSameJson } from '../revisions/json-difference.ts'
import type { ReadNodes } from './file-nodes.ts'
import { fileNameOf, type OutputReferences } from './output-references.ts'
import type { FilePlace, SentFile } from './sent-file.ts'

export interface ReadAlerts {
  readonly alerts: readonly AlertDocument[]
  readonly problems: readonly Problem[]
}

/** Reads the alerts of a file in steps. An alert whose name its node already has is that same alert and keeps its id. */
export function* readingAlerts(
  sent: SentFile,
  place: FilePlace,
  { nodes, references, broken }: ReadNodes,
): Steps<ReadAlerts> {
  const byName = new Map(nodes.map(node => [fileNameOf(node), node]))
  const waiting = [...(place.before.alerts ?? [])]
  const alerts: AlertDocument[] = []
  const problems: Problem[] = []
  for (const [index, members] of sent.list('alerts').entries()) {
    yield
    const pointer = `/alerts/${index}`
    if (!isJsonObject(members) || sent.isFoundAt(pointer)) continue
    const node = byName.get(String(members.on))
    if (node === undefined || node.kind === 'sink') {
      const message = 'must be the name of a source or a processor of the file'
      problems.push({ instancePath: `${pointer}/on`, message })
      continue
    }
    if (broken.has(String(members.on))) continue
    const isIt = (alert: AlertDocument) =>
      alert.component_id === node.id && nameOf(alert.alert_config) === nameOf(members.config)
    const previous = waiting.find(isIt)
    if (previous !== undefined) waiting.splice(waiting.indexOf(previous), 1)
    const check = checkAlert(written(members, node, references), {
      catalogue: place.catalogue,
      pipelineId: place.pipelineId,
      node,
      previous,
    })
    if ('problems' in check) {
      for (const problem of inFile(check.problems, pointer)) problems.push(problem)
      continue
    }
    const alert: AlertDocument = { id: previous?.id ?? place.newAlertId(), ...check.stored }
    alerts.push(unlessChanged(previous, alert))
  }
  return { alerts, problems }
}

/** The alert in the form of requests. */
function written(members: JsonObject, node: DraftNode, references: OutputReferences): JsonObject {
  const outputs = references.of(node)
  const idOf = (input: JsonValue) => outputs.find(({ reference }) => reference === input)?.id ?? input
  const { inputs, active, config } = members
  return {
    component_kind: node.kind,
    inputs: Array.isArray(inputs) ? inputs.map(idOf) : outputs.map(({ id }) => id),
    ...(active !== undefined && { active }),
    alert_config: config as JsonObject,
  }
}

function inFile(problems: readonly Problem[], pointer: string): Problem[] {
  return problems.map(({ instancePath, message }) => ({
    instancePath: `${pointer}${instancePath.replace(/^\/alert_config/, '/config')}`,
    message: message.replace(/ of the path$/, ' that it is on'),
  }))
}

function nameOf(config: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(config) && isJsonObject(config.general) ? config.general.name : undefined
}

function unlessChanged(before: AlertDocument | undefined, alert: AlertDocument): AlertDocument {
  const isSame = before !== undefined && isSameJson(asJson(before), asJson(alert))
  return isSame ? before : alert
}

function asJson({ inputs, ...others }: AlertDocument): JsonObject {
  return { ...others, inputs: [...inputs] }
}
