import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type PipelineGraph, readGraph } from '../../api/pipelines.ts'
import { Problem } from '../../api/problem.ts'
import { readDeliveries, readErrorCounts } from '../../api/trouble.ts'
import { usePreferences } from '../../shell/preferences.ts'
import { Empty, Loading, ProblemBox } from '../../shell/states.tsx'
import { type DraftChanges, draftChanges } from '../document/draft-changes.ts'
import { closesCircle, withConnection, withNode, withoutNode, withPastedNodes } from '../document/edits.ts'
import type { PipelineFile } from '../document/file.ts'
import { nodeNamed, nodesOf, type PlacedNode } from '../document/nodes.ts'
import { outputsOf } from '../document/outputs.ts'
import type { Draft } from '../draft/use-draft.ts'
import { firstOptions, type OptionSchema } from '../form/schema.ts'
import { Canvas } from '../graph/canvas.tsx'
import type { FiguresByEdge, MarksByName } from '../graph/figures.ts'
import { Outline } from '../graph/outline.tsx'
import { namedFigures } from '../graph/running-counts.ts'
import { COUNT_PERIODS, type CountPeriod, useRunningCounts } from '../graph/use-counts.ts'
import { NodePanel } from '../node/node-panel.tsx'
import type { OpenDraft } from '../open-draft.ts'
import type { NodeType } from '../requests.ts'
import { TEXT } from '../texts.ts'
import { AddNode } from './add-node.tsx'
import { ConnectNode } from './connect-node.tsx'
import { useEditKeys } from './edit-keys.ts'
import { FindingsBar, findingsOf, type PlacedFinding } from './findings-bar.tsx'
import { GraphBar } from './graph-bar.tsx'
import { useMarks } from './graph-marks.ts'
import { useNodeClipboard } from './node-clipboard.ts'
import style from './page.module.css'
import { useViewParameters, type ViewParameters } from './view-parameters.ts'

const POLL_MS = 15_000
const HOURS_OF_DAY = 24

/** The draft, or what runs, as a graph with the panel of the selected node. */
export function GraphTab(open: OpenDraft) {
  const { pipeline, draft, types, canWrite, canTap } = open
  const parameters = useViewParameters(periodsOf(open))
  const { view, select } = parameters
  const shown = useShownGraph(open, parameters)
  const { graph, document, figures, marks, changes } = shown
  const selected = selectedName(graph, parameters.selected)
  const placed = document && selected !== null ? nodeNamed(document, selected) : undefined
  const drawn = parameters.showsChanges ? (changes?.drawn ?? document) : document
  // A removed node is still drawn beside the draft, and can be looked at.
  const opened = placed ?? (drawn && selected !== null ? nodeNamed(drawn, selected) : undefined)
  const own = graph?.nodes.find(({ name }) => name === opened?.node.name)
  const isEdited = view === 'draft' && canWrite
  const { hasLeft } = usePreferences()
  const findings = isEdited ? findingsOf(draft) : []
  const edits = useGraphEdits({ draft, document, isEdited, selected, placed, findings, onSelect: select })
  const { isAdding, setAdding, isConnecting, setConnecting } = edits
  return (
    <div className={style.graphTab}>
      <GraphBar
        parameters={parameters}
        canWrite={canWrite}
        periods={periodsOf(open)}
        changes={changes}
        onAdd={() => setAdding(true)}
      />
      {edits.hadNoNodes && (
        <p className={style.notice} role="status">
          {TEXT.edit.nothingToPaste}
        </p>
      )}
      {shown.countsError !== null && <ProblemBox error={shown.countsError} onRetry={shown.retryCounts} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Esc closes the panel from everywhere */}
      <div
        className={style.areas}
        data-left={hasLeft}
        data-has-panel={opened !== undefined || undefined}
        onKeyDown={event => {
          if (event.key === 'Escape') select(null)
        }}
      >
        <Loading isLoading={shown.isLoading} />
        <NoGraph
          document={document}
          error={shown.error}
          onRetry={shown.retry}
          onDraft={() => parameters.setView('draft')}
          onAdd={isEdited ? () => setAdding(true) : undefined}
        />
        <Drawing
          {...{ marks, selected, draft }}
          document={drawn}
          edges={figures?.edges}
          changes={parameters.showsChanges ? changes : undefined}
          canConnect={isEdited}
          onSelect={select}
        />
        {opened !== undefined && document !== undefined && graph !== undefined && (
          <NodePanel
            key={`${view} ${opened.node.name}`}
            pipelineId={pipeline.id}
            placed={opened}
            isRemoved={placed === undefined}
            document={document}
            nodeId={own?.id}
            sends={own?.sends === true}
            types={types}
            draft={isEdited && placed !== undefined ? draft : undefined}
            canTap={view === 'deployed' && canWrite && canTap}
            canWrite={canWrite}
            seesLines={open.canCount}
            revision={view}
            errors={marks.get(opened.node.name)?.errors ?? 0}
            onClose={() => select(null)}
          />
        )}
      </div>
      <FindingsBar findings={findings} onSelect={select} />
      {isAdding && <AddNode types={types} onChoose={edits.add} onClose={() => setAdding(false)} />}
      {isConnecting && placed !== undefined && (
        <ConnectNode
          document={draft.document}
          from={placed}
          onChoose={(reference, to) => {
            draft.change(withConnection(draft.document, reference, to))
            setConnecting(false)
          }}
          onClose={() => setConnecting(false)}
        />
      )}
    </div>
  )
}

/** Edits of the draft by keys, by the clipboard, and by the dialog that adds a node. */
function useGraphEdits({
  draft,
  document,
  isEdited,
  selected,
  placed,
  findings,
  onSelect,
}: {
  readonly draft: Draft
  readonly document: PipelineFile | undefined
  readonly isEdited: boolean
  readonly selected: string | null
  /** The selected node, if the draft has it. */
  readonly placed: PlacedNode | undefined
  readonly findings: readonly PlacedFinding[]
  readonly onSelect: (name: string | null) => void
}) {
  const [isAdding, setAdding] = useState(false)
  const [isConnecting, setConnecting] = useState(false)
  const [hadNoNodes, setHadNoNodes] = useState(false)
  const hasOutputs = placed !== undefined && placed.kind !== 'sink'
  useEditKeys(isEdited, {
    onAdd: () => setAdding(true),
    onConnect: () => setConnecting(hasOutputs),
    onRemove: () => {
      if (selected === null || placed === undefined) return
      draft.change(withoutNode(draft.document, selected))
      onSelect(null)
    },
    onNextFinding: () => {
      const named = findings.flatMap(({ node }) => node ?? [])
      const next = named[(named.indexOf(selected ?? '') + 1) % named.length]
      if (next !== undefined) onSelect(next)
    },
  })
  const paste = (pasted: PipelineFile | undefined) => {
    setHadNoNodes(pasted === undefined)
    if (pasted === undefined) return
    const added = withPastedNodes(draft.document, pasted)
    draft.change(added.document)
    onSelect(added.names[0] ?? null)
  }
  useNodeClipboard({ document, selected, onPaste: isEdited ? paste : undefined })
  const add = ({ kind, type, config }: NodeType) => {
    const input = hasOutputs ? outputsOf(placed.node)[0]?.reference : undefined
    const options = firstOptions(config as OptionSchema)
    const added = withNode(draft.document, { kind, type, config: options, input })
    draft.change(added.document)
    setAdding(false)
    onSelect(added.name)
  }
  return { isAdding, setAdding, isConnecting, setConnecting, hadNoNodes, add }
}

/** Name of the selected node; links of other pages have its id. */
function selectedName(graph: PipelineGraph | undefined, selected: string | null): string | null {
  return graph?.nodes.find(({ id }) => id === selected)?.name ?? selected
}

function isIn({ document }: Draft, name: string): boolean {
  return nodeNamed(document, name) !== undefined
}

/** The graph beside its outline. */
function Drawing({
  document,
  marks,
  edges,
  changes,
  selected,
  draft,
  canConnect,
  onSelect,
}: {
  readonly document: PipelineFile | undefined
  readonly marks: MarksByName
  readonly edges: FiguresByEdge | undefined
  readonly changes: DraftChanges | undefined
  readonly selected: string | null
  readonly draft: Draft
  readonly canConnect: boolean
  readonly onSelect: (name: string | null) => void
}) {
  if (document === undefined || nodesOf(document).length === 0) return null
  return (
    <>
      <div className={style.side}>
        <Outline {...{ document, marks, selected, onSelect }} />
      </div>
      <div className={style.canvas}>
        <Canvas
          {...{ document, marks, selected, onSelect }}
          figures={edges}
          changes={changes?.edges}
          {...(canConnect && {
            onConnect: (reference, to) => draft.change(withConnection(document, reference, to)),
            canConnect: (from, to) =>
              isIn(draft, from) && isIn(draft, to) && !closesCircle(draft.document, from, to),
          })}
        />
      </div>
    </>
  )
}

/** The graph of a view with what is known about its nodes. */
function useShownGraph(
  { pipeline, draft, canCount, canWrite }: OpenDraft,
  { view, period, showsChanges }: ViewParameters,
) {
  const isDraft = view === 'draft'
  const deployed = useQuery({
    queryKey: ['graph', pipeline.id, 'deployed', pipeline.deployed_revision_id],
    queryFn: ({ signal }) => readGraph(pipeline.id, 'deployed', signal),
    // The draft is compared with it.
    enabled: !isDraft || pipeline.deployed_revision_id !== null,
  })
  const errors = useQuery({
    queryKey: ['error-counts', HOURS_OF_DAY, pipeline.id],
    queryFn: ({ signal }) => readErrorCounts(HOURS_OF_DAY, { pipeline: pipeline.id }, signal),
    enabled: canWrite && canCount,
    refetchInterval: POLL_MS,
  })
  const deliveries = useQuery({
    queryKey: ['deliveries'],
    queryFn: ({ signal }) => readDeliveries(signal),
    refetchInterval: POLL_MS,
  })
  const graph = isDraft ? draft.base : deployed.data
  const document = isDraft ? draft.document : deployed.data?.document
  const isCounted = !isDraft && canCount && deployed.data !== undefined
  const { counts, error: countsError, retry: retryCounts } = useRunningCounts(pipeline.id, period, isCounted)
  const figures = useMemo(
    () => (isCounted ? namedFigures(deployed.data.document, deployed.data, counts) : undefined),
    [isCounted, deployed.data, counts],
  )
  const running = deployed.data?.document
  const changes = useMemo(() => {
    if (!isDraft || running === undefined || document === undefined) return undefined
    const found = draftChanges(running, document)
    return found.nodes.size + found.edges.size === 0 ? undefined : found
  }, [isDraft, running, document])
  const marks = useMarks({
    document,
    graph,
    errors: errors.data,
    deliveries: deliveries.data,
    draft: isDraft ? draft : undefined,
    changes: showsChanges ? changes : undefined,
    figures: figures?.nodes,
  })
  return {
    ...{ graph, document, figures, marks, changes, countsError, retryCounts },
    isLoading: !isDraft && deployed.isFetching,
    error: isDraft ? null : deployed.error,
    retry: () => void deployed.refetch(),
  }
}

function periodsOf({ canCount, hasLiveCounts }: OpenDraft): readonly CountPeriod[] {
  if (!canCount) return []
  return hasLiveCounts ? COUNT_PERIODS : COUNT_PERIODS.filter(each => each !== 'live')
}

/** Why there is no graph to see: nothing runs, it could not be read, or there are no nodes. */
function NoGraph({
  document,
  error,
  onRetry,
  onDraft,
  onAdd,
}: {
  readonly document: PipelineFile | undefined
  readonly error: Error | null
  readonly onRetry: () => void
  readonly onDraft: () => void
  /** Absent where nothing may be added. */
  readonly onAdd: (() => void) | undefined
}) {
  if (error instanceof Problem && error.status === 404)
    return (
      <Empty
        title={TEXT.notDeployed}
        action={
          <button type="button" className="button" onClick={onDraft}>
            {TEXT.toDraft}
          </button>
        }
      >
        <p>{TEXT.notDeployedWhy}</p>
      </Empty>
    )
  return (
    <>
      {error !== null && <ProblemBox error={error} onRetry={onRetry} />}
      {document !== undefined && nodesOf(document).length === 0 && (
        <Empty
          title={TEXT.noNodes}
          action={
            onAdd && (
              <button type="button" className="button" onClick={onAdd}>
                {TEXT.edit.addNode}
              </button>
            )
          }
        >
          <p>{TEXT.noNodesWhy}</p>
        </Empty>
      )}
    </>
  )
}
