import { useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { QuestionDialog } from '../components/question-dialog.tsx'
import { oneRow } from '../lines/visible-text.ts'
import { keyText } from '../pipelines/node/bucket-texts.ts'
import frame from '../shell/frame.module.css'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { ageOf, dayAndTime } from '../times/time.ts'
import { type ExemptionRecord, endExemption, readExemptions, type Throttle } from './requests.ts'
import { TEXT } from './texts.ts'
import style from './throttles.module.css'

const POLL_MS = 5_000

/** Keys whose events pass a throttle uncounted, with the time that is left. */
export function Exemptions({
  throttle,
  zone,
  canWrite,
}: {
  readonly throttle: Throttle
  readonly zone: string
  readonly canWrite: boolean
}) {
  const queries = useQueryClient()
  const [ending, setEnding] = useState<ExemptionRecord>()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['exemptions', throttle.pipelineId, throttle.nodeId],
    queryFn: ({ signal }) => readExemptions(throttle, signal),
    refetchInterval: POLL_MS,
  })
  const columns = [TEXT.key, TEXT.left, TEXT.reason, TEXT.state]
  return (
    <>
      <h3>{TEXT.exemptions}</h3>
      <Loading isLoading={isFetching && data === undefined} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p className="soft">{TEXT.noExemptions}</p>}
      {data !== undefined && data.length > 0 && (
        <section
          className={frame.card}
          aria-label={TEXT.exemptions}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
          tabIndex={0}
        >
          <table className={style.exempt}>
            <thead>
              <tr>
                {columns.map(each => (
                  <th key={each} scope="col">
                    {each}
                  </th>
                ))}
                {canWrite && <td />}
              </tr>
            </thead>
            <tbody>
              {data.map(each => (
                <tr key={each.key ?? ''}>
                  <th scope="row" className={style.title}>
                    {nameOf(each)}
                  </th>
                  <td className={style.time} title={dayAndTime(Date.parse(each.until), zone)}>
                    {ageOf(Date.parse(each.until), Date.now())}
                  </td>
                  <td className={style.text}>{oneRow(each.reason)}</td>
                  <td>{TEXT.inEffect[String(each.in_effect)]}</td>
                  {canWrite && (
                    <td className={style.buttons}>
                      <IconButton label={TEXT.end(nameOf(each))} onClick={() => setEnding(each)}>
                        <X size={15} aria-hidden />
                      </IconButton>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {ending !== undefined && (
        <QuestionDialog
          title={TEXT.end(nameOf(ending))}
          confirm={TEXT.endConfirm}
          act={() => endExemption(throttle, ending.key)}
          onDone={async () => {
            await queries.invalidateQueries({ queryKey: ['exemptions'] })
            await queries.invalidateQueries({ queryKey: ['buckets'] })
          }}
          onClose={() => setEnding(undefined)}
        >
          <p>{TEXT.endWhy}</p>
        </QuestionDialog>
      )}
    </>
  )
}

function nameOf({ key }: ExemptionRecord): string {
  return keyText({ bucket: key === null ? 'default' : 'key', key, key_sha256: null })
}
