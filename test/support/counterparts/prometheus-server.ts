import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { cacheFolder, foundFolder } from '../kafka/cached-folder.ts'
import { sayAloud } from '../kafka/needed-or-skipped.ts'
import { temporaryFolder } from '../kafka/reaper.ts'
import { runCommand } from './command.ts'
import { type Counterpart, folderName } from './counterpart.ts'
import { startServer } from './started-server.ts'

/**
 * Prometheus of Debian, which receives remote write 1.0. A sample far in the future makes it refuse all present ones, so its
 * data is as young as its process.
 */
export const prometheusServer: Counterpart = {
  name: 'remote-write',
  product: 'Prometheus of Debian',
  folder: folderName('remote-write', 'debian'),
  make: unpackDebian,
  async start(folder) {
    const data = temporaryFolder('weir-prometheus-')
    const config = join(data.path, 'prometheus.yml')
    writeFileSync(config, 'global: {}\n')
    const address = `127.0.0.1:${await freePort()}`
    return startServer({
      program: join(folder, 'usr/bin/prometheus'),
      args: [
        ...[`--config.file=${config}`, `--storage.tsdb.path=${join(data.path, 'data')}`],
        ...[`--web.listen-address=${address}`, '--web.enable-remote-write-receiver', '--log.level=warn'],
      ],
      url: `http://${address}`,
      data,
    })
  },
}

/**
 * Program that examines rules, of the same package.
 *
 * @returns undefined when the package is not in the cache; says so, once
 * @throws Error instead when WEIR_REQUIRE_COUNTERPARTS names the server
 */
export function promtool(): string | undefined {
  const { name, product, folder } = prometheusServer
  const found = foundFolder(folder)
  if (found !== undefined) return join(found, 'usr/bin/promtool')
  const remedy = `run "npm run counterparts ${name}"`
  if ((process.env.WEIR_REQUIRE_COUNTERPARTS ?? '').split(',').includes(name))
    throw new Error(`Tests need promtool (${product}): ${remedy}.`)
  sayAloud(`TESTS SKIPPED, THEY NEED promtool (${product}): ${remedy}.`)
  return undefined
}

/** Unpacks the package without installing it. Apt checks it against the signed list of packages. */
async function unpackDebian(folder: string): Promise<void> {
  const scratch = temporaryFolder('deb-', cacheFolder())
  const download = () => runCommand('apt-get', ['download', 'prometheus'], { folder: scratch.path })
  try {
    await download().catch(async () => {
      // A new machine has no list of packages.
      await runCommand('apt-get', ['update', '-qq'], { folder: scratch.path })
      await download()
    })
    const [found = ''] = readdirSync(scratch.path).filter(name => name.endsWith('.deb'))
    await runCommand('dpkg-deb', ['--extract', join(scratch.path, found), folder], { folder: scratch.path })
  } finally {
    scratch.remove()
  }
}
