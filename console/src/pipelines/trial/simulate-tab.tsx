import { useMutation } from '@tanstack/react-query'
import { Play, Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { keep, keptValue } from '../../api/kept.ts'
import { CodeEditor } from '../../components/code-editor.tsx'
import { count } from '../../numbers.ts'
import { Empty, Loading, ProblemBox } from '../../shell/states.tsx'
import type { PipelineFile } from '../document/file.ts'
import { connectionsOf, edgeId, nodeNamed, nodesOf, titleOf } from '../document/nodes.ts'
import { outputsOf } from '../document/outputs.ts'
import { Canvas } from '../graph/canvas.tsx'
import { type FiguresByEdge, type MarksByName, NO_MARKS } from '../graph/figures.ts'
import type { OpenDraft } from '../open-draft.ts'
import { type SimulationRecord, simulate } from '../requests.ts'
import { joinedSamples, samplesKey } from '../samples.ts'
import { TEXT } from '../texts.ts'
import { MissingSecrets } from './missing-secrets.tsx'
import { NodeOutcome } from './node-outcome.tsx'
import style from './trial.module.css'

/** Most simulations do not need it. */
const SearchSamplesDialog = lazy(() => import('./search-samples-dialog.tsx'))

const LINES = 12
const KEEP_AFTER_MS = 500

/** Runs samples through the document as it stands on the screen. Nothing is sent or stored. */
export default function SimulateTab({ pipeline, draft, canExplain }: OpenDraft) {
  const { document } = draft
  const [samples, setSamples] = useKeptSamples(pipeline.id)
  const sources = nodesOf(document).filter(({ kind }) => kind === 'source')
  const [source, setSource] = useState<string>()
  const [selected, setSelected] = useState<string | null>(null)
  const lacksSecrets = draft.missingSecrets.length > 0
  const run = useMutation({
    mutationFn: () => simulate(pipeline.id, document, samples, source ?? sources[0]?.node.name),
  })
  const { data: record, error, isPending, mutate } = run
  useFirstRun(samples !== '' && !lacksSecrets, mutate)
  const byName = useMemo(() => new Map(record?.nodes.map(node => [node.name ?? node.id, node])), [record])
  const marks = useMemo(() => marksOf(byName), [byName])
  const edges = useMemo(() => record && edgeFigures(document, record, byName), [document, record, byName])
  const shown = selected ?? nodesOf(document).find(({ kind }) => kind === 'sink')?.node.name ?? null
  const placed = shown === null ? undefined : nodeNamed(document, shown)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys run the samples from everywhere within
    <div
      className={style.simulate}
      onKeyDown={event => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !lacksSecrets) mutate()
      }}
    >
      <section className={style.samples} aria-label={TEXT.simulate.samples}>
        <h2>{TEXT.simulate.samples}</h2>
        <p className="soft">{TEXT.simulate.hint}</p>
        <CodeEditor
          label={TEXT.simulate.samples}
          language="json"
          lines={LINES}
          value={samples}
          onChange={setSamples}
        />
        {canExplain && <FromSearch onTake={taken => setSamples(joinedSamples(samples, taken))} />}
        {sources.length > 1 && (
          <SourceChoice
            names={sources.map(({ node }) => node.name)}
            present={source ?? sources[0]?.node.name ?? ''}
            onChoose={setSource}
          />
        )}
        <button
          type="button"
          className="primary"
          disabled={samples.trim() === '' || isPending || lacksSecrets}
          onClick={() => mutate()}
        >
          <Play size={14} aria-hidden />
          {TEXT.simulate.run}
        </button>
        <MissingSecrets names={draft.missingSecrets} />
        {error !== null && <ProblemBox error={error} onRetry={() => mutate()} />}
      </section>
      <section className={style.results} aria-label={TEXT.simulate.results}>
        <Loading isLoading={isPending} />
        {record === undefined ? (
          <Empty title={TEXT.simulate.none}>
            <p>{TEXT.simulate.noneWhy}</p>
          </Empty>
        ) : (
          <>
            <p className={style.summary} role="status">
              {summaryOf(record)}
            </p>
            <div className={style.canvas}>
              <Canvas
                document={document}
                marks={marks}
                figures={edges}
                isBrief
                selected={shown}
                onSelect={setSelected}
              />
            </div>
            {placed !== undefined && (
              <NodeOutcome
                title={titleOf(placed.node)}
                name={placed.node.name}
                document={document}
                byName={byName}
              />
            )}
          </>
        )}
      </section>
    </div>
  )
}

/** A button that opens the choice of lines. */
function FromSearch({ onTake }: { readonly onTake: (samples: string) => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        <Search size={14} aria-hidden />
        {TEXT.simulate.fromSearch}
      </button>
      {isOpen && (
        <Suspense>
          <SearchSamplesDialog
            onTake={samples => {
              onTake(samples)
              setOpen(false)
            }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

function summaryOf({ tried, samples, cut, ended }: SimulationRecord): string {
  return [
    TEXT.simulate.counts(count(tried), count(samples)),
    ...(cut ? [TEXT.simulate.cut] : []),
    ...(ended === undefined ? [] : [ended]),
  ].join(' ')
}

function marksOf(nodes: ReadonlyMap<string, SimulationRecord['nodes'][number]>): MarksByName {
  return new Map(
    [...nodes].map(([name, node]) => [
      name,
      {
        ...NO_MARKS,
        errors: node.errors.length,
        figures: {
          eventsIn: node.events_in,
          eventsOut: node.events_out,
          dropped: node.dropped.length,
          failed: node.failed.length,
          merged: node.merged,
          held: node.held,
          isRate: false,
        },
      },
    ]),
  )
}

/** Events of the samples along each connection. Where events are missing in the answer, their numbers are not known. */
function edgeFigures(
  document: PipelineFile,
  { cut }: SimulationRecord,
  byName: ReadonlyMap<string, SimulationRecord['nodes'][number]>,
): FiguresByEdge {
  return new Map(
    connectionsOf(document).map(connection => {
      const from = nodeNamed(document, connection.from)?.node
      const place = from && outputsOf(from).findIndex(({ reference }) => reference === connection.reference)
      const output = place === undefined ? undefined : byName.get(connection.from)?.outputs[place]
      const events = cut ? undefined : output?.events.length
      return [edgeId(connection), { events, bytes: undefined, isRate: false }]
    }),
  )
}

function SourceChoice({
  names,
  present,
  onChoose,
}: {
  readonly names: readonly string[]
  readonly present: string
  readonly onChoose: (name: string) => void
}) {
  const id = useId()
  return (
    <div className={style.field}>
      <label htmlFor={id}>{TEXT.simulate.source}</label>
      <select id={id} className="field" value={present} onChange={({ target }) => onChoose(target.value)}>
        {names.map(name => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
  )
}

/** Runs the samples once they are read, where the address asks for it. */
function useFirstRun(canRun: boolean, run: () => void): void {
  const [parameters, setParameters] = useSearchParams()
  const isWanted = parameters.get('run') === 'on' && canRun
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs once
  useEffect(() => {
    if (!isWanted) return
    run()
    setParameters(
      before => {
        before.delete('run')
        return before
      },
      { replace: true },
    )
  }, [isWanted])
}

function keepSamples(pipelineId: string, samples: string): void {
  void keep(samplesKey(pipelineId), samples === '' ? undefined : samples)
}

/** Samples stay in this browser until sign-out. */
function useKeptSamples(pipelineId: string): readonly [string, (samples: string) => void] {
  const [samples, setSamples] = useState<string>()
  const unkept = useRef<string>(undefined)
  useEffect(() => {
    void keptValue<string>(samplesKey(pipelineId)).then(kept => setSamples(before => before ?? kept ?? ''))
  }, [pipelineId])
  useEffect(() => {
    if (samples === undefined) return
    unkept.current = samples
    const timer = setTimeout(() => {
      unkept.current = undefined
      keepSamples(pipelineId, samples)
    }, KEEP_AFTER_MS)
    return () => clearTimeout(timer)
  }, [samples, pipelineId])
  // Another tab of the page may be opened before that.
  useEffect(
    () => () => {
      if (unkept.current !== undefined) keepSamples(pipelineId, unkept.current)
    },
    [pipelineId],
  )
  return [samples ?? '', setSamples]
}
