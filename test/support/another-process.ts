import { Registry } from '@prometheus-io/client'
import { buildServer } from '../../api/server.ts'
import { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import type { TestInstallation } from './test-installation.ts'

/** A second API process on the log of an installation; it reads the writes of the first when it looks. */
export async function anotherProcess({ ports, log, clock, credentials }: TestInstallation, seed = 43) {
  const entropy = seededEntropy(seed)
  const configuration = await ConfigurationLog.open({
    topic: await log.topic(CONFIG_TOPIC, 1),
    clock,
    entropy,
    secretKey: Buffer.alloc(32, 1),
    logger: silentLogger,
  })
  const app = await buildServer({ ...ports, configuration, entropy, registry: new Registry() })
  await app.ready()
  return { app, configuration, credentials }
}
