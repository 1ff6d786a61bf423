import { contentOf } from '../../../api/pipeline/file/file-content.ts'
import { runProblems, runTests, type TestResult } from '../../../api/pipeline/file/run-tests.ts'
import { CATALOGUE } from '../../../engine/nodes/catalogue.ts'
import { EXIT, type ExitCode } from '../command-error.ts'
import { printable } from '../table.ts'
import { type World, write } from '../world.ts'
import { readSource, sourcePaths, writeFindings } from './pipeline-source.ts'

/** Id for a pipeline that no server knows: it is only a seed for the ids of its nodes, which are not shown. */
const NO_PIPELINE = '00000000-0000-0000-0000-000000000000'

/** Runs the tests of files and of those in folders; an invalid file does not stop the others. */
export async function testFiles(given: readonly string[], world: World): Promise<ExitCode> {
  const results: TestResult[] = []
  let areValid = true
  for (const path of await sourcePaths(given)) {
    const found = await resultsOf(path, world)
    if (found === undefined) areValid = false
    else {
      for (const result of found) results.push(result)
      await write(world.stdout, reportOf(path, found))
    }
  }
  const failed = results.filter(({ differences }) => differences.length > 0).length
  await write(world.stdout, `${results.length - failed} passed, ${failed} failed\n`)
  if (!areValid) return EXIT.usage
  return failed > 0 ? EXIT.partly : EXIT.done
}

/** Results of a file; undefined when the file is not valid and all findings were printed. */
async function resultsOf(path: string, world: World): Promise<TestResult[] | undefined> {
  const source = await readSource(path, world)
  if (source.problems.length > 0) {
    await writeFindings(source, source.problems, world)
    return undefined
  }
  const check = contentOf(source.value, {
    catalogue: CATALOGUE,
    pipelineId: NO_PIPELINE,
    before: { nodes: [] },
    settings: {},
    gatewayRoutes: undefined,
    // Ids are not shown here, so names serve as ids.
    newNodeId: name => name,
    newAlertId: () => NO_PIPELINE,
  })
  const problems = 'problems' in check ? check.problems : runProblems(CATALOGUE, check.content)
  if ('content' in check && problems.length === 0) return runTests(CATALOGUE, check.content)
  await writeFindings(source, problems, world)
  return undefined
}

function reportOf(path: string, results: readonly TestResult[]): string {
  const lines = results.flatMap(({ name, differences }) => [
    `  ${differences.length === 0 ? 'ok    ' : 'failed'}  ${name}`,
    ...differences.map(line => `            ${line}`),
  ])
  return [path, ...(lines.length > 0 ? lines : ['  no tests'])].map(line => `${printable(line)}\n`).join('')
}
