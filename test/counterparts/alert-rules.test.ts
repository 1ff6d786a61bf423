import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'
import { runCommand } from '../support/counterparts/command.ts'
import { promtool } from '../support/counterparts/prometheus-server.ts'
import { dashboardQueries } from '../support/dashboard.ts'

const FOLDER = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url))
const program = promtool()

describe.skipIf(program === undefined)('promtool', () => {
  const run = (folder: string, ...args: readonly string[]) => runCommand(program ?? '', args, { folder })

  test('accepts the rules', () => run(FOLDER, 'check', 'rules', 'weir.rules.yml'))

  test('finds that each alert fires, and does not fire, as its tests say', () =>
    run(FOLDER, 'test', 'rules', 'weir.rules.test.yml'))

  test('reads every query of the dashboard', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-queries-'))
    try {
      writeFileSync(
        join(folder, 'queries.json'),
        JSON.stringify({ groups: [{ name: 'queries', rules: asRules() }] }),
      )
      await run(folder, 'check', 'rules', 'queries.json')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** Rules with the queries of the dashboard, because promtool reads queries as parts of rules. */
function asRules(): readonly { readonly record: string; readonly expr: string }[] {
  return dashboardQueries().map((query, place) => ({
    record: `query_${place}`,
    expr: query.replaceAll('$__rate_interval', '5m'),
  }))
}
