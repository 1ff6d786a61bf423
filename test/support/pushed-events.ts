import { Event } from '../../engine/event/event.ts'
import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { valueFormsOf } from '../../engine/lines/columns/value-forms.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { ACCOUNT, RECEIVED_MS } from './sent-lines.ts'

const FACTS = {
  hostname: '',
  mac: '',
  ip: '',
  remoteAddress: '',
  tags: [],
  receivedAtMs: RECEIVED_MS,
  driftMs: null,
  idempotency: null,
}

/** Unchanged events of a gateway route. @param texts JSON text of each message */
export function pushedEvents(texts: readonly string[], behaviour = BEHAVIOUR, timeMs = RECEIVED_MS): Event[] {
  const builder = new LineBatchBuilder()
  builder.addRequest(batch => {
    for (const text of texts) batch.addEvent(text, timeMs)
    return { facts: FACTS }
  })
  const batch = LineBatchView.decode(builder.encode(ACCOUNT, 'route'), valueFormsOf(behaviour))
  return texts.map((_, index) => Event.ofLine(batch, index))
}
