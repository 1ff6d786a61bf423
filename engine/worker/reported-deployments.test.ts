import { expect, test } from 'vitest'
import { CONFIG_TOPIC, INGEST_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { ConfigurationLog, create } from '../configuration/configuration-log.ts'
import { deployments } from '../configuration/entities.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { memoryLog } from '../log/memory-log.ts'
import { silentLogger } from '../logger.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { cutsOf } from './cuts-on-the-log.ts'
import { deploymentReporter } from './reported-deployments.ts'

test('a deployment is reported to the partition of its account, and one that does not exist to none', async () => {
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(1) })
  const ingest = await log.topic(INGEST_TOPIC, 2)
  const configuration = await ConfigurationLog.open({
    topic: await log.topic(CONFIG_TOPIC, 1),
    clock,
    entropy: seededEntropy(2),
    secretKey: Buffer.alloc(32),
    logger: silentLogger,
  })
  const withdrawn = create(deployments, 'p', { account: 'a', number: 3, revisionId: null })
  await configuration.append([withdrawn], { subjectId: 'tester', account: '' })
  const report = deploymentReporter(CATALOGUE, ingest, configuration)
  await report('p')
  await report('unknown')
  const home = partitionOfAccount('a', 2)
  const records = await ingest.read(home, 0n, 10_000)
  expect(records.flatMap(cutsOf)).toEqual([{ kind: 'pipeline', entity: 'p', version: 3, payload: '' }])
  expect((await ingest.bounds(1 - home)).next).toBe(0n)
})
