import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ENTER_AGAIN } from '../../console/src/pipelines/form/schema.ts'
import type { PipelineGraph } from '../../schemas/http/pipeline/graph-api.ts'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import { keptValues } from './kept-values.ts'
import { callApi, FEWER } from './published-pipeline.ts'

const canvas = (page: Page) => page.locator('.react-flow')
const outline = (page: Page) => page.getByRole('navigation', { name: 'Outline' })
const panel = (page: Page) => page.getByRole('complementary', { name: 'Node' })

/** Scenarios of the pages of a pipeline that take several of them together. */
export function pipelineScenarios(console: ConsoleUnderTest): void {
  async function made(title: string, content: object = FEWER): Promise<string> {
    const { id } = await callApi<{ id: string }>(console, 'PUT', '/v3/pipeline/import', { ...content, title })
    return id
  }

  test('why a line is missing names the key of the throttle, its times, and when the next one passes', async () => {
    const id = await made('Explained')
    await callApi(console, 'POST', `/v3/pipeline/${id}/publish`, {})
    await console.ship(
      Array.from({ length: 4 }, (_, at) => ({ line: `explained ${at}`, app: 'explained', level: 'info' })),
    )
    const page = await console.signedIn('/console/search?q=explained')
    await page.getByRole('button', { name: 'Why is a line missing?' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Look in the log' }).click()
    await dialog.getByText(/lines are not stored/).waitFor()
    await dialog.locator('summary').filter({ hasText: 'explained 3' }).click()
    const text = (await dialog.textContent()) ?? ''
    expect(text).toContain('At most two')
    expect(text).toMatch(/\bexplained\b.*\d\d:\d\d:\d\d/s)
  })

  test('copied nodes are pasted under free names, with their connections, and into a field as YAML', async () => {
    const id = await made('Copied')
    const page = await console.signedIn(`/console/pipelines/${id}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await outline(page).getByRole('button', { name: 'At most two' }).click()
    await panel(page).getByRole('heading', { name: 'At most two' }).waitFor()
    await page.keyboard.press('Control+c')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('processors:\n  - name: calm')
    await page.keyboard.press('Control+v')
    await page.waitForURL(/node=calm-2/)
    await expect.poll(() => canvas(page).locator('.react-flow__edge').count()).toBe(6)
    await page.keyboard.press('Control+z')
    await outline(page).getByRole('button', { name: 'At most two' }).nth(1).waitFor({ state: 'detached' })
    await page.evaluate(() => navigator.clipboard.writeText('no node'))
    await page.keyboard.press('Control+v')
    await page.getByText('The clipboard contains no nodes of a pipeline').waitFor()
  })

  test('changes of a draft are marked on the graph against what runs, until they are published', async () => {
    const id = await made('Marked changes')
    const page = await console.signedIn(`/console/pipelines/${id}`)
    const node = (name: RegExp) => canvas(page).getByRole('button', { name })
    const changes = page.getByRole('checkbox', { name: /^Show changes/ })
    await node(/^At most two throttle processor$/).waitFor()
    // Nothing runs that the draft could differ from.
    expect(await changes.count()).toBe(0)
    await callApi(console, 'POST', `/v3/pipeline/${id}/publish`, {})
    const { document, etag } = await callApi<PipelineGraph>(console, 'GET', `/v3/pipeline/${id}/graph`)
    await page.reload()
    await node(/^At most two throttle processor$/).waitFor()
    expect(await changes.count()).toBe(0)
    const [route] = document.processors ?? []
    const shorter = {
      ...{ name: 'shorter', type: 'drop-fields', inputs: ['by-level.debug'], config: { fields: ['.x'] } },
    }
    const destinations = document.destinations?.map(each => ({ ...each, inputs: ['shorter'] }))
    const changed = { ...document, processors: [route, shorter], destinations }
    await callApi(console, 'PUT', `/v3/pipeline/${id}/graph`, changed, { 'if-match': etag })
    await page.reload()
    await page.getByText('1 added, 1 changed, 1 removed since the running version').waitFor()
    await node(/^shorter drop-fields processor, added$/).waitFor()
    await node(/^store log-analysis destination, changed$/).waitFor()
    await outline(page).getByRole('button', { name: 'At most two throttle processor, removed' }).waitFor()
    for (const edge of ['by-level debug to shorter, added', 'At most two to store, removed'])
      await canvas(page).getByLabel(edge, { exact: true }).waitFor({ state: 'attached' })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findingsOfPage(page), colorScheme).toEqual([])
    }
    await node(/removed$/).press('Enter')
    await panel(page).getByText('The draft does not have this node.').waitFor()
    expect(await panel(page).getByLabel('threshold').count()).toBe(0)
    await page.keyboard.press('Escape')
    await changes.press('Space')
    await node(/removed$/).waitFor({ state: 'detached' })
    await node(/^shorter drop-fields processor$/).waitFor()
    await page.waitForURL(/cmp=off/)
    await page.reload()
    await changes.check()
    await node(/^At most two .*removed$/).waitFor()
    await callApi(console, 'POST', `/v3/pipeline/${id}/publish?allow_unconnected_edges=true`, {})
    await page.reload()
    await node(/^shorter drop-fields processor$/).waitFor()
    expect(await changes.count()).toBe(0)
  })

  test('a simulation counts the events on the connections', async () => {
    const id = await made('Counted samples')
    const page = await console.signedIn(`/console/pipelines/${id}?tab=simulate`)
    await page
      .getByRole('textbox', { name: 'Samples' })
      .fill('{"line":"a","level":"debug"}\n{"line":"b","level":"info"}')
    await page.getByRole('button', { name: 'Simulate', exact: true }).click()
    for (const edge of [
      'lines to by-level, 2 events',
      'by-level debug to At most two, 1 event',
      'At most two to store, 2 events',
    ])
      await canvas(page).getByLabel(edge, { exact: true }).waitFor({ state: 'attached' })
    expect(await findingsOfPage(page)).toEqual([])
  })

  test('text that is typed before the editor is there stays, and typing goes on at the cursor', async () => {
    const id = await made('Typed early')
    const page = await console.signedIn(`/console/pipelines/${id}`)
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route(/code-mirror/, async route => {
      await held
      await route.continue()
    })
    await page.goto(`/console/pipelines/${id}?tab=simulate`)
    const plain = page.getByRole('textbox', { name: 'Samples' })
    await plain.pressSequentially('{"line":"early"}')
    for (let step = 0; step < 2; step++) await plain.press('ArrowLeft')
    release()
    await page.locator('.cm-content').waitFor()
    await page.keyboard.type('er')
    await page.locator('.cm-content').getByText('{"line":"earlyer"}').waitFor()
  })

  test('a draft is simulated and published with the keyboard alone', async () => {
    const id = await made('Keys to the end')
    const page = await console.signedIn(`/console/pipelines/${id}`)
    await page.getByRole('tab', { name: 'Simulate' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.cm-content').focus()
    await page.keyboard.type('one line')
    await page.keyboard.press('Control+Enter')
    await page.getByText('1 of 1 samples were tried.').waitFor()
    await page.getByRole('button', { name: 'Publish…' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This is the first revision').waitFor()
    await dialog.getByRole('button', { name: 'Publish', exact: true }).focus()
    await page.keyboard.press('Enter')
    await dialog.getByText('Revision 1 runs.').waitFor()
    const graph = await callApi<{ revision: number }>(
      console,
      'GET',
      `/v3/pipeline/${id}/graph?revision=deployed`,
    )
    expect(graph.revision).toBe(1)
  })

  test('masked secrets are simulated as they are stored, and those to be entered again block it', async () => {
    const decrypt = {
      name: 'clear',
      type: 'decrypt-fields',
      inputs: ['lines'],
      config: { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.pin_iv' },
    }
    const { sources, destinations } = FEWER
    const id = await made('Secret key', {
      weir: 'pipeline/1',
      ...{ sources, processors: [decrypt] },
      destinations: destinations?.map(node => ({ ...node, inputs: ['clear'] })),
    })
    const page = await console.signedIn(`/console/pipelines/${id}?node=clear`)
    await panel(page).getByLabel('Title').fill('Changed')
    await page.getByRole('tab', { name: 'Simulate' }).click()
    await page.locator('.cm-content').click()
    await page.keyboard.insertText('{"pin":"F8ol0w==","pin_iv":"AAECAwQFBgcICQoLDA0ODw=="}')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('region', { name: 'Results' }).getByText('4821').first().waitFor()
    await page.getByRole('tab', { name: 'Graph' }).click()
    await panel(page).getByRole('button', { name: 'Replace key' }).click()
    await panel(page).getByLabel(/^key/).fill('another key here')
    await expect.poll(() => keptValues(page)).toContain(ENTER_AGAIN)
    await page.reload()
    await page.getByText('Your unsaved changes from before were brought back.').waitFor()
    await page.getByRole('tab', { name: 'Simulate' }).click()
    await page.getByText('Enter the secrets of clear again').waitFor()
    expect(await page.getByRole('button', { name: 'Simulate', exact: true }).isDisabled()).toBe(true)
  })
}
