import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { Link, useSearchParams } from 'wouter'
import { Problem } from '../../api/problem.ts'
import { type Caller, canWrite } from '../../api/session.ts'
import { Tabs } from '../../components/tabs.tsx'
import { Empty, Loading, ProblemBox } from '../../shell/states.tsx'
import type { SchemaOf } from '../draft/kept-draft.ts'
import { useDraft } from '../draft/use-draft.ts'
import type { OptionSchema } from '../form/schema.ts'
import type { OpenDraft } from '../open-draft.ts'
import { type NodeType, readNodeTypes, readPipeline } from '../requests.ts'
import { TEXT } from '../texts.ts'
import { DraftNotices } from './draft-notices.tsx'
import { GraphTab } from './graph-tab.tsx'
import style from './page.module.css'
import { PageHead } from './page-head.tsx'

/** Tabs beside the graph are loaded when they are opened. */
const PreviewTab = lazy(() => import('../trial/preview-tab.tsx'))
const RevisionsTab = lazy(() => import('../release/revisions-tab.tsx'))
const SimulateTab = lazy(() => import('../trial/simulate-tab.tsx'))
const FileTab = lazy(() => import('./file-tab.tsx'))
const VariablesTab = lazy(() => import('../node/variables-tab.tsx'))

const TABS = {
  graph: (open: OpenDraft) => <GraphTab {...open} />,
  simulate: (open: OpenDraft) => <SimulateTab {...open} />,
  preview: (open: OpenDraft) => <PreviewTab {...open} />,
  revisions: (open: OpenDraft) => <RevisionsTab {...open} />,
  file: (open: OpenDraft) => <FileTab {...open} />,
  variables: (open: OpenDraft) => <VariablesTab {...open} />,
} as const

type PageTab = keyof typeof TABS
const ALL = Object.keys(TABS) as PageTab[]
/** Tabs of those who only read. */
const READING: readonly PageTab[] = ['graph', 'revisions', 'file', 'variables']

/** `/console/pipelines/{id}`: one pipeline, with its draft and its running document. It is a chunk of its own. */
export default function PipelinePage({ id, caller }: { readonly id: string; readonly caller: Caller }) {
  const [parameters, setParameters] = useSearchParams()
  const names = canWrite(caller) ? ALL : READING
  const tab = names.find(each => each === parameters.get('tab')) ?? 'graph'
  const pipeline = useQuery({
    queryKey: ['pipeline', id],
    queryFn: ({ signal }) => readPipeline(id, signal),
  })
  // Declarations belong to the program, and do not change while it runs.
  const types = useQuery({
    queryKey: ['node-types'],
    queryFn: ({ signal }) => readNodeTypes(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const schemaOf = useMemo(() => types.data && schemasOf(types.data), [types.data])
  const { draft, error, retry } = useDraft(id, schemaOf)
  const trouble = pipeline.error ?? error ?? types.error
  if (trouble instanceof Problem && trouble.status === 404 && pipeline.data === undefined) return <Gone />
  if (pipeline.data === undefined || draft === undefined || types.data === undefined)
    return (
      <div className={style.page}>
        <h1 className="hidden">{TEXT.pipeline}</h1>
        <Loading isLoading={trouble === null} />
        {trouble !== null && (
          <ProblemBox
            error={trouble}
            onRetry={() => {
              void pipeline.refetch()
              void types.refetch()
              retry()
            }}
          />
        )}
      </div>
    )
  const open = {
    pipeline: pipeline.data,
    draft,
    types: types.data,
    canWrite: canWrite(caller),
    canTap: caller.features.taps,
    canExplain: canWrite(caller) && !caller.limited,
    canCount: !caller.limited,
    hasLiveCounts: caller.features.engine,
  }
  return (
    <div className={style.page}>
      <PageHead {...open} />
      {canWrite(caller) && <DraftNotices draft={draft} />}
      <Tabs
        label={TEXT.pipeline}
        names={names}
        present={tab}
        nameOf={each => TEXT.tabs[each]}
        onChoose={each =>
          setParameters(before => {
            if (each === 'graph') before.delete('tab')
            else before.set('tab', each)
            return before
          })
        }
      />
      <div className={style.panel} role="tabpanel" aria-label={TEXT.tabs[tab]}>
        <Suspense fallback={<Loading isLoading />}>{TABS[tab](open)}</Suspense>
      </div>
    </div>
  )
}

function Gone() {
  return (
    <Empty
      title={TEXT.gone}
      isPage
      action={
        <Link className="button" href="/pipelines">
          {TEXT.toPipelines}
        </Link>
      }
    >
      <p>{TEXT.goneWhy}</p>
    </Empty>
  )
}

/** Finds the schema of options by the name of a type, or by one of its other names. */
function schemasOf(types: readonly NodeType[]): SchemaOf {
  const schemas = new Map(
    types.flatMap(({ kind, type, aliases, config }) =>
      [type, ...aliases].map(name => [`${kind} ${name}`, config as OptionSchema]),
    ),
  )
  return (kind, type) => schemas.get(`${kind} ${type}`)
}
