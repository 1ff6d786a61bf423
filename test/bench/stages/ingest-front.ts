import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { serveIngestion } from '../../../api/ingest/ingest-routes.ts'
import { IngestWriter } from '../../../api/ingest/ingest-writer.ts'
import { RecentAnswers } from '../../../api/ingest/recent-answers.ts'
import { systemClock } from '../../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../../engine/entropy/system-entropy.ts'
import type { Topic } from '../../../engine/log/log.ts'
import { Producer } from '../../../engine/log/producer.ts'
import { openSegmentLog } from '../../../engine/log/segment-log.ts'
import { INGEST_TOPIC } from '../../../schemas/log/topics.ts'

export const FRONT_KEY = '7b273eb8adc962f2711ad760730debb0'
const ACCOUNT = '507f1f77bc'

/** A segment log on a new folder. */
export async function onSegmentLog<Result>(use: (topic: Topic) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'weir-bench-ingest-'))
  const [clock, entropy] = [systemClock(), systemEntropy()]
  const log = await openSegmentLog({ directory: join(directory, 'log'), clock, entropy, maxBytes: 2 ** 33 })
  try {
    return await use(await log.topic(INGEST_TOPIC, 1))
  } finally {
    await log.close()
    await rm(directory, { recursive: true, force: true })
  }
}

/** The HTTP front of log ingestion on a segment log, in this process. FRONT_KEY is its only key. */
export function onIngestFront<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  return onSegmentLog(async topic => {
    const [clock, entropy] = [systemClock(), systemEntropy()]
    const app = fastify()
    serveIngestion(app, {
      writer: new IngestWriter({ topic, producer: new Producer({ topic, clock, entropy }) }),
      keys: new RecentAnswers({ clock }),
      partitionOf: () => 0,
      authenticator: { ingest: ({ apikeyHeader }) => (apikeyHeader === FRONT_KEY ? ALLOWED : REFUSED) },
      clock,
      bodyLimitBytes: 2_097_152,
      corsOrigins: [],
    })
    try {
      return await use(`${await app.listen({ host: '127.0.0.1', port: 0 })}/logs/ingest`)
    } finally {
      await app.close()
    }
  })
}

const REFUSED = { failure: { status: 401 as const, message: 'Not Authorized' } }
const ALLOWED = {
  caller: {
    subjectId: 'bench',
    credential: { id: 'k', scope: null, expiresAtMs: null },
    accessType: 'ingestion' as const,
    role: 'ingest' as const,
    delegated: false,
    account: { shortId: ACCOUNT, id: 'bench', retentionDays: 30, ingestionSuspended: false },
  },
}
