import { parentPort, workerData } from 'node:worker_threads'
import type { Logger } from 'pino'
import {
  FOLD_CELL,
  NODE_CELL,
  OFFSET_CELL,
  type PlaceNames,
  REPEAT_CELL,
  STRETCH_CELL,
} from '../../engine/fold-progress.ts'
import type { NamedPlace, NewLevel, WatchdogData } from './fold-watchdog.ts'
import { Standing } from './standing.ts'

/** The thread of the watchdog. The main thread may stand, so nothing here waits for it. */
const { memory, limits, ...given } = workerData as WatchdogData
const cells = new Int32Array(memory)
const offsets = new Float64Array(memory)
const names = new Map<number, PlaceNames>()
const standing = new Standing(limits, performance.now())
let { logLevel } = given
let logger: Promise<Logger> | undefined

parentPort?.on('message', (message: NamedPlace | NewLevel) => {
  if ('logLevel' in message) {
    logLevel = message.logLevel
    logger = undefined
  } else names.set(message.number, message.names)
})

setInterval(() => {
  const isWorking = cells[FOLD_CELL] !== 0
  const finding = standing.look(cells[STRETCH_CELL] as number, isWorking, performance.now())
  if (finding === 'stands') void report()
  // No quarantine could help, so every start would end here. A slow machine may still come to the end of the record.
  if (finding === 'has stood too long' && !isRepeat()) void end()
}, limits.lookEveryMs)

async function report(): Promise<void> {
  const consequence = isRepeat()
    ? 'it was processed before, so the process does not end and waits for it'
    : `the process ends when it has stood there for ${limits.endAfterMs / 1000} s`
  const place = placeOf()
  ;(await newLogger()).error(place, `a fold does not come to an end with a record: ${consequence}`)
}

async function end(): Promise<void> {
  const place = placeOf()
  const { topic, partition, offset, node } = place
  const remedy =
    node === undefined
      ? ''
      : `: each start stands there again until "weir quarantine ${topic}/${partition}/${offset} ${node}" was run`
  try {
    ;(await newLogger()).fatal(
      place,
      `a fold does not come to an end with a record, and the process ends${remedy}`,
    )
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
}

/** Whether the present record was processed before this start. */
function isRepeat(): boolean {
  return cells[REPEAT_CELL] !== 0
}

/** Position of the record, with pipeline, revision and node if a node has its turn. */
function placeOf() {
  return {
    ...(names.get(cells[FOLD_CELL] as number) as { readonly topic?: string; readonly partition?: number }),
    offset: offsets[OFFSET_CELL],
    ...(names.get(cells[NODE_CELL] as number) as { readonly node?: string }),
    stoodMs: Math.round(standing.stoodMs),
  }
}

/** Loaded on demand: few processes ever need it. */
function newLogger(): Promise<Logger> {
  logger ??= import('../program-logger.ts').then(({ threadLogger }) => threadLogger(logLevel))
  return logger
}
