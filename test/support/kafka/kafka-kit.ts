import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Child } from '../child.ts'
import { cachedFolder } from './cached-folder.ts'
import { javaVersion, readyLine, startJava } from './java-program.ts'
import { scramArguments } from './kafka-security.ts'
import { mavenDependency } from './maven.ts'
import { takePortBlock } from './port-block.ts'
import { type TemporaryFolder, temporaryFolder } from './reaper.ts'
import { type KafkaNode, loopbackNode, serverProperties } from './server-properties.ts'

const POM = join(import.meta.dirname, 'pom.xml')
/** Raised when a kit is made in another way: those of earlier runs no longer serve. */
const KIT_REVISION = 1

/** Files for starting brokers, created once per user: a folder of the cache. */
export interface KafkaKit {
  /** Every jar by its path: an archive of classes serves no wildcard. */
  readonly classPath: string
  /** Kafka's classes as the Java of this machine keeps them: with it a start takes 0.7 s instead of 2. */
  readonly archive: string
  /** A data folder as `kafka-storage format` leaves it: to copy it takes no Java. */
  readonly formatted: string
}

/** @throws a sentence why there can be none here */
export async function kafkaKit(): Promise<KafkaKit> {
  const version = javaVersion()
  const made = `${KIT_REVISION} ${version} ${readFileSync(POM, 'utf8')}`
  const key = createHash('sha256').update(made).digest('hex').slice(0, 16)
  return kitIn(await cachedFolder(`kafka-${key}`, makeKit, jarsAreThere))
}

function kitIn(folder: string): KafkaKit {
  return {
    classPath: readFileSync(join(folder, 'class-path'), 'utf8'),
    archive: join(folder, 'kafka.jsa'),
    formatted: join(folder, 'formatted'),
  }
}

/** They lie in Maven's repository, which is the user's to tidy up. */
function jarsAreThere(folder: string): boolean {
  return kitIn(folder).classPath.split(delimiter).every(existsSync)
}

async function makeKit(folder: string): Promise<void> {
  await mavenDependency('build-classpath', [
    `--file=${POM}`,
    '-DincludeScope=runtime',
    `-Dmdep.outputFile=${join(folder, 'class-path')}`,
  ])
  const kit = kitIn(folder)
  const scratch = temporaryFolder('weir-kafka-kit-')
  const block = await takePortBlock()
  try {
    await makeFormatted(kit, scratch)
    await makeArchive(kit, scratch, loopbackNode(1, block.ports))
  } finally {
    scratch.remove()
    block.release()
  }
}

async function makeFormatted(kit: KafkaKit, scratch: TemporaryFolder): Promise<void> {
  const node = loopbackNode(1, [1, 2, 3]) // Nothing listens yet.
  const config = join(scratch.path, 'format.properties')
  writeFileSync(config, serverProperties(node, [node], kit.formatted, 'none'))
  const format = ['format', '--cluster-id', newId(), '--config', config, ...scramArguments()]
  await promisify(execFile)('java', ['-cp', kit.classPath, 'kafka.tools.StorageTool', ...format])
}

/** Java writes it when a program that was asked to comes to a good end. */
async function makeArchive(kit: KafkaKit, scratch: TemporaryFolder, node: KafkaNode): Promise<void> {
  const config = join(scratch.path, 'server.properties')
  const data = join(scratch.path, 'data')
  copyFormatted(kit, data, node.id, newId())
  writeFileSync(config, serverProperties(node, [node], data, 'none'))
  const broker = startKafka(kit, config, 256, `-XX:ArchiveClassesAtExit=${kit.archive}`)
  await kafkaReady(broker)
  await broker.kill('SIGTERM')
}

/** A data folder of that node, as if it had just been formatted. */
export function copyFormatted(kit: KafkaKit, data: string, nodeId: number, clusterId: string): void {
  mkdirSync(data, { recursive: true })
  cpSync(kit.formatted, data, { recursive: true })
  const properties = ['version=1', `cluster.id=${clusterId}`, `node.id=${nodeId}`, `directory.id=${newId()}`]
  writeFileSync(join(data, 'meta.properties'), properties.map(line => `${line}\n`).join(''))
}

/** 128 random bits in Kafka's notation. */
export function newId(): string {
  return randomBytes(16).toString('base64url').replace(/^-/, 'A') // A leading minus would be read as an option.
}

export function startKafka(
  kit: KafkaKit,
  config: string,
  memoryMb: number,
  archive = `-XX:SharedArchiveFile=${kit.archive}`,
): Child {
  const logging = [
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info', // It says that it has started.
  ]
  return startJava(memoryMb, [archive, ...logging, '-cp', kit.classPath, 'kafka.Kafka', config])
}

/** Resolves when it serves clients. */
export async function kafkaReady(broker: Child): Promise<void> {
  await readyLine(broker, /Kafka Server started/)
}
