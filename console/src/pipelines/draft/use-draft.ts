import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type PipelineGraph, readGraph } from '../../api/pipelines.ts'
import { type Finding, Problem } from '../../api/problem.ts'
import type { PipelineFile } from '../document/file.ts'
import { isSame } from '../document/merge.ts'
import { checkGraph, saveGraph } from '../requests.ts'
import { type History, historyOf, redone, undone, withStep } from './history.ts'
import { keepDraft, keptDraft, type SchemaOf, withMissingSecrets } from './kept-draft.ts'

/** Rests of typing: a change is checked after that long. */
const CHECK_AFTER_MS = 300

interface Edited {
  /** Draft of the server that was changed. */
  readonly base: PipelineGraph
  readonly history: History<PipelineFile>
  readonly isRestored: boolean
}

/** The draft of a pipeline as it is edited in this browser. */
export interface Draft {
  readonly document: PipelineFile
  readonly base: PipelineGraph
  readonly isChanged: boolean
  /** Whether unsaved changes of an earlier visit were brought back. */
  readonly isRestored: boolean
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** Findings of the server about the document as it stands here. */
  readonly findings: readonly Finding[]
  readonly isSaving: boolean
  /** Trouble of the last attempt to save, other than findings. */
  readonly trouble: Error | null
  /** A newer draft of somebody else. */
  readonly theirs: PipelineGraph | undefined
  /** Names of nodes with secrets that have to be entered again. */
  readonly missingSecrets: readonly string[]
  /** @param mark place of the change: changes there in a row are one step */
  change(document: PipelineFile, mark?: string): void
  undo(): void
  redo(): void
  discard(): void
  save(): Promise<void>
  /** Goes on from the newer draft of somebody else with a merged document. */
  resolve(merged: PipelineFile): void
  /** Reads the draft of the server again, which an action has changed. */
  reload(): Promise<void>
}

const NO_FINDINGS: readonly Finding[] = []

/** @returns undefined while it is loaded */
export function useDraft(
  pipelineId: string,
  schemaOf: SchemaOf | undefined,
): { readonly draft: Draft | undefined; readonly error: Error | null; readonly retry: () => void } {
  const queries = useQueryClient()
  const { edited, setEdited, theirs, setTheirs, isChanged, error, retry } = useEdited(pipelineId, schemaOf)
  const [trouble, setTrouble] = useState<Error | null>(null)
  const [isSaving, setSaving] = useState(false)
  const check = useCheck(pipelineId, { edited, isChanged, onNewer: setTheirs })
  const document = edited?.history.present
  const missingSecrets = useMemo(
    () => (document === undefined ? [] : withMissingSecrets(document)),
    [document],
  )
  if (edited === undefined || document === undefined) return { draft: undefined, error, retry }

  const step = (change: (history: History<PipelineFile>) => History<PipelineFile>) =>
    setEdited(before => before && { ...before, history: change(before.history) })
  const adopt = (graph: PipelineGraph, sent?: PipelineFile) => {
    queries.setQueryData(draftKey(pipelineId), graph)
    setTheirs(undefined)
    setEdited(before => adopted(before, graph, sent))
  }
  const save = async () => {
    setSaving(true)
    setTrouble(null)
    try {
      const { graph } = await saveGraph(pipelineId, document, edited.base.etag)
      adopt(graph, document)
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['pipeline', pipelineId] }),
        queries.invalidateQueries({ queryKey: ['pipelines'] }),
      ])
    } catch (failure) {
      const newer = newerDraft(failure)
      if (newer !== undefined) setTheirs(newer)
      else setTrouble(failure as Error)
    } finally {
      setSaving(false)
    }
  }
  const draft: Draft = {
    document,
    base: edited.base,
    isChanged,
    isRestored: edited.isRestored && isChanged,
    canUndo: edited.history.past.length > 0,
    canRedo: edited.history.future.length > 0,
    findings: check.findings,
    isSaving,
    trouble: trouble ?? check.trouble,
    theirs: isChanged ? theirs : undefined,
    missingSecrets,
    change: (next, mark) => {
      setTrouble(null)
      step(history => withStep(history, next, mark))
    },
    undo: () => step(undone),
    redo: () => step(redone),
    discard: () => adopt(theirs ?? edited.base),
    save,
    resolve: merged => {
      if (theirs === undefined) return
      queries.setQueryData(draftKey(pipelineId), theirs)
      setEdited({ base: theirs, history: withStep(edited.history, merged), isRestored: false })
      setTheirs(undefined)
    },
    reload: async () => adopt(await readGraph(pipelineId, 'draft', new AbortController().signal)),
  }
  return { error, retry, draft }
}

function draftKey(pipelineId: string): readonly string[] {
  return ['graph', pipelineId, 'draft']
}

/** The draft of the server with the changes that this browser keeps, which are kept again as they grow. */
function useEdited(pipelineId: string, schemaOf: SchemaOf | undefined) {
  const [edited, setEdited] = useState<Edited>()
  const [theirs, setTheirs] = useState<PipelineGraph>()
  const isLooking = useRef(false)
  const { data, error, refetch } = useQuery({
    queryKey: draftKey(pipelineId),
    queryFn: ({ signal }) => readGraph(pipelineId, 'draft', signal),
    staleTime: 0,
  })
  useEffect(() => {
    if (data === undefined || schemaOf === undefined) return
    if (edited !== undefined) {
      if (edited.base.etag === data.etag) return
      if (isChangedFrom(edited)) setTheirs(data)
      else setEdited(unchanged(data))
      return
    }
    if (isLooking.current) return
    isLooking.current = true
    void keptDraft(pipelineId).then(kept => {
      isLooking.current = false
      if (kept === undefined || isSame(kept.history.present, data.document)) return setEdited(unchanged(data))
      setEdited({ ...kept, isRestored: true })
      if (kept.base.etag !== data.etag) setTheirs(data)
    })
  }, [data, edited, schemaOf, pipelineId])

  const isChanged = edited !== undefined && isChangedFrom(edited)
  useEffect(() => {
    if (edited === undefined || schemaOf === undefined) return
    void keepDraft(pipelineId, isChanged ? edited : undefined, schemaOf)
  }, [edited, isChanged, schemaOf, pipelineId])
  return { edited, setEdited, theirs, setTheirs, isChanged, error, retry: () => void refetch() }
}

/** Findings of the server about a changed document, once typing rests. */
function useCheck(
  pipelineId: string,
  {
    edited,
    isChanged,
    onNewer,
  }: {
    readonly edited: Edited | undefined
    readonly isChanged: boolean
    readonly onNewer: (graph: PipelineGraph) => void
  },
): { readonly findings: readonly Finding[]; readonly trouble: Error | null } {
  const etag = edited?.base.etag ?? ''
  const rested = useRested(edited?.history.present, CHECK_AFTER_MS)
  const { error } = useQuery({
    queryKey: ['graph-check', pipelineId, etag, rested],
    queryFn: ({ signal }) => checkGraph(pipelineId, rested as PipelineFile, etag, signal),
    enabled: isChanged && rested !== undefined,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => {
    const newer = newerDraft(error)
    if (newer !== undefined) onNewer(newer)
  }, [error, onNewer])
  const isChecked = isChanged && error instanceof Problem && error.status === 400
  return {
    findings: isChecked ? findingsOf(error) : NO_FINDINGS,
    trouble: error !== null && !isExpected(error) ? error : null,
  }
}

function unchanged(graph: PipelineGraph): Edited {
  return { base: graph, history: historyOf(graph.document), isRestored: false }
}

/** The edited draft on top of one that was read or saved. Changes that were typed while it was saved stay. */
function adopted(before: Edited | undefined, graph: PipelineGraph, sent: PipelineFile | undefined): Edited {
  if (before === undefined || sent === undefined) return unchanged(graph)
  const { past, present, future } = before.history
  const shown = present === sent ? graph.document : present
  return { base: graph, history: { past, present: shown, future, mark: undefined }, isRestored: false }
}

function isChangedFrom({ base, history }: Edited): boolean {
  return !isSame(base.document, history.present)
}

/** The newer draft of an answer that says that somebody else was faster. */
function newerDraft(error: unknown): PipelineGraph | undefined {
  const isConflict = error instanceof Problem && (error.status === 409 || error.status === 412)
  return isConflict && error.data !== undefined ? (error.data as PipelineGraph) : undefined
}

function isExpected(error: Error): boolean {
  return error instanceof Problem && (error.status === 400 || newerDraft(error) !== undefined)
}

function findingsOf(problem: Problem): readonly Finding[] {
  return problem.findings.length > 0 ? problem.findings : [{ place: '', message: problem.message }]
}

/** The value once it has not changed for a while. */
function useRested<Value>(value: Value, afterMs: number): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return rested
}
