import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../../', import.meta.url)

const SEARCH = 'test/console/search.test.ts'
const TOOLS = 'test/console/search-tools.test.ts'
const SESSION = 'test/console/session.test.ts'
const PIPELINES = 'test/console/pipelines.test.ts'
const STEPS = 'test/console/pipeline-scenarios.ts'
const USAGE = 'test/console/usage.test.ts'
const STATES = 'test/console/page-states.ts'
const CAMPAIGN = 'test/console/console-campaign.test.ts'
const SIGN_IN = 'api/auth/session-routes.test.ts'
const HISTORY = 'console/src/pipelines/draft/history.test.ts'
const BUILT = 'deploy/console/built-console.test.ts'

/** Scenarios of the console by their numbers, each with the beginnings of the tests that go through it. */
const SCENARIOS: Readonly<Record<number, readonly (readonly [file: string, test: string])[]>> = {
  1: [[SESSION, 'a wrong token is refused in the words of the server']],
  2: [
    [SESSION, 'nothing of the token is where a script of the page could read it'],
    [SESSION, 'sign-out ends it in every tab'],
    [SESSION, 'a revoked token asks for a new sign-in'],
  ],
  3: [[SIGN_IN, 'of another installation on the host has another name']],
  4: [
    [SIGN_IN, 'changes nothing without the header of the console'],
    [SIGN_IN, 'needs the origin of the installation'],
  ],
  5: [
    [SEARCH, 'a session that ends leaves the query and the place in the list'],
    [PIPELINES, 'a session that ends amid editing loses nothing'],
  ],
  6: [[TOOLS, 'an account without lines shows commands']],
  7: [[STEPS, 'text that is typed before the editor is there stays']],
  8: [[TOOLS, 'names, values and keywords complete, and an error is marked']],
  9: [
    [SEARCH, 'reload, Back and a second tab show the same query'],
    [TOOLS, 'a field becomes a column that the address holds'],
  ],
  10: [
    [SEARCH, 'a permalink opens its line amid ten thousand of one millisecond'],
    [SEARCH, 'a permalink to a line that is gone says so'],
  ],
  11: [[SEARCH, 'the bars of the histogram add up to the lines, and keys and a drag']],
  12: [[SEARCH, 'the counts of values are what a search with that filter finds']],
  13: [
    [SEARCH, 'the context of a line are its neighbours'],
    [SEARCH, 'a permalink opens its line amid ten thousand of one millisecond, among its neighbours'],
  ],
  14: [
    [CAMPAIGN, 'very many lines are scrolled from end to end'],
    ['console/src/search/line-pages.test.ts', 'released lines leave their places'],
  ],
  15: [[TOOLS, 'newer lines are told, and the line that is read stays']],
  16: [[SEARCH, 'a line of 1 MB and one of 2,000 fields open']],
  17: [
    [SEARCH, 'selecting text opens nothing'],
    [TOOLS, 'chosen lines are copied byte for byte'],
  ],
  18: [[SEARCH, 'markup, escapes and bidirectional characters']],
  19: [[SEARCH, 'a large integer stays itself']],
  20: [
    [SEARCH, 'times are those of the zone of the address'],
    ['console/src/times/time.test.ts', 'in both hours of the night when clocks go back'],
  ],
  21: [
    [SEARCH, 'a search that takes long says how long'],
    ['api/search/search-routes.test.ts', 'ends the search when the client leaves'],
  ],
  22: [[CAMPAIGN, 'a tail of 10,000 lines a second adds up']],
  23: [[CAMPAIGN, 'a tail of 10,000 lines a second adds up, and a line that is read stays']],
  24: [[TOOLS, 'a tail shows lines as they come']],
  25: [[TOOLS, 'a tail shows lines as they come']],
  26: [[CAMPAIGN, 'six tails in six tabs']],
  27: [
    [TOOLS, 'why a line is here, and why one is missing'],
    [STEPS, 'why a line is missing names the key of the throttle'],
  ],
  28: [[TOOLS, 'a view that was saved, changed and opened elsewhere']],
  29: [[USAGE, 'shows of each app what the API counts, to the byte']],
  30: [[USAGE, 'a quota in force says what acts and until when']],
  31: [
    ['test/conformance/node-forms.test.ts', 'know every keyword of the options of every type'],
    [
      'test/conformance/node-forms.test.ts',
      'have the names that the server gives them, in all worked examples',
    ],
  ],
  32: [[PIPELINES, 'findings of the server stand at their fields']],
  33: [
    [PIPELINES, 'a pipeline is built, connected and saved with the keyboard alone'],
    [STEPS, 'a draft is simulated and published with the keyboard alone'],
  ],
  34: [
    [HISTORY, 'fifty drawn edits are undone and redone'],
    ['api/pipeline/file/file-routes.test.ts', 'an export equals the import'],
  ],
  35: [[PIPELINES, "somebody else's change is shown, merged, and never overwritten"]],
  36: [[CAMPAIGN, 'counts on edges are those of the events that each output']],
  37: [[PIPELINES, 'a tap shows an event, which becomes a sample']],
  38: [[PIPELINES, 'samples are simulated unsaved, and a preview stands beside the publication']],
  39: [[PIPELINES, 'samples are simulated unsaved, and a preview stands beside the publication']],
  40: [['test/console/throttles-tests.ts', 'let the time of an exemption run out on the page']],
  41: [[PIPELINES, 'failed events are kept, and replayed once']],
  42: [['test/console/access-tests.ts', 'a secret is shown once']],
  43: [[SESSION, 'the %s role sees what it may']],
  44: [[STATES, 'a server that is away or not ready is told on every page']],
  45: [['test/console/accessibility.test.ts', 'have no findings of axe']],
  46: [[STATES, 'nothing is shown as loading before 200 ms']],
  47: [['test/console/bundle.test.ts', '%s loads at most %i bytes']],
  48: [
    [BUILT, 'stale files are built while the service starts'],
    [BUILT, 'files are stale after a change of %s, and without its packages a sentence'],
  ],
  49: [['test/console/random-walk.ts', 'a random walk over buttons, keys and addresses meets no error']],
  50: [
    [STATES, 'a refusal is shown in the words of the server'],
    [STATES, 'errors of every other status are shown in the words of the server'],
    [STATES, 'a list that is %s says so'],
  ],
}

test('each of the fifty scenarios has a test', () => {
  expect(Object.keys(SCENARIOS).map(Number)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
  const missing = Object.entries(SCENARIOS).flatMap(([number, tests]) =>
    tests
      .filter(([file, name]) => !readFileSync(new URL(file, ROOT), 'utf8').includes(name))
      .map(([file, name]) => `${number}: ${file}: ${name}`),
  )
  expect(missing).toEqual([])
})
