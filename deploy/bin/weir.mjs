#!/usr/bin/env node
// Plain JavaScript on purpose: any Node on the machine must be able to read this file. The program itself needs Node 24,
// which the project includes as an npm package.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { freshBundle } from './program-bundle.mjs'

const NEEDED_MAJOR = 24
const COLLECTOR_FLAGS = ['--external-memory-accounted-in-global-limit', '--heap-growing-percent=50']

// Each statement of the embedded store holds a thread of the pool that the log also writes with. The pool is created at
// its first use, so its size must be set here.
process.env.UV_THREADPOOL_SIZE ??= '16'

if (Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR) {
  endWithLauncher()
  // Requests and records are buffers. By default, each 20 MB of them cause a full collection, although the heap between two
  // collections hardly changes.
  for (const flag of COLLECTOR_FLAGS) setFlagsFromString(flag)
  // Compiled code is kept for the next start, which makes it a third faster. If nothing can be written, it is compiled
  // again. The folder for temporary files is not used: other users who can write there could place code in it.
  nodeModule.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/weir', import.meta.url)))
  const bundle = freshBundle(fileURLToPath(new URL('../..', import.meta.url)))
  const { main } = await import(bundle === undefined ? '../cli/program.ts' : pathToFileURL(bundle).href)
  await main()
} else {
  runUnderOwnNode()
}

function runUnderOwnNode() {
  const node = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))
  if (process.env.NODE_FROM_WEIR || !existsSync(node)) {
    process.stderr.write(
      `Weir needs Node ${NEEDED_MAJOR} or newer; this is ${process.versions.node}. ` +
        'Run "npm ci" in the project folder, which brings one along, or install a newer Node.\n',
    )
    process.exitCode = 2
    return
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    // The fourth channel informs the child when this process ends, however it ends.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_FROM_WEIR: '1' },
  })
  // Ctrl+C also reaches the child through the terminal; the child stops once, however often it gets a signal.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', error => {
    process.stderr.write(`Weir's own Node at ${node} does not start: ${error.message}\n`)
    process.exitCode = 2
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0)
  })
}

/**
 * Ends this process with the one that started it, also after a kill -9 of that one. Otherwise it would hold the data
 * folder unnoticed.
 */
function endWithLauncher() {
  if (!process.env.NODE_FROM_WEIR || !process.connected) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}
