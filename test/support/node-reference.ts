import { OPERATOR_NAMES, type Operator, operatorNamed } from '../../engine/conditions/operators.ts'
import { ERROR_CODES, type ErrorCode } from '../../engine/event/errors.ts'
import {
  Dropped,
  Failed,
  Gathered,
  type Outcome,
  PassedWithError,
  Routed,
  Settled,
  Split,
} from '../../engine/event/outcome.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import type {
  OwnStore,
  SendingDestination,
  ShownVerdict,
} from '../../engine/nodes/contract/define-destination.ts'
import type { Example, ExampleStep, Processor } from '../../engine/nodes/contract/define-processor.ts'
import type { PullExampleBatch } from '../../engine/nodes/contract/define-pull-source.ts'
import type { Source } from '../../engine/nodes/contract/define-source.ts'
import { COMMON_KEY_PLACES, type KeyPlace } from '../../engine/nodes/contract/key-place.ts'
import type { ConfigExample, NodeDeclaration } from '../../engine/nodes/contract/node-declaration.ts'
import type { SourceDeclaration } from '../../engine/nodes/contract/source-declaration.ts'
import type { Parser } from '../../engine/nodes/processors/parsers/define-parser.ts'
import { PARSERS } from '../../engine/nodes/processors/parsers/parsers.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { code, listed, table } from './markdown.ts'
import { type OptionSchema, optionRows } from './option-table.ts'
import { storedOptions } from './stored-options.ts'

const MAX_WIDTH = 100

const KINDS: readonly (readonly [NodeKind, title: string, about: string])[] = [
  ['source', 'Sources', 'Nodes that receive events. They are added with `POST /v3/pipeline/{id}/source`.'],
  [
    'transform',
    'Processors',
    'Nodes that change or select events. They are added with `POST /v3/pipeline/{id}/transform`.',
  ],
  ['sink', 'Destinations', 'Nodes that deliver events. They are added with `POST /v3/pipeline/{id}/sink`.'],
]

const INTRODUCTION = `# Nodes of pipelines

<!-- Made by \`npm run docs\` from the declarations in engine/nodes. -->

This page lists every type of node with its options, which are the members of \`user_config\`. The requests that write and
read nodes are in [openapi.json](openapi.json). A type that this version does not run is also checked, stored and returned, but a
pipeline that has one cannot be published.

[CONTRIBUTING.md](../CONTRIBUTING.md#adding-a-node-type) has the steps that add a type.

- The sent options and the defaults of all others are stored and returned by every read. An option without a default
  remains absent. The examples show both; a name that the server chooses is shown as \`XXXXXXXX\`.
- \`a.b\` is the member \`b\` of the object \`a\`, and \`a[].b\` that of every element of the list \`a\`. A member of an object
  is required only where the object is present.
- \`null\`, and members that are not listed, are refused. So is an option that does not fit the others, with a text that says so.

## Field paths

\`.app\` is a member of the message, \`.list[0].x\` goes deeper, \`."my-key"\` is the form of a name with other characters than
letters, digits and \`_\`, and \`.\` is the whole message. \`metadata\`, \`metadata.query.app\` and \`timestamp\` are beside the message.

## Conditions

\`{"expressions": […], "logical_operation": "AND"}\`, with \`AND\` (the default) or \`OR\`, of comparisons and of further
conditions. A comparison is \`{"field": ".level", "str_operator": "equal", "value": "debug"}\`; \`"negate": true\` inverts
it, and \`"case_sensitive": true\` distinguishes upper and lower case.`

/** Section on dead letters. */
const FAILURES = `## Events that fail

An event that fails at a node does not continue. It is counted, and becomes a dead letter if the pipeline
[keeps them](operations.md#events-that-fail). The last column of the tables of errors says for each node which errors fail an event:

- At a processor, an event with another error continues as the examples show, or is dropped. A node that drops events on purpose, such as
  a filter or a throttle, makes no dead letters of them. \`yes or no\`: it depends on the option, and the examples show it.
- At a destination, every error fails the event, except \`E_DELIVERY_RETRYING\`: the event waits, and its delivery is tried again.
- At a source, there is no event yet. The request is refused, or the message of another system is left out and reported.
- At every node, an event fails with \`E_EXPRESSION_COST\` when it costs more than its account has (see
  [operations.md](operations.md#what-expressions-may-cost)), or when an operator put it into quarantine at the node.`

const OPERANDS: Readonly<Record<Operator['operand'], string>> = {
  none: 'none',
  number: 'number',
  scalar: 'string or number',
  expression: 'regular expression',
  blocks: 'address, or block of addresses',
}

/** The reference page of all types of nodes, from their declarations. */
export function nodeReference(): string {
  return `${[
    INTRODUCTION,
    operatorTable(),
    FAILURES,
    ...KINDS.flatMap(([kind, title, about]) => [
      `## ${title}`,
      about,
      overview(kind),
      ...CATALOGUE.declarations[kind].map(declaration => nodeSection(kind, declaration)),
    ]),
  ].join('\n\n')}\n`
}

function operatorTable(): string {
  const ofOperand = Map.groupBy(
    OPERATOR_NAMES.filter(name => !isChange(name)),
    name => operatorNamed(name)?.operand,
  )
  const rows = [...ofOperand].map(([operand = 'none', names]) => [OPERANDS[operand], listed(names)])
  const change = listed(OPERATOR_NAMES.filter(isChange))
  return table(
    ['Operand', 'Operators'],
    [...rows, ['number; only where change operators are allowed', change]],
  )
}

function isChange(name: string): boolean {
  return operatorNamed(name)?.change ?? false
}

function overview(kind: NodeKind): string {
  const rows = CATALOGUE.declarations[kind].map(({ type, summary }) => [
    `[\`${type}\`](#${anchorOf(kind, type)})`,
    CATALOGUE.isBuilt(kind, type) ? 'yes' : 'not yet',
    summary,
  ])
  return table(['Type', 'Runs', 'Description'], rows)
}

/** The anchor that is made of a heading; types of different kinds share names, so the heading has both. */
function anchorOf(kind: NodeKind, type: string): string {
  return `${kind}-${type}`
}

function nodeSection(kind: NodeKind, declaration: NodeDeclaration): string {
  const { type, aliases = [], summary, notes = [], config, configs } = declaration
  const processor = kind === 'transform' ? CATALOGUE.processorOf(type) : undefined
  return [
    `### ${kind} \`${type}\``,
    summary,
    aliases.length === 0 ? '' : `Also called ${listed(aliases)}; answers contain the name that was sent.`,
    CATALOGUE.isBuilt(kind, type) ? '' : 'This version does not run it.',
    optionTable(config as OptionSchema),
    notes.map(note => `- ${note}`).join('\n'),
    type === 'parse' ? parserSection() : '',
    type === 'parse-sequentially'
      ? `Parsers and their options are those of [\`parse\`](#${anchorOf(kind, 'parse')}).`
      : '',
    ...configs.map(configExample),
    ...(processor === undefined ? [] : processorSections(processor)),
    ...(kind === 'source' ? sectionsOfSource(type) : []),
    ...(kind === 'sink' ? sectionsOfDestination(type) : []),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

function optionTable(schema: OptionSchema): string {
  const rows = optionRows(schema)
  if (rows.length === 0) return 'It has no options.'
  return table(
    ['Option', 'Type', 'Required', 'Default', 'Bounds', 'Meaning'],
    rows.map(({ name, type, isRequired, fallback, bounds, description }) => [
      code(name),
      type,
      isRequired ? 'yes' : '',
      fallback === undefined ? '' : code(jsonText(fallback)),
      bounds,
      description,
    ]),
  )
}

function parserSection(): string {
  const parsers = [...PARSERS]
  const plain = parsers.filter(([, { options }]) => options === undefined).map(([id]) => id)
  const withOptions = parsers.flatMap(([id, { options, optionsRequired = false }]) =>
    options === undefined
      ? []
      : [
          `Options of \`${id}\`${optionsRequired ? ', which it needs' : ''}:`,
          optionTable(options as OptionSchema),
        ],
  )
  const examples = parsers.flatMap(([id, parser]) => [`Examples of \`${id}\`:`, parserTable(parser)])
  return [`Parsers without options: ${listed(plain)}.`, ...withOptions, ...examples].join('\n\n')
}

function parserTable({ examples }: Parser): string {
  return table(
    ['Text', 'Options', 'Result'],
    examples.map(({ text, options, value }) => [
      code(jsonText(text)),
      options === undefined ? '' : code(jsonText(options)),
      value === undefined ? 'not accepted' : code(jsonText(value)),
    ]),
  )
}

function configExample(example: ConfigExample): string {
  const { sent, defaults } = example
  if (defaults === undefined) return `For example, stored as it is:\n\n${jsonBlock(sent)}`
  return `For example:\n\n${jsonBlock(sent)}\n\nis stored as\n\n${jsonBlock(storedOptions(example))}`
}

function processorSections({ errors, causes, examples }: Processor): string[] {
  const outcomes = new Set(examples.flatMap(({ steps }) => steps.map(({ outcome }) => outcomeKind(outcome))))
  return [
    `Outcomes of an event: ${[...outcomes].join(', ')}.`,
    errorTable(errors, error => letterMade(error, examples) ?? 'no', causes),
    ...examples.map(workedExample),
  ]
}

/** @param makesLetter whether an event that reports the error is a dead letter @param causes see `Processor.causes` */
function errorTable(
  errors: readonly ErrorCode[],
  makesLetter: (error: ErrorCode) => LetterMade,
  causes: Processor['causes'] = {},
): string {
  return errors.length === 0
    ? ''
    : table(
        ['Error', 'Raised when', 'Dead letter'],
        errors.map(error => [code(error), causes[error] ?? ERROR_CODES[error], makesLetter(error)]),
      )
}

type LetterMade = 'yes' | 'no' | 'yes or no'

/**
 * Whether an event that reports an error at a processor fails, by the examples: one shows each error.
 *
 * @returns undefined when no example shows it
 */
export function letterMade(error: ErrorCode, examples: readonly Example[]): LetterMade | undefined {
  // The node does not decide it, so its examples do not show it.
  if (error === 'E_EXPRESSION_COST') return 'yes'
  const steps = examples.flatMap(example => example.steps)
  const fails = steps.some(({ outcome }) => outcome instanceof Failed && outcome.code === error)
  const continues = steps.some(
    step => !(step.outcome instanceof Failed) && reported(step).some(([found]) => found === error),
  )
  if (fails && continues) return 'yes or no'
  if (fails) return 'yes'
  return continues ? 'no' : undefined
}

function letterAtDestination(error: ErrorCode): LetterMade {
  return error === 'E_DELIVERY_RETRYING' ? 'no' : 'yes'
}

function sectionsOfSource(type: string): readonly string[] {
  const declaration = CATALOGUE.sourceOf(type)
  return declaration === undefined ? [] : sourceSections(declaration, CATALOGUE.runningSourceOf(type))
}

function sectionsOfDestination(type: string): readonly string[] {
  const destination = CATALOGUE.destinationOf(type)
  return destination === undefined ? [] : destinationSections(destination)
}

/** Sections about a source beyond its options. */
export function sourceSections(
  { entrance, keys }: SourceDeclaration,
  running: Source | undefined,
): readonly string[] {
  return [
    entrance === 'gateway' ? `Places of the access key: ${keyPlaces(keys)}.` : '',
    running !== undefined && 'errors' in running ? errorTable(running.errors, () => 'no') : '',
    running === undefined ? '' : `Worked examples:\n\n${sourceExamples(running)}`,
  ]
}

function keyPlaces(places: readonly KeyPlace[] = COMMON_KEY_PLACES): string {
  return places
    .map(place => {
      if ('parameter' in place) return code(`?${place.parameter}=<key>`)
      const { header, scheme } = place
      if (scheme === 'basic') return `the password in ${code(`${header}: basic`)}`
      return code(`${header}: ${scheme === undefined ? '' : `${scheme} `}<key>`)
    })
    .join(', ')
}

function sourceExamples(source: Source): string {
  switch (source.entrance) {
    case 'ingest':
      return table(
        ['Rule', 'Hostname', 'Body', 'Messages'],
        source.examples.map(({ title, hostname, body, messages }) => [
          title,
          code(hostname),
          code(body),
          listedMessages(messages),
        ]),
      )
    case 'gateway':
      return table(
        ['Rule', 'Options', 'Body', 'Messages'],
        source.examples.map(({ title, config, head, body, messages, refused, reply }) => [
          title,
          code(jsonText(config)),
          `${code(jsonText(body))}${head === undefined ? '' : `, request ${code(JSON.stringify(head))}`}`,
          (messages === undefined ? `refused: ${errorName(refused)}` : listedMessages(messages) || 'none') +
            (reply === undefined ? '' : `; answer ${code(JSON.stringify(reply))}`),
        ]),
      )
    case 'pull':
      return table(
        ['Rule', 'Options', 'Other system', 'Batches'],
        source.examples.map(({ title, config, remote, from, batches }) => [
          title,
          code(jsonText(config)),
          code(jsonText(remote)),
          `${from === undefined ? '' : `from ${code(jsonText(from))}: `}${batches.map(pulledBatch).join('; ')}`,
        ]),
      )
  }
}

function pulledBatch({ messages, refused = [], position }: PullExampleBatch): string {
  const parts = [listedMessages(messages), ...refused.map(error => `refused: ${errorName(error)}`)]
  return `${parts.filter(part => part !== '').join(', ')} up to ${code(jsonText(position))}`
}

/** Sections about a destination beyond its options. */
export function destinationSections(destination: OwnStore | SendingDestination): readonly string[] {
  const examples =
    destination.delivery === 'lines'
      ? table(
          ['Rule', 'Options', 'Events', 'Outcome'],
          destination.examples.map(({ title, config, event, line, failed }) => [
            title,
            code(jsonText(config)),
            code(jsonText(event)),
            line === undefined ? `failed: ${errorName(failed)}` : `line ${code(jsonText(line))}`,
          ]),
        )
      : table(
          ['Rule', 'Options', 'Events', 'Outcome'],
          destination.examples.map(({ title, config, events, never = {}, requests, answers = [] }) => [
            title,
            code(jsonText(config)),
            listedMessages(events),
            [
              ...Object.entries(never).map(
                ([index, failed]) =>
                  `${code(jsonText(events[Number(index)] ?? null))} is never sent: ${errorName(failed)}`,
              ),
              requests.length === 0 ? 'no request' : listedMessages(requests),
              ...answers.map(
                ({ answer, verdict }) => `answer ${code(jsonText(answer))}: ${verdictName(verdict)}`,
              ),
            ].join('; '),
          ]),
        )
  return [errorTable(destination.errors, letterAtDestination), `Worked examples:\n\n${examples}`]
}

function verdictName(verdict: ShownVerdict | readonly ShownVerdict[]): string {
  return [verdict]
    .flat()
    .map(each => (typeof each === 'string' ? each : `failed: ${errorName(each.failed)}`))
    .join(', ')
}

function errorName(error: readonly [ErrorCode, string | null] | undefined): string {
  if (error === undefined) return ''
  const [name, field] = error
  return field === null ? code(name) : `${code(name)} at ${code(field)}`
}

function workedExample({ title, config, bounds, steps }: Example): string {
  const within = bounds === undefined ? '' : `, with the bounds ${code(JSON.stringify(bounds))}`
  const isTimed = steps.some(({ atMs }) => atMs !== undefined)
  const hasErrors = steps.some(step => errorsOf(step).length > 0)
  const rows = steps.map(step => [
    ...(isTimed ? [`${step.atMs ?? 0} ms`] : []),
    eventCell(step),
    outcomeCell(step),
    ...(hasErrors ? [errorsOf(step).join(', ')] : []),
  ])
  const heading = [...(isTimed ? ['At'] : []), 'Event', 'Outcome', ...(hasErrors ? ['Errors'] : [])]
  return `Worked example: ${title}${within}.\n\n${jsonBlock(config)}\n\n${table(heading, rows)}`
}

function eventCell({ event, envelope = {}, released = [], leftOut = [] }: ExampleStep): string {
  const { metadata, timestamp } = envelope
  return [
    ...(released.length === 0 ? [] : [`before it, time gives ${listedMessages(released)}`]),
    ...(leftOut.length === 0 ? [] : [`before it, time leaves out ${listedMessages(leftOut)}`]),
    code(jsonText(event)),
    ...(metadata === undefined ? [] : [`metadata ${code(jsonText(metadata))}`]),
    ...(timestamp === undefined ? [] : [`timestamp ${code(timestamp)}`]),
  ].join(', ')
}

function outcomeCell(step: ExampleStep): string {
  const { event, outcome, metadataAfter, timestampAfter, annotationsAfter } = step
  const changed = (message: JsonValue) =>
    jsonText(message) === jsonText(event) ? '' : ` as ${code(jsonText(message))}`
  const metadata = metadataAfter === undefined ? '' : `, metadata ${code(jsonText(metadataAfter))}`
  const timestamp = timestampAfter === undefined ? '' : `, timestamp ${code(timestampAfter)}`
  const annotations =
    annotationsAfter === undefined ? '' : `, annotations ${code(jsonText(annotationsAfter))}`
  return `${outcomeKind(outcome)}${detailOf(outcome, changed)}${metadata}${timestamp}${annotations}`
}

function detailOf(outcome: Outcome<ErrorCode, JsonValue>, changed: (message: JsonValue) => string): string {
  if (outcome instanceof Dropped || outcome instanceof Failed) return ''
  if (outcome instanceof Split) return ` into ${listedMessages([...outcome.events])}`
  if (outcome instanceof Gathered)
    return outcome.released.length === 0 ? '' : `; out comes ${listedMessages(outcome.released)}`
  if (outcome instanceof Settled) {
    const { released, leftOut } = outcome
    const left = leftOut.map(({ event: message }) => message)
    return [
      ...(released.length === 0 ? [] : [`; after it come ${listedMessages(released)}`]),
      ...(left.length === 0 ? [] : [`; held before, and dropped with it: ${listedMessages(left)}`]),
    ].join('')
  }
  if (outcome instanceof Routed) return ` by ${listed(outcome.outputs)}${changed(outcome.event)}`
  return changed(outcome instanceof PassedWithError ? outcome.event : outcome)
}

function outcomeKind(outcome: Outcome<ErrorCode, JsonValue>): string {
  if (outcome instanceof Dropped) return 'dropped'
  if (outcome instanceof Failed) return 'failed'
  if (outcome instanceof Split) return 'split'
  if (outcome instanceof Gathered) return outcome.merged ? 'merged' : 'held'
  if (outcome instanceof Settled) return outcome.fate === 'passed' ? 'passes' : outcome.fate
  if (outcome instanceof Routed) return 'leaves'
  return 'passes'
}

function errorsOf(step: ExampleStep): string[] {
  return reported(step).map(([error, field]) => `${code(error)}${field === null ? '' : ` at ${code(field)}`}`)
}

function reported({ outcome, errors = [] }: ExampleStep): readonly (readonly [ErrorCode, string | null])[] {
  return errors.length === 0 && (outcome instanceof PassedWithError || outcome instanceof Failed)
    ? [[outcome.code, outcome.detail.field ?? null]]
    : errors
}

function listedMessages(messages: readonly JsonValue[]): string {
  return messages.map(message => code(jsonText(message))).join(', ')
}

function jsonBlock(value: JsonObject): string {
  return `\`\`\`json\n${shownJson(value, '')}\n\`\`\``
}

/** JSON on one line if it fits, else one member per line. */
function shownJson(value: JsonValue, indent: string): string {
  const deeper = `${indent}  `
  const items = Array.isArray(value)
    ? value.map(item => shownJson(item, deeper))
    : isJsonObject(value)
      ? Object.entries(value).map(([key, member]) => `${jsonText(key)}: ${shownJson(member, deeper)}`)
      : undefined
  if (items === undefined) return jsonText(value)
  const [opening, closing] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const pad = Array.isArray(value) || items.length === 0 ? '' : ' '
  const line = `${opening}${pad}${items.join(', ')}${pad}${closing}`
  if (!line.includes('\n') && indent.length + line.length <= MAX_WIDTH) return line
  return `${opening}\n${items.map(item => `${deeper}${item}`).join(',\n')}\n${indent}${closing}`
}
