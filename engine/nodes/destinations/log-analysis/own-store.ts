import type { JsonObject } from '../../../../schemas/json.ts'
import type { ErrorCode } from '../../../event/errors.ts'
import type { Event } from '../../../event/event.ts'
import { cutHost, LineDraft, type OwnStoreContext, storedApp } from '../../../lines/line-draft.ts'
import type { StoredLine } from '../../../lines/stored-line.ts'
import type { SinkNode } from '../../contract/define-destination.ts'
import { fillComposed } from './composed-line.ts'
import { fillAsChanged, fillAsSent } from './ingested-line.ts'
import { keepTime } from './line-moment.ts'
import { renderTags, validIp, validMac } from './line-query.ts'
import { namedHost } from './log-analysis.ts'
import { compileOptions, type OwnStoreOptions } from './own-store-options.ts'

export type { OwnStoreContext } from '../../../lines/line-draft.ts'

/** Why an event could not become a line. */
export interface LineFailure {
  readonly code: ErrorCode
  /** The path concerned. */
  readonly field: string | null
  /** One sentence; nothing of the event's content is in it. */
  readonly message: string
}

/** Makes lines of the own store out of events. */
export interface OwnStoreSink {
  /**
   * Fills every member of `line`, which may point into memory that the next call reuses: append it to a block
   * before that. The same event and context always give the same line.
   *
   * @returns undefined, or why there is no line
   */
  fill(event: Event, line: StoredLine, context: OwnStoreContext): LineFailure | undefined
}

/** @param config `user_config` as stored, either spelling of the host; checked when it was saved */
export function compileOwnStore(config: JsonObject): OwnStoreSink {
  const options = compileOptions(config)
  const draft = new LineDraft()
  return {
    fill(event, line, context) {
      draft.begin(line, context)
      const missing = missingHostname(event, options)
      if (missing !== undefined) return missing
      if (event.isLogLine) {
        fillIngested(line, draft, event, options, context)
      } else {
        fillComposed(line, draft, event, options, context)
        if (line.host === '') return NO_HOSTNAME
      }
      line.app = storedApp(line.app, line.file)
      draft.finish(line, context)
      return undefined
    },
  }
}

/** Those of a graph's sinks that are lines of the own store, by node id. */
export function ownStoresOf(sinks: readonly SinkNode[]): Map<string, OwnStoreSink> {
  const own = sinks.filter(({ type }) => type === 'log-analysis')
  return new Map(own.map(({ nodeId, config }) => [nodeId, compileOwnStore(config)]))
}

/** The destination of the default graph, which runs where no pipeline reads an account's lines. */
export function defaultOwnStore(): OwnStoreSink {
  return compileOwnStore({})
}

/**
 * Delivery to another installation is not part of this version: a pipeline with such a destination must not be
 * published.
 *
 * @param isThisInstallation whether a host, lower case and without port, is this installation's own
 * @returns the sentence to refuse it with; undefined when the destination is this installation
 */
export function foreignDestination(
  config: JsonObject,
  isThisInstallation: (host: string) => boolean,
): string | undefined {
  const host = namedHost(config)
  if (host === undefined || isThisInstallation(host)) return undefined
  return `Delivery to the log ingestion of another installation (${host}) is not available in this version`
}

export function newStoredLine(): StoredLine {
  return {
    account: '',
    timeMs: 0,
    timestampMs: 0,
    host: '',
    app: '',
    level: '',
    file: '',
    env: '',
    mac: '',
    ip: '',
    remoteAddress: '',
    tags: [],
    textBytes: Buffer.alloc(0),
    textStart: 0,
    textEnd: 0,
    meta: '',
    extra: '',
    sizeBytes: 0,
    retentionDays: 0,
    poolDays: 0,
    textFieldNames: [],
    textFieldValues: [],
    textFieldCount: 0,
    numberFieldNames: [],
    numberFieldValues: [],
    numberFieldCount: 0,
  }
}

const NO_HOSTNAME: LineFailure = {
  code: 'E_DELIVERY_FAILED',
  field: null,
  message: '"hostname" is required: the template of the hostname renders to an empty text.',
}

function missingHostname(event: Event, { hostname }: OwnStoreOptions): LineFailure | undefined {
  const field = hostname?.missingPath(event)
  if (field === undefined) return undefined
  return {
    code: 'E_NOT_FOUND',
    field,
    message: `The hostname cannot be rendered: ${field} is not in the event.`,
  }
}

/** An event that comes from a line of log ingestion keeps what was sent, unless a node changed it or an option names it. */
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
  line.host = cutHost(options.hostname?.render(event) ?? '') || line.host
  line.ip = validIp(options.ip?.render(event)) || line.ip
  line.mac = validMac(options.mac?.render(event)) || line.mac
  line.app = options.app?.render(event) || line.app
  line.file = options.file?.render(event) || line.file
  line.env = options.env?.render(event) || line.env
  const tags = renderTags(options.tags, event)
  if (tags.length > 0) line.tags = tags
  const meta = options.meta?.read(event)
  if (meta !== undefined) draft.setMeta(line, meta)
  const timestamp = options.timestamp?.read(event)
  if (timestamp !== undefined) keepTime(line, draft, timestamp, event, context)
}
