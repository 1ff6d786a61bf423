import { Plus, Trash2, X } from 'lucide-react'
import { useId } from 'react'
import { Menu } from '../../shell/menu.tsx'
import {
  closesCircle,
  placeOf,
  withChangedNode,
  withConnection,
  withoutConnection,
} from '../document/edits.ts'
import type { FileNode, JsonObject, PipelineFile } from '../document/file.ts'
import { nodeNamed, nodesOf, type PlacedNode, partsOf, titleOf } from '../document/nodes.ts'
import { outputsOf } from '../document/outputs.ts'
import type { Draft } from '../draft/use-draft.ts'
import { Findings } from '../form/described.tsx'
import formStyle from '../form/form.module.css'
import { type FieldFinding, FormContext } from '../form/form-context.ts'
import { OptionForm } from '../form/option-form.tsx'
import type { OptionSchema } from '../form/schema.ts'
import type { NodeType } from '../requests.ts'
import { TEXT } from '../texts.ts'
import style from './node.module.css'

const CONFIG = '/config'
const PATH_LIST = 'field-paths'

interface EditedNodeProps {
  readonly placed: PlacedNode
  readonly draft: Draft
  readonly type: NodeType | undefined
  readonly onRemove: () => void
}

/** Fields of a node of the draft: its title, its inputs, and its options. */
export function EditedNode({ placed, draft, type, onRemove }: EditedNodeProps) {
  const { node, kind } = placed
  const { document, findings, change } = draft
  const set = (changed: FileNode, place: string) =>
    change(withChangedNode(document, node.name, changed), `${node.name} ${place}`)
  const own = findings
    .map(({ place, message }) => ({ ...placeOf(document, place), message }))
    .filter(each => each.node === node.name)
  const ofOptions = own
    .filter(({ pointer }) => pointer === CONFIG || pointer.startsWith(`${CONFIG}/`))
    .map(({ pointer, message }) => ({ pointer: pointer.slice(CONFIG.length), message }))
  const rest = own.filter(({ pointer }) => !pointer.startsWith(CONFIG) && !pointer.startsWith('/inputs'))
  return (
    <div className={formStyle.form}>
      <Findings messages={rest.map(({ message }) => message)} />
      <TitleField node={node} onChange={title => set(withTitle(node, title), '/title')} />
      {kind !== 'source' && (
        <Inputs
          node={node}
          document={document}
          findings={own.filter(({ pointer }) => pointer.startsWith('/inputs'))}
          onChange={change}
        />
      )}
      {type !== undefined && (
        <Options
          type={type}
          node={node}
          findings={ofOptions}
          onChange={(config, place) => set(withConfig(node, config), place)}
        />
      )}
      <div className={style.actions}>
        <button type="button" className="button" onClick={onRemove}>
          <Trash2 size={14} aria-hidden />
          {TEXT.edit.removeNode}
        </button>
      </div>
    </div>
  )
}

function TitleField({
  node,
  onChange,
}: {
  readonly node: FileNode
  readonly onChange: (title: string) => void
}) {
  const id = useId()
  return (
    <div className={formStyle.field}>
      <label htmlFor={id} className={formStyle.label}>
        {TEXT.title}
      </label>
      <input
        id={id}
        className={`field ${formStyle.text}`}
        value={node.title ?? ''}
        placeholder={titleOf(node)}
        maxLength={256}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value)}
      />
      <p className={formStyle.description}>
        {TEXT.name}: <code>{node.name}</code>
      </p>
    </div>
  )
}

function Options({
  type,
  node,
  findings,
  onChange,
}: {
  readonly type: NodeType
  readonly node: FileNode
  readonly findings: readonly FieldFinding[]
  readonly onChange: (config: JsonObject, place: string) => void
}) {
  const schema = type.config as OptionSchema
  if (Object.keys(schema.properties ?? {}).length === 0)
    return (
      <>
        <p className="soft">{TEXT.noOptions}</p>
        <Findings messages={findings.map(({ message }) => message)} />
      </>
    )
  return (
    <FormContext value={{ findings, pathList: PATH_LIST }}>
      <FieldPaths />
      <OptionForm
        schema={schema}
        value={node.config ?? {}}
        pointer=""
        onChange={(config, place) => onChange(config, place)}
      />
      <Menu className="button" side="above" button={TEXT.takeExample}>
        {close => (
          <div className={style.choices}>
            {type.examples.map(({ title, user_config: config }, index) => (
              <button
                // biome-ignore lint/suspicious/noArrayIndexKey: titles of examples can repeat
                key={index}
                type="button"
                className="quiet"
                onClick={() => {
                  onChange(config as JsonObject, '')
                  close()
                }}
              >
                {title ?? TEXT.example(index + 1)}
              </button>
            ))}
          </div>
        )}
      </Menu>
    </FormContext>
  )
}

/** Paths that most events have, for completion. */
function FieldPaths() {
  return (
    <datalist id={PATH_LIST}>
      {['.line', '.app', '.host', '.level', '.meta', 'metadata', 'timestamp'].map(path => (
        <option key={path} value={path} />
      ))}
    </datalist>
  )
}

function Inputs({
  node,
  document,
  findings,
  onChange,
}: {
  readonly node: FileNode
  readonly document: PipelineFile
  readonly findings: readonly { readonly message: string }[]
  readonly onChange: (document: PipelineFile) => void
}) {
  const id = useId()
  const inputs = node.inputs ?? []
  const open = nodesOf(document)
    .filter(({ kind, node: { name } }) => kind !== 'sink' && !closesCircle(document, name, node.name))
    .flatMap(({ node: from }) => outputsOf(from).map(output => ({ from, ...output })))
    .filter(({ reference }) => !inputs.includes(reference))
  return (
    <fieldset className={formStyle.group}>
      <legend>{TEXT.inputs}</legend>
      {inputs.length === 0 && <p className={formStyle.description}>{TEXT.noInputs}</p>}
      <ul className={style.inputs}>
        {inputs.map(reference => (
          <li key={reference}>
            <span>{referenceText(document, reference)}</span>
            <button
              type="button"
              className="quiet icon"
              aria-label={TEXT.removeInput(referenceText(document, reference))}
              onClick={() => onChange(withoutConnection(document, reference, node.name))}
            >
              <X size={14} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      {open.length > 0 && (
        <div className={style.addInput}>
          <Plus size={14} aria-hidden />
          <label htmlFor={id} className="hidden">
            {TEXT.addInput}
          </label>
          <select
            id={id}
            className="field"
            value=""
            onChange={({ target }) => onChange(withConnection(document, target.value, node.name))}
          >
            <option value="">{TEXT.addInput}</option>
            {open.map(({ reference }) => (
              <option key={reference} value={reference}>
                {referenceText(document, reference)}
              </option>
            ))}
          </select>
        </div>
      )}
      <Findings messages={findings.map(({ message }) => message)} />
    </fieldset>
  )
}

/** An output for people: the title of its node, and its label. */
function referenceText(document: PipelineFile, reference: string): string {
  const { name, output } = partsOf(reference)
  const node = nodeNamed(document, name)?.node
  const title = node === undefined ? name : titleOf(node)
  if (output === undefined) return title
  const label = node && outputsOf(node).find(each => each.reference === reference)?.label
  return `${title}: ${label ?? output}`
}

function withTitle(node: FileNode, title: string): FileNode {
  const { title: _, ...rest } = node
  return title === '' ? rest : { ...rest, title }
}

export function withConfig(node: FileNode, config: JsonObject): FileNode {
  const { config: _, ...rest } = node
  return Object.keys(config).length === 0 ? rest : { ...rest, config }
}
