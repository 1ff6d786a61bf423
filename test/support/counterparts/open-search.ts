import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { javaVersion, readyLine, startJava } from '../kafka/java-program.ts'
import { mavenDependency } from '../kafka/maven.ts'
import { temporaryFolder } from '../kafka/reaper.ts'
import { runCommand } from './command.ts'
import { type Counterpart, folderName } from './counterpart.ts'

const VERSION = '2.19.3'
const POM = join(import.meta.dirname, 'open-search/pom.xml')
const PROGRAM = join(import.meta.dirname, 'open-search/OpenSearchNode.java')
const MEMORY_MB = 512

/** One node of OpenSearch without plugins: it checks no credentials. */
export const openSearch: Counterpart = {
  name: 'search',
  product: `OpenSearch ${VERSION}`,
  folder: folderName('search', VERSION, ...[POM, PROGRAM].map(path => readFileSync(path, 'utf8'))),
  async make(folder) {
    javaVersion()
    await mavenDependency('copy-dependencies', [
      ...[`--file=${POM}`, '-DincludeScope=runtime', `-DoutputDirectory=${join(folder, 'lib')}`],
    ])
    await runCommand('javac', ['-d', join(folder, 'classes'), '-cp', join(folder, 'lib/*'), PROGRAM], {
      folder,
    })
  },
  async start(folder) {
    const data = temporaryFolder('weir-search-')
    mkdirSync(join(data.path, 'config'))
    const [port, transport] = [await freePort(), await freePort()]
    const classPath = ['classes', 'lib/*'].map(part => join(folder, part)).join(':')
    const node = startJava(MEMORY_MB, [
      '-cp',
      classPath,
      'OpenSearchNode',
      data.path,
      `${port}`,
      `${transport}`,
    ])
    const stop = async () => {
      await node.kill()
      data.remove()
    }
    try {
      await readyLine(node, /OpenSearch is ready/)
    } catch (error) {
      await stop()
      throw error
    }
    return { url: `http://127.0.0.1:${port}`, stop }
  },
}
