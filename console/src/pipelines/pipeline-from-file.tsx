import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Problem } from '../api/problem.ts'
import { CodeEditor } from '../components/code-editor.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Form } from '../components/form.tsx'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { type PlacedFinding, placedFindings } from './document/file-places.ts'
import type { ReadFile } from './dropped-file.ts'
import { checkFile, type FileDifference, importFile, isJson } from './file-requests.ts'
import { FILE_TEXT as TEXT } from './file-texts.ts'
import style from './from-file.module.css'
import type { PipelineRecord } from './requests.ts'

const CHECK_AFTER_MS = 300
const LINES = 14
const NONE: readonly PlacedFinding[] = []

/** Shows a file of a pipeline with the findings of the server at their places, and saves it once it has none. */
export function PipelineFromFile({
  file,
  trouble,
  isOver,
  pipelines,
  onFiles,
  onText,
  onSaved,
  onClose,
}: {
  /** Undefined until one is chosen. */
  readonly file: ReadFile | undefined
  /** Reason why a file could not be read. */
  readonly trouble: string | undefined
  /** Whether a file is held over the page. */
  readonly isOver: boolean
  readonly pipelines: readonly PipelineRecord[]
  readonly onFiles: (files: readonly File[]) => void
  readonly onText: (text: string) => void
  readonly onSaved: () => void
  readonly onClose: () => void
}) {
  const field = useRef<HTMLInputElement>(null)
  // The dialog opens first, and would give the focus to its own button.
  useEffect(() => field.current?.focus(), [])
  return (
    <Dialog title={TEXT.title} isWide onClose={onClose}>
      <p className="soft">{TEXT.why}</p>
      <FileField field={field} file={file} isOver={isOver} onFiles={onFiles} />
      {trouble !== undefined && (
        <p className={style.wrong} role="alert">
          {trouble}
        </p>
      )}
      {file !== undefined && (
        <CheckedFile file={file} pipelines={pipelines} onText={onText} onSaved={onSaved} onClose={onClose} />
      )}
    </Dialog>
  )
}

function FileField({
  field,
  file,
  isOver,
  onFiles,
}: {
  readonly field: RefObject<HTMLInputElement | null>
  readonly file: ReadFile | undefined
  readonly isOver: boolean
  readonly onFiles: (files: readonly File[]) => void
}) {
  const id = useId()
  return (
    <div className={style.drop} data-over={isOver || undefined} data-small={file !== undefined || undefined}>
      <input
        ref={field}
        id={id}
        className="hidden"
        type="file"
        accept=".yaml,.yml,.json"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // Without this, the same file could not be chosen again after a change.
          target.value = ''
        }}
      />
      <label className="button" htmlFor={id}>
        <FileUp size={14} aria-hidden />
        {file === undefined ? TEXT.choose : TEXT.other}
      </label>
      <span className="soft">{file === undefined ? TEXT.drop : file.name}</span>
    </div>
  )
}

function CheckedFile({
  file: { name, text },
  pipelines,
  onText,
  onSaved,
  onClose,
}: {
  readonly file: ReadFile
  readonly pipelines: readonly PipelineRecord[]
  readonly onText: (text: string) => void
  readonly onSaved: () => void
  readonly onClose: () => void
}) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const settled = useSettled(text, name)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['file-check', settled],
    queryFn: ({ signal }) => checkFile(settled, signal),
    gcTime: 0,
    staleTime: 0,
  })
  const isRefused = error instanceof Problem && error.status === 400
  const findings = useFindings(settled, isRefused ? error : null)
  const [target, setTarget] = useState<{ readonly offset: number }>()
  const { mutate, ...saving } = useMutation({
    mutationFn: () => importFile(settled),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['pipelines'] })
      onSaved()
      navigate(`/pipelines/${id}`)
    },
  })
  const isFresh = settled === text && !isFetching
  // The language of an editor stays, so that typing does not lose the cursor.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each file has a language
  const language = useMemo(() => (isJson(text) ? 'json' : 'yaml'), [name])
  return (
    <Form
      submit={data === undefined || data.pipeline_id === null ? TEXT.create : TEXT.change}
      error={saving.error}
      isPending={saving.isPending}
      isReady={isFresh && data?.changed === true}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <CodeEditor
        label={TEXT.text}
        language={language}
        lines={LINES}
        value={text}
        isInvalid={isRefused}
        marks={isFresh ? (findings ?? NONE) : NONE}
        target={target}
        onChange={onText}
      />
      <div className={style.result} aria-busy={!isFresh}>
        <Loading isLoading={isFetching} note={TEXT.checking} />
        {error !== null && !isRefused && <ProblemBox error={error} onRetry={() => void refetch()} />}
        <div role="status">
          {findings !== undefined && <h3>{TEXT.findings(findings.length)}</h3>}
          {data !== undefined && <Outcome difference={data} pipelines={pipelines} />}
        </div>
        {findings !== undefined && (
          <ul className={style.findings}>
            {findings.map(({ from, line, message }) => (
              <li key={`${from} ${message}`}>
                <button type="button" className="link" onClick={() => setTarget({ offset: from })}>
                  {TEXT.line(line)}
                </button>
                <span>{message}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Form>
  )
}

/** Effect of the file, in the words of the server. */
function Outcome({
  difference: { pipeline_id: id, changed, text },
  pipelines,
}: {
  readonly difference: FileDifference
  readonly pipelines: readonly PipelineRecord[]
}) {
  const title = pipelines.find(each => each.id === id)?.title ?? id ?? ''
  if (!changed)
    return (
      <p>
        {TEXT.same(title)} <Link href={`/pipelines/${id}`}>{TEXT.open}</Link>
      </p>
    )
  return (
    <>
      <p>{id === null ? TEXT.creates : TEXT.changes(title)}</p>
      <ul className={style.difference}>
        {text.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines can repeat, and do not move
          <li key={index} data-sign={line.trimStart().charAt(0)}>
            {line}
          </li>
        ))}
      </ul>
    </>
  )
}

/** A text once typing has paused; the text of another file at once. */
function useSettled(text: string, file: string): string {
  const [settled, setSettled] = useState({ text, file })
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ text, file }), CHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text, file])
  return settled.file === file ? settled.text : text
}

/**
 * Findings of a refusal at their places in the text. The parser is loaded with the first ones.
 *
 * @returns undefined where there is no refusal, and until the parser is there
 */
function useFindings(text: string, refusal: Problem | null) {
  const { data: yaml } = useQuery({
    queryKey: ['yaml'],
    queryFn: () => import('yaml'),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: refusal !== null,
  })
  return useMemo(() => {
    if (refusal === null || yaml === undefined) return undefined
    const { findings, message } = refusal
    return placedFindings(yaml, text, findings.length > 0 ? findings : [{ place: '', message }])
  }, [yaml, text, refusal])
}
