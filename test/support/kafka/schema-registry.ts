import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { GenericContainer, Wait } from 'testcontainers'
import { cachedFolder } from './cached-folder.ts'
import { dockerAnswers, inContainerOr } from './container.ts'
import { javaVersion, readyLine, startJava } from './java-program.ts'
import { mavenDependency } from './maven.ts'
import { neededOrSkipped } from './needed-or-skipped.ts'

/** The last one that runs on Java 17. */
const VERSION = '2.6.13.Final'
const IMAGE = process.env.WEIR_TEST_REGISTRY_IMAGE ?? `apicurio/apicurio-registry-mem:${VERSION}`
const CONTAINER_PORT = 8080
const MEMORY_MB = 256
const LISTENING = /Listening on: (http:\/\/127\.0\.0\.1:\d+)/
/** Path at which Apicurio offers the interface of Confluent's registry. */
const CONFLUENT_PATH = '/apis/ccompat/v7'

/** Empty at the start, kept in memory; its global compatibility is NONE: set that of a subject. */
export interface SchemaRegistry {
  /** Base address for clients of a Confluent schema registry. */
  readonly url: string
  stop(): Promise<void>
}

/** One that can be had here, not yet started. */
export interface RegistryAtHand {
  start(): Promise<SchemaRegistry>
}

/**
 * A real schema registry: that of SCHEMA_REGISTRY_URL, else Apicurio in a container or from its jar.
 *
 * @returns undefined when there is none; says why, once
 * @throws instead when WEIR_REQUIRE_KAFKA is set
 */
export async function registryAtHand(): Promise<RegistryAtHand | undefined> {
  const url = process.env.SCHEMA_REGISTRY_URL
  if (url) return { start: async () => ({ url, stop: async () => {} }) }
  if (dockerAnswers()) return { start: () => inContainerOr(startJar, startContainer) }
  try {
    await registryJar()
  } catch (error) {
    return neededOrSkipped('a schema registry', 'SCHEMA_REGISTRY_URL', (error as Error).message)
  }
  return { start: startJar }
}

/** Like `registryAtHand`, started. */
export async function registryForTests(): Promise<SchemaRegistry | undefined> {
  return (await registryAtHand())?.start()
}

async function startContainer(): Promise<SchemaRegistry> {
  const container = await new GenericContainer(IMAGE)
    .withExposedPorts(CONTAINER_PORT)
    .withWaitStrategy(Wait.forHttp(`${CONFLUENT_PATH}/subjects`, CONTAINER_PORT))
    .start()
  return {
    url: `http://${container.getHost()}:${container.getMappedPort(CONTAINER_PORT)}${CONFLUENT_PATH}`,
    stop: async () => void (await container.stop()),
  }
}

/** Its path, unpacked once for this user. @throws a sentence why there can be none here */
async function registryJar(): Promise<string> {
  javaVersion()
  return join(
    await cachedFolder(`registry-${VERSION}`, unpack),
    `apicurio-registry-app-${VERSION}-runner.jar`,
  )
}

async function unpack(folder: string): Promise<void> {
  const artifact = `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`
  await mavenDependency('copy', [`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`])
  const archive = join(folder, `apicurio-registry-app-${VERSION}-all.tar.gz`)
  await promisify(execFile)('tar', ['-xzf', archive, '-C', folder])
  await rm(archive)
}

async function startJar(): Promise<SchemaRegistry> {
  const args = ['-Dquarkus.http.host=127.0.0.1', '-Dquarkus.http.port=0', '-jar', await registryJar()]
  const registry = startJava(MEMORY_MB, args)
  const said = await readyLine(registry, LISTENING)
  return { url: `${said.match(LISTENING)?.[1]}${CONFLUENT_PATH}`, stop: () => registry.kill() }
}
