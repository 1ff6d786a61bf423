import type { Event } from '../../../event/event.ts'
import { cutHost, LineDraft, type OwnStoreContext, storedApp } from '../../../lines/stored-line/line-draft.ts'
import type { StoredLine } from '../../../lines/stored-line/stored-line.ts'
import type { DeliveryFailure, OwnStoreSink } from '../../contract/own-store.ts'
import { fillComposed } from './composed-line.ts'
import { fillAsChanged, fillAsSent } from './ingested-line.ts'
import { keepTime } from './line-moment.ts'
import { renderTags, validIp, validMac } from './line-query.ts'
import { compileOptions, type OwnStoreConfig, type OwnStoreOptions } from './own-store-options.ts'

/** Sink that also has the members of the line without a column. */
interface ComposingSink extends OwnStoreSink {
  readonly head: LineDraft
}

export function compileOwnStore(config: OwnStoreConfig): ComposingSink {
  const options = compileOptions(config)
  const draft = new LineDraft()
  /** Fills the head of a line up to the facts that depend on all the rest of it. */
  const compose = (event: Event, line: StoredLine, context: OwnStoreContext): DeliveryFailure | undefined => {
    const missing = missingHostname(event, options)
    if (missing !== undefined) return missing
    if (event.isLogLine) {
      fillIngested(line, draft, event, options, context)
    } else {
      fillComposed(line, draft, event, options, context)
      if (line.host === '') return NO_HOSTNAME
    }
    line.app = storedApp(line.app, line.file)
    return undefined
  }
  return {
    head: draft,
    renderingUnits: options.renderingUnits,
    fill(event, line, context) {
      const failure = this.fillHead(event, line, context)
      if (failure === undefined) draft.fillFields(line, context)
      return failure
    },
    fillFields: (line, context) => draft.fillFields(line, context),
    fillingFields: (line, context) => draft.fillingFields(line, context),
    fillHead(event, line, context) {
      draft.begin(line, context)
      const failure = compose(event, line, context)
      if (failure === undefined) draft.settle(line)
      return failure
    },
    *fillingHead(event, line, context) {
      draft.begin(line, context, true)
      const failure = compose(event, line, context)
      if (failure === undefined) yield* draft.settling(line)
      return failure
    },
  }
}

const NO_HOSTNAME: DeliveryFailure = {
  code: 'E_DELIVERY_FAILED',
  field: null,
  message: '"hostname" is required: the template of the hostname renders to an empty text.',
}

function missingHostname(event: Event, { hostname }: OwnStoreOptions): DeliveryFailure | undefined {
  const field = hostname?.missingPath(event)
  if (field === undefined) return undefined
  return {
    code: 'E_NOT_FOUND',
    field,
    message: `The hostname cannot be rendered: ${field} is not in the event.`,
  }
}

/** Fills an event of log ingestion with its members as sent, unless a node changed them or an option names them. */
function fillIngested(
  line: StoredLine,
  draft: LineDraft,
  event: Event,
  options: OwnStoreOptions,
  context: OwnStoreContext,
): void {
  if (event.untouched) fillAsSent(line, draft, event, options, context)
  else fillAsChanged(line, draft, event, options, context)
  if (!options.namesMembers) return
  line.host = cutHost(options.hostname?.render(event, draft.renderedCharacters) ?? '') || line.host
  line.ip = validIp(options.ip?.render(event, draft.renderedCharacters)) || line.ip
  line.mac = validMac(options.mac?.render(event, draft.renderedCharacters)) || line.mac
  line.app = options.app?.render(event, draft.renderedCharacters) || line.app
  line.file = options.file?.render(event, draft.renderedCharacters) || line.file
  line.env = options.env?.render(event, draft.renderedCharacters) || line.env
  const tags = renderTags(options.tags, event, draft.renderedCharacters)
  if (tags.length > 0) line.tags = tags
  const meta = options.meta?.read(event)
  if (meta !== undefined) draft.setMeta(line, meta)
  const timestamp = options.timestamp?.read(event)
  if (timestamp !== undefined) keepTime(line, draft, timestamp, event, context)
}
