import { Ban, CircleCheck, CircleDot, Clock3, type LucideIcon, TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import type { ExplainedPipeline, ExplainedStep, Explanation } from '../api/explanations.ts'
import { shownJson } from '../api/records.ts'
import { visibleText } from '../lines/visible-text.ts'
import { TEXT } from '../texts.ts'
import { dayAndTime } from '../times/time.ts'
import { ReasonBox } from './reason.tsx'
import style from './why.module.css'

const THROTTLE = 'throttle'
const ICONS: Readonly<Record<ExplainedStep['outcome'], LucideIcon>> = {
  passed: CircleCheck,
  moved: CircleCheck,
  dropped: Ban,
  failed: TriangleAlert,
  held: CircleDot,
  merged: CircleDot,
  under_way: Clock3,
  not_kept: Clock3,
}

/** The way of one line: what became of it, the steps through each pipeline, and the rules that kept it out. */
export function Way({ explanation, zone }: { readonly explanation: Explanation; readonly zone: string }) {
  const { line } = explanation
  const handledMs = Date.parse(line.handled_at)
  return (
    <div className={style.way}>
      <p className={style.summary} data-stored={line.stored.length > 0}>
        {line.summary}
      </p>
      <p className={style.place}>
        {dayAndTime(handledMs, zone)} <span>{line.place}</span>
      </p>
      {line.excluded.map(({ reason, node_id: node }) => (
        <ReasonBox key={`${node} ${JSON.stringify(reason)}`} reason={reason} zone={zone} />
      ))}
      {line.pipelines.map(pipeline => (
        <PipelineWay key={pipeline.pipeline_id} pipeline={pipeline} zone={zone} />
      ))}
      <details className={style.sent}>
        <summary>{TEXT.asSent}</summary>
        <pre>{visibleText(shownJson(explanation.message))}</pre>
      </details>
    </div>
  )
}

/** Reason why a pipeline did not take a line. */
function reasonOf({ paused, dropped_by_pause: isDropped }: ExplainedPipeline): string {
  if (isDropped === true) return TEXT.pipelinePausedDropped
  return paused ? TEXT.pipelinePaused : TEXT.pipelineDidNotTake
}

function PipelineWay({ pipeline, zone }: { readonly pipeline: ExplainedPipeline; readonly zone: string }) {
  const { pipeline_id: id, title, revision, took_it: tookIt, steps } = pipeline
  return (
    <section>
      <h3>
        <Link href={`/pipelines/${encodeURIComponent(id)}`}>{title}</Link>
        <small>{TEXT.revision(String(revision))}</small>
      </h3>
      {!tookIt && <p className="soft">{reasonOf(pipeline)}</p>}
      <ol className={style.steps}>
        {steps.map((step, at) => (
          // A line can pass a node more than once.
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity
          <Step key={at} step={step} pipelineId={id} zone={zone} />
        ))}
      </ol>
    </section>
  )
}

function Step({
  step,
  pipelineId,
  zone,
}: {
  readonly step: ExplainedStep
  readonly pipelineId: string
  readonly zone: string
}) {
  const { node_id: node, type, title, outcome, reason, errors, read } = step
  const Icon = ICONS[outcome]
  const href = `/pipelines/${encodeURIComponent(pipelineId)}?node=${encodeURIComponent(node)}`
  return (
    <li data-outcome={outcome}>
      <Icon size={16} aria-hidden />
      <div>
        <p>
          <Link href={href}>{title ?? type}</Link>
          <span className={style.type}>{type}</span>
          <span className={style.outcome}>{TEXT.outcomes[outcome]}</span>
        </p>
        {!read && <p className="soft">{TEXT.outputNotRead}</p>}
        {reason !== undefined && <ReasonBox reason={reason} zone={zone} />}
        {type === THROTTLE && outcome === 'dropped' && (
          <Link href={`/throttles?node=${encodeURIComponent(node)}`}>{TEXT.toThrottle}</Link>
        )}
        {errors.map(({ code, message }) => (
          <p key={code + message} className={style.error}>
            <code>{code}</code> {message}
          </p>
        ))}
      </div>
    </li>
  )
}
