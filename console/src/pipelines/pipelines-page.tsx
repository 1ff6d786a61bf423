import { useQuery } from '@tanstack/react-query'
import { FileUp, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { type PipelineRecord, readPipelines } from '../api/pipelines.ts'
import { type Caller, canWrite } from '../api/session.ts'
import { readDeliveries, readErrorCounts, readWaiting } from '../api/trouble.ts'
import { IconButton } from '../components/icon-button.tsx'
import frame from '../shell/frame.module.css'
import { useZone } from '../shell/preferences.ts'
import { Empty, Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { ageOf, dayAndTime, MINUTE_MS } from '../times/time.ts'
import { DeliverySign } from './delivery-sign.tsx'
import { type ReadFile, readTextFile, useDroppedFiles } from './dropped-file.ts'
import { FigureCells, FigureHeads, TroubleCell } from './figure-cells.tsx'
import { FILE_TEXT } from './file-texts.ts'
import fileStyle from './from-file.module.css'
import { listFigures } from './list-figures.ts'
import { NewPipeline } from './new-pipeline.tsx'
import { PipelineFromFile } from './pipeline-from-file.tsx'
import style from './pipelines.module.css'
import { RemovePipeline } from './remove-pipeline.tsx'
import { readOverview } from './requests.ts'
import { StateMark } from './state-mark.tsx'
import { TEXT as PAGE_TEXT } from './texts.ts'

const LIST_TEXT = PAGE_TEXT.list
/** Counts of a minute come once it is over. */
const FIGURES_POLL_MS = MINUTE_MS
const TROUBLE_POLL_MS = 30_000
const HOURS_OF_DAY = 24

/** `/console/pipelines` */
export default function PipelinesPage({ caller }: { readonly caller: Caller }) {
  const [open, setOpen] = useState<'new' | 'file' | PipelineRecord>()
  const mayWrite = canWrite(caller)
  const given = useGivenFile(mayWrite, () => setOpen('file'))
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['pipelines'],
    queryFn: ({ signal }) => readPipelines(signal),
  })
  const canCount = !caller.limited
  const figures = useFigures(canCount)
  const trouble = useTrouble(canCount && mayWrite)
  const deliveries = useQuery({
    queryKey: ['deliveries'],
    queryFn: ({ signal }) => readDeliveries(signal),
    refetchInterval: TROUBLE_POLL_MS,
  })
  const figuresError = figures.error ?? trouble.error
  const readFigures = () => {
    // Lists that the caller must not read are not asked for, so they have no error.
    for (const each of [figures, trouble]) if (each.error !== null) void each.refetch()
  }
  return (
    <div className={frame.page}>
      <div className={frame.head}>
        <h1>{TEXT.pipelinesTitle}</h1>
        {mayWrite && (
          <>
            <button type="button" className="button" onClick={() => setOpen('file')}>
              <FileUp size={14} aria-hidden />
              {LIST_TEXT.fromFile}
            </button>
            <button type="button" className="button" onClick={() => setOpen('new')}>
              <Plus size={14} aria-hidden />
              {LIST_TEXT.new}
            </button>
          </>
        )}
      </div>
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {figuresError !== null && <ProblemBox error={figuresError} onRetry={readFigures} />}
      {deliveries.error !== null && (
        <ProblemBox error={deliveries.error} onRetry={() => void deliveries.refetch()} />
      )}
      <div
        className={`${frame.card} ${fileStyle.target}`}
        aria-busy={isFetching}
        data-over={given.isOver || undefined}
      >
        <Loading isLoading={isFetching} />
        {data?.length === 0 && (
          <Empty title={TEXT.noPipelines}>
            <p>{TEXT.noPipelinesWhy}</p>
            <pre>npx weir pipeline apply FILE</pre>
          </Empty>
        )}
        {data !== undefined && data.length > 0 && (
          <table className={style.listed}>
            <thead>
              <tr>
                <th scope="col">{TEXT.pipelineTitle}</th>
                <th scope="col">{TEXT.pipelineState}</th>
                {canCount && <FigureHeads showsTrouble={mayWrite} />}
                <th scope="col" className={style.changed}>
                  {TEXT.updated}
                </th>
                {mayWrite && (
                  <th scope="col">
                    <span className="hidden">{LIST_TEXT.remove}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {data.map(pipeline => (
                <PipelineRow
                  key={pipeline.id}
                  pipeline={pipeline}
                  zone={zone}
                  sign={
                    <DeliverySign
                      deliveries={deliveries.data?.filter(each => each.pipeline_id === pipeline.id) ?? []}
                    />
                  }
                  onRemove={mayWrite ? () => setOpen(pipeline) : undefined}
                >
                  {canCount && <FigureCells figures={figures.byId?.get(pipeline.id)} />}
                  {canCount && mayWrite && (
                    <>
                      <TroubleCell
                        number={trouble.errors && (trouble.errors.get(pipeline.id) ?? 0)}
                        href={`/errors?pipeline=${pipeline.id}`}
                        label={LIST_TEXT.errorsOf}
                      />
                      <TroubleCell
                        number={trouble.letters && (trouble.letters.get(pipeline.id) ?? 0)}
                        href={`/dead-letters?pipeline=${pipeline.id}`}
                        label={LIST_TEXT.lettersOf}
                      />
                    </>
                  )}
                </PipelineRow>
              ))}
            </tbody>
          </table>
        )}
      </div>
      {open === 'new' && <NewPipeline onClose={() => setOpen(undefined)} />}
      {open === 'file' && (
        <PipelineFromFile {...given} pipelines={data ?? []} onClose={() => setOpen(undefined)} />
      )}
      {typeof open === 'object' && <RemovePipeline pipeline={open} onClose={() => setOpen(undefined)} />}
    </div>
  )
}

/**
 * A file of a pipeline that was chosen, or dropped on the page. It stays while the page is open, also when its dialog is
 * closed.
 */
function useGivenFile(isOn: boolean, onGiven: () => void) {
  const [file, setFile] = useState<ReadFile>()
  const [trouble, setTrouble] = useState<string>()
  const onFiles = (files: readonly File[]) => {
    const [first] = files
    if (first === undefined) return
    onGiven()
    if (files.length > 1) return setTrouble(FILE_TEXT.onlyOne)
    void readTextFile(first).then(
      read => {
        setFile(read)
        setTrouble(undefined)
      },
      error => setTrouble((error as Error).message),
    )
  }
  const isOver = useDroppedFiles(isOn, onFiles)
  const onText = (text: string) => setFile(present => present && { ...present, text })
  const onSaved = () => setFile(undefined)
  return { file, trouble, isOver, onFiles, onText, onSaved }
}

/** Figures of the last hour by the id of the pipeline; undefined until they are known. */
function useFigures(isOn: boolean) {
  const { data, error, refetch } = useQuery({
    queryKey: ['pipelines', 'figures'],
    queryFn: ({ signal }) => readOverview(signal),
    enabled: isOn,
    refetchInterval: FIGURES_POLL_MS,
  })
  return { byId: useMemo(() => data && listFigures(data), [data]), error, refetch }
}

/** Errors of a day, and failed events that wait, by the id of the pipeline; undefined until they are known. */
function useTrouble(isOn: boolean) {
  const errors = useQuery({
    queryKey: ['error-counts', HOURS_OF_DAY],
    queryFn: ({ signal }) => readErrorCounts(HOURS_OF_DAY, {}, signal),
    enabled: isOn,
    refetchInterval: TROUBLE_POLL_MS,
  })
  const letters = useQuery({
    queryKey: ['waiting-letters'],
    queryFn: ({ signal }) => readWaiting(signal),
    enabled: isOn,
    refetchInterval: TROUBLE_POLL_MS,
  })
  return {
    errors: errors.data && sumsBy(errors.data, each => each.count),
    letters: letters.data && sumsBy(letters.data, each => each.letters),
    error: errors.error ?? letters.error,
    refetch: () => Promise.all([errors.refetch(), letters.refetch()]),
  }
}

function sumsBy<Item extends { readonly pipeline_id: string }>(
  items: readonly Item[],
  numberOf: (item: Item) => number,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const item of items) sums.set(item.pipeline_id, (sums.get(item.pipeline_id) ?? 0) + numberOf(item))
  return sums
}

function PipelineRow({
  pipeline,
  zone,
  sign,
  onRemove,
  children,
}: {
  readonly pipeline: PipelineRecord
  readonly zone: string
  /** Sign beside the state. */
  readonly sign: ReactNode
  readonly onRemove: (() => void) | undefined
  /** Cells with figures. */
  readonly children: ReactNode
}) {
  const changedMs = Date.parse(pipeline.updated_at ?? pipeline.created_at)
  return (
    <tr>
      <td className={style.title}>
        <Link href={`/pipelines/${pipeline.id}`}>{pipeline.title}</Link>
      </td>
      <td>
        <div className={style.stateCell}>
          <StateMark pipeline={pipeline} />
          {sign}
        </div>
      </td>
      {children}
      <td className={`${style.changed} soft`} title={dayAndTime(changedMs, zone)}>
        {ageOf(changedMs, Date.now())}
      </td>
      {onRemove !== undefined && (
        <td className={style.rowButtons}>
          <IconButton label={LIST_TEXT.removeTitle(pipeline.title)} onClick={onRemove}>
            <Trash2 size={15} aria-hidden />
          </IconButton>
        </td>
      )}
    </tr>
  )
}
