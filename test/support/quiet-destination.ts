import Type from 'typebox'
import { defineDestination, type SendingDestination } from '../../engine/nodes/contract/define-destination.ts'

/** A destination that runs, and never sends lines of the app in its options. */
export function quietDestination(encode: SendingDestination['encode'] = () => []): SendingDestination {
  return defineDestination({
    type: 'quiet',
    summary: 'Discard every event.',
    config: Type.Object({ app: Type.Optional(Type.String()) }),
    delivery: 'requests',
    transport: 'none',
    foldOptions: ['app'],
    errors: ['E_DELIVERY_FAILED'],
    neverSent: (event, { app }) =>
      event.member('app') === app
        ? { code: 'E_DELIVERY_FAILED', field: '.app', message: 'lines of the app are not sent' }
        : undefined,
    encode,
    judge: () => 'delivered',
    examples: [],
    configs: [],
  })
}
