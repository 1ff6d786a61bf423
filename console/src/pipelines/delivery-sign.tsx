import { KeyRound, RotateCw } from 'lucide-react'
import { Link } from 'wouter'
import type { DestinationDeliveryRecord } from '../../../schemas/http/pipeline/delivery-api.ts'
import style from './pipelines.module.css'
import { TEXT } from './texts.ts'

/** Trouble of a destination that a list shows; the worst comes first. */
export const DELIVERY_TROUBLES = ['resting', 'retrying'] as const
export type DeliveryTrouble = (typeof DELIVERY_TROUBLES)[number]

export const TROUBLE_ICONS = { resting: KeyRound, retrying: RotateCw } as const

/** Says that a destination of a pipeline rests or retries, and leads to the worst one; nothing where all deliver. */
export function DeliverySign({ deliveries }: { readonly deliveries: readonly DestinationDeliveryRecord[] }) {
  const inTrouble = DELIVERY_TROUBLES.flatMap(state => deliveries.filter(each => each.state === state))
  const [worst] = inTrouble
  const state = DELIVERY_TROUBLES.find(each => each === worst?.state)
  if (worst === undefined || state === undefined) return null
  const Icon = TROUBLE_ICONS[state]
  return (
    <Link
      className={style.sign ?? ''}
      data-state={state}
      href={`/pipelines/${worst.pipeline_id}?rev=deployed&node=${worst.node_id}&open=delivery`}
      title={worst.last_trouble?.message}
    >
      <Icon size={13} aria-hidden />
      {TEXT.delivery.signOf(TEXT.delivery.signs[state], inTrouble.length - 1)}
    </Link>
  )
}
