import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PipelineFile } from '../../schemas/http/pipeline/pipeline-file.ts'
import { describeConsole, signIn } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import { errorsTests } from './errors-tests.ts'
import { keptValues } from './kept-values.ts'
import { pipelineFileTests } from './pipeline-file-tests.ts'
import { pipelineScenarios } from './pipeline-scenarios.ts'
import { type CallOptions, callApi, FEWER } from './published-pipeline.ts'
import { throttlesTests } from './throttles-tests.ts'

const SECRET = 'a-token-of-splunk'

const canvas = (page: Page) => page.locator('.react-flow')
const outline = (page: Page) => page.getByRole('navigation', { name: 'Outline' })
const panel = (page: Page) => page.getByRole('complementary', { name: 'Node' })
/** The button, once nothing is left to save; it is disabled during saving, too. */
const saved = (page: Page) =>
  page.getByRole('button', { name: 'Save draft', disabled: true }).and(page.locator('.button'))

/** Chooses a node of the outline. */
async function choose(page: Page, name: string): Promise<void> {
  await outline(page).getByRole('button', { name }).click()
  await panel(page).getByRole('heading', { name }).waitFor()
}

/** Types a text in the place of everything in a code editor. */
async function retype(editor: Locator, text: string): Promise<void> {
  await editor.press('Control+a')
  await editor.press('Delete')
  await editor.page().keyboard.insertText(text)
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save draft' }).click()
  await saved(page).waitFor()
}

describeConsole('the pages of a pipeline', console => {
  const call = <Data>(method: string, path: string, body?: unknown, options?: CallOptions) =>
    callApi<Data>(console, method, path, body, options)

  async function made(title: string, content: object = FEWER): Promise<string> {
    const { id } = await call<{ id: string }>('PUT', '/v3/pipeline/import', { ...content, title })
    return id
  }

  /** Draft of the server. */
  async function draftOf(id: string): Promise<PipelineFile> {
    return (await call<{ document: PipelineFile }>('GET', `/v3/pipeline/${id}/graph`)).document
  }

  async function modeOf(id: string): Promise<string | undefined> {
    return (await call<{ pause_mode?: string }>('GET', `/v3/pipeline/${id}`)).pause_mode
  }

  async function tokenOf(scope: string): Promise<string> {
    const body = { name: scope, kind: 'service', scope }
    const answer = await fetch(`${console.url}/v1/config/tokens`, {
      method: 'POST',
      headers: {
        authorization: `Token ${console.weir.credentials.accessToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    return ((await answer.json()) as { token: string }).token
  }

  describe('that runs', () => {
    let id: string

    beforeAll(async () => {
      id = await made('Fewer lines')
      await call('POST', `/v3/pipeline/${id}/publish`, {})
      await console.ship(
        Array.from({ length: 5 }, (_, at) => ({ line: `order ${at}`, app: 'web', level: 'info' })),
      )
    })

    test('show its nodes and outputs, and walk along its edges by arrow keys', async () => {
      const page = await console.signedIn('/console/pipelines')
      await page.getByRole('link', { name: 'Fewer lines' }).click()
      await canvas(page).getByRole('button', { name: 'At most two throttle processor' }).waitFor()
      expect(await outline(page).getByRole('button').count()).toBe(4)
      expect(await canvas(page).locator('.react-flow__edge').count()).toBe(4)
      await canvas(page).getByRole('button', { name: 'lines' }).focus()
      for (const title of ['by-level', 'At most two', 'store']) {
        await page.keyboard.press('ArrowRight')
        await panel(page).getByRole('heading', { name: title }).waitFor()
      }
      await page.keyboard.press('ArrowLeft')
      await page.waitForURL(/node=calm/)
      await page.reload()
      await panel(page).getByRole('heading', { name: 'At most two' }).waitFor()
      await panel(page).getByRole('tab', { name: 'State' }).click()
      await panel(page)
        .getByRole('row', { name: /^web 2 \/ 2/ })
        .waitFor()
    })

    test('show the events of a second on nodes and connections, and those of an hour', async () => {
      const page = await console.signedIn(`/console/pipelines/${id}?rev=deployed`)
      const node = outline(page).getByRole('button', { name: /^by-level/ })
      await node.getByText('0 a second in, 0 out').first().waitFor()
      const { ingestUrl, ingestionKey } = console.weir.credentials
      const sending = setInterval(
        () =>
          void fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
            method: 'POST',
            headers: { apikey: ingestionKey, 'content-type': 'application/json' },
            body: JSON.stringify({ lines: [{ line: 'counted', app: 'web', level: 'debug' }] }),
          }),
        100,
      )
      try {
        await node
          .getByText(/^[1-9]\d* a second in, [1-9]\d* out$/)
          .first()
          .waitFor()
        await canvas(page)
          .getByLabel(/^by-level debug to At most two, [1-9]\d* events a second$/)
          .waitFor()
        await canvas(page).getByLabel('by-level _unmatched to At most two, 0 events a second').waitFor()
        await outline(page)
          .getByText(/[1-9]\d* dropped$/)
          .first()
          .waitFor()
      } finally {
        clearInterval(sending)
      }
      await page.getByRole('button', { name: 'Last hour' }).click()
      await page.waitForURL(/counts=hour/)
      await node
        .getByText(/^\d+ in, \d+ out$/)
        .first()
        .waitFor()
      expect(await findingsOfPage(page)).toEqual([])
    })

    describe('and the page about errors', () => errorsTests(console, call, () => id))
    describe('and the page about throttles', () => throttlesTests(console, call, () => id))

    test('have no keys for those who do not want any', async () => {
      const page = await console.signedIn(`/console/pipelines/${id}`)
      await outline(page).waitFor()
      await page.keyboard.press('?')
      await page.getByLabel(/^Use single keys/).uncheck()
      await page.keyboard.press('Escape')
      await choose(page, 'At most two')
      await outline(page).getByRole('button', { name: 'store' }).focus()
      for (const key of ['Delete', 'a', 'F8']) await page.keyboard.press(key)
      expect(await page.getByRole('dialog').count()).toBe(0)
      expect(await outline(page).getByRole('button').count()).toBe(4)
    })

    test('show somebody who only reads everything, and no button that changes it', async () => {
      const token = await tokenOf('readonly')
      const page = await console.signedIn(`/console/pipelines/${id}?node=calm`, { token })
      await panel(page).getByText('threshold').waitFor()
      await page.getByText('Your token can read this pipeline').waitFor()
      for (const name of ['Save draft', 'Add a node', 'Remove node', 'Publish…'])
        expect(await page.getByRole('button', { name }).count(), name).toBe(0)
      await page.getByRole('link', { name: 'Throttles' }).click()
      await page.getByRole('row', { name: /^web 2 \/ 2/ }).waitFor()
      expect(await page.getByRole('button', { name: 'Exempt' }).count()).toBe(0)
    })

    test.each([
      ['light', { width: 1_280, height: 800 }],
      ['dark', { width: 320, height: 640 }],
    ] as const)('have no findings of axe in the %s theme at %o', async (colorScheme, viewport) => {
      const page = await console.signedIn(`/console/pipelines/${id}`, { colorScheme, viewport })
      await outline(page).waitFor()
      const found: Record<string, string[]> = { graph: await findingsOfPage(page) }
      for (const name of ['by-level', 'At most two', 'store']) {
        await choose(page, name)
        found[name] = await findingsOfPage(page)
        await page.keyboard.press('Escape')
      }
      await page.getByRole('button', { name: 'Add a node' }).click()
      await page.getByRole('dialog').waitFor()
      found.types = await findingsOfPage(page)
      expect(
        Object.entries(found).flatMap(([name, each]) => each.map(finding => `${name}: ${finding}`)),
      ).toEqual([])
    })
  })

  test('a pipeline that is gone says so', async () => {
    const page = await console.signedIn('/console/pipelines/00000000-0000-4000-8000-000000000000')
    await page.getByRole('heading', { name: 'This pipeline does not exist' }).waitFor()
    await page.getByRole('link', { name: 'Show all pipelines' }).click()
    await page.getByRole('heading', { name: 'Pipelines' }).waitFor()
  })

  test('a pipeline is built, connected and saved with the keyboard alone', async () => {
    const id = await made('By keys', { weir: 'pipeline/1' })
    const page = await console.signedIn(`/console/pipelines/${id}`)
    await page.getByRole('heading', { name: 'This pipeline has no nodes yet' }).waitFor()
    for (const type of ['log-analysis-ingestion', 'sample', 'blackhole']) {
      await page.keyboard.press('a')
      await page.getByRole('dialog').getByLabel('Find a type').waitFor()
      await page.keyboard.type(type)
      await page.keyboard.press('Enter')
      await panel(page).getByRole('heading', { name: type }).waitFor()
    }
    await page.keyboard.press('Control+s')
    await saved(page).waitFor()
    const { sources, processors, destinations } = await draftOf(id)
    expect([sources, processors, destinations]).toMatchObject([
      [{ name: 'log-analysis-ingestion' }],
      [{ name: 'sample', inputs: ['log-analysis-ingestion'] }],
      [{ name: 'blackhole', inputs: ['sample'] }],
    ])
    await page.reload()
    await outline(page).getByRole('button', { name: 'sample' }).focus()
    await page.keyboard.press('Enter')
    await panel(page).waitFor()
    await page.keyboard.press('Delete')
    await outline(page).getByRole('button', { name: 'sample' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    await outline(page).getByRole('button', { name: 'sample' }).waitFor()
    await saved(page).waitFor()
  })

  test('findings of the server stand at their fields, also in nested conditions', async () => {
    const id = await made('Wrong options')
    const page = await console.signedIn(`/console/pipelines/${id}`)
    await choose(page, 'At most two')
    await panel(page).getByLabel('threshold').fill('many')
    await panel(page).getByText('must be integer').waitFor()
    expect(await panel(page).getByLabel('threshold').getAttribute('aria-invalid')).toBe('true')
    await choose(page, 'by-level')
    await panel(page).getByLabel('Field').fill('not a path')
    await panel(page).getByText('Must be a valid data access syntax').waitFor()
    await page.getByRole('region', { name: 'Findings' }).getByText('must be integer').waitFor()
    await page.getByRole('tab', { name: 'Graph' }).focus()
    await page.keyboard.press('F8')
    await panel(page).getByRole('heading', { name: 'At most two' }).waitFor()
    expect((await draftOf(id)).processors?.[1]?.config?.threshold).toBe(2)
    for (const _ of [1, 2]) await page.getByRole('button', { name: 'Undo' }).click()
    await saved(page).waitFor()
    await page.getByRole('tab', { name: 'File' }).click()
    // The plain field that stands there before it has the same name.
    const file = page.locator('.cm-content')
    await file.getByText('At most two').waitFor()
    await retype(file, 'weir: pipeline/1\nsources: x')
    await page.getByRole('button', { name: 'Apply to the draft' }).click()
    await page.getByRole('alert').filter({ hasText: 'sources: must be array' }).waitFor()
    await retype(file, 'weir: pipeline/1\ntitle: From a file\nsources: [{ name: door, type: http }]')
    await page.getByRole('button', { name: 'Apply to the draft' }).click()
    await page.getByText('Not saved').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByRole('heading', { name: 'From a file' }).waitFor()
    expect((await draftOf(id)).sources).toMatchObject([{ name: 'door', type: 'http' }])
  })

  test('unsaved changes survive a reload without their secrets, which are entered again', async () => {
    const id = await made('With a secret', {
      ...FEWER,
      destinations: [
        {
          name: 'splunk',
          type: 'splunk-hec-logs',
          inputs: ['calm'],
          config: { url: 'https://a.example', token: SECRET },
        },
      ],
    })
    const page = await console.signedIn(`/console/pipelines/${id}`)
    await choose(page, 'splunk')
    await panel(page).getByRole('button', { name: 'Replace token' }).click()
    await panel(page)
      .getByLabel(/^token/)
      .fill('typed-secret')
    await choose(page, 'At most two')
    await panel(page).getByLabel('Title').fill('At most three')
    await page.getByText('Not saved').waitFor()
    await expect.poll(() => keptValues(page)).toContain('At most three')
    const kept = await keptValues(page)
    expect(kept).not.toContain('typed-secret')
    expect(kept).not.toContain(SECRET)
    await page.reload()
    await page.getByText('Your unsaved changes from before were brought back.').waitFor()
    await panel(page).getByRole('heading', { name: 'At most three' }).waitFor()
    expect(await page.getByRole('button', { name: 'Save draft' }).isDisabled()).toBe(true)
    await page.getByRole('region', { name: 'Findings' }).getByRole('button', { name: 'splunk' }).click()
    await panel(page).getByText('Enter this secret again').waitFor()
    await panel(page)
      .getByLabel(/^token/)
      .fill('typed-again')
    await save(page)
    const { destinations } = await call<PipelineFile & object>('GET', `/v3/pipeline/${id}/graph`).then(
      graph => (graph as unknown as { document: PipelineFile }).document,
    )
    expect(destinations?.[0]?.config?.token).toMatch(/^\*{3}/)
  })

  test("somebody else's change is shown, merged, and never overwritten", async () => {
    const id = await made('Two people')
    const page = await console.signedIn(`/console/pipelines/${id}`)
    await choose(page, 'At most two')
    await panel(page).getByLabel('threshold').fill('7')
    const { document, etag } = await call<{ document: PipelineFile; etag: string }>(
      'GET',
      `/v3/pipeline/${id}/graph`,
    )
    const processors = document.processors!.map(node =>
      node.name === 'calm' ? { ...node, config: { ...node.config, threshold: 9 } } : node,
    )
    const destinations = [{ ...document.destinations![0]!, title: 'Their store' }]
    await call(
      'PUT',
      `/v3/pipeline/${id}/graph`,
      { ...document, processors, destinations },
      { 'if-match': etag },
    )
    await panel(page).getByLabel('threshold').fill('8')
    await page.getByRole('alert').getByText('Somebody else changed this draft').waitFor()
    expect(await page.getByRole('button', { name: 'Save draft' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Compare' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('are taken over: store').waitFor()
    await dialog.getByText('"threshold": 9').waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    await dialog.getByLabel('Yours').check()
    await dialog.getByRole('button', { name: 'Use this result' }).click()
    await outline(page).getByRole('button', { name: 'Their store' }).waitFor()
    await save(page)
    const merged = await draftOf(id)
    expect(merged.processors?.[1]?.config?.threshold).toBe(8)
    expect(merged.destinations?.[0]?.title).toBe('Their store')
  })

  test('a session that ends amid editing loses nothing', async () => {
    const id = await made('Session')
    const page = await console.signedIn(`/console/pipelines/${id}`)
    await choose(page, 'At most two')
    await page.context().clearCookies()
    await panel(page).getByLabel('Title').fill('Typed without a session')
    await page.getByRole('dialog').getByText('Your session has ended').waitFor()
    await signIn(page, console.weir.credentials.accessToken)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await save(page)
    expect((await draftOf(id)).processors?.[1]?.title).toBe('Typed without a session')
  })

  test('samples are simulated unsaved, and a preview stands beside the publication', async () => {
    const id = await made('Tried out')
    await call('POST', `/v3/pipeline/${id}/publish`, {})
    await console.ship(
      Array.from({ length: 6 }, (_, at) => ({ line: `till ${at}`, app: 'till', level: 'info' })),
    )
    const page = await console.signedIn(`/console/pipelines/${id}`)
    await choose(page, 'At most two')
    // The picture stands beside the open panel as a whole.
    const cut = () =>
      canvas(page).evaluate(pane => {
        const { left, right } = pane.getBoundingClientRect()
        const boxes = [...pane.querySelectorAll('[data-node]')].map(each => each.getBoundingClientRect())
        return boxes.filter(box => box.left < left || box.right > right).length
      })
    await expect.poll(cut).toBe(0)
    await panel(page).getByLabel('threshold').fill('1')
    await page.getByRole('tab', { name: 'Simulate' }).click()
    await page.getByRole('heading', { name: 'No samples yet' }).waitFor()
    await page.locator('.cm-content').click()
    await page.keyboard.insertText('{"app":"web","line":"a"}\n{"app":"web","line":"b"}')
    await page.keyboard.press('Control+Enter')
    await page.getByText('2 of 2 samples were tried.').waitFor()
    await canvas(page).getByRole('button', { name: 'At most two throttle processor, 2 in, 1 out' }).click()
    await page.getByRole('region', { name: 'At most two' }).getByText('Dropped').waitFor()
    const found = await findingsOfPage(page)
    await save(page)

    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.getByRole('heading', { name: 'No preview yet' }).waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('row', { name: /^At most two throttle/ }).waitFor()
    const verdict = await page
      .getByText(/would have/)
      .first()
      .textContent()
    // It was published within the hour that is previewed.
    await page.getByText(/^This pipeline has handled lines since 20/).waitFor()
    const revisions = page.getByRole('list', { name: 'Revisions in force' })
    expect(await revisions.textContent()).toMatch(/: revision 1$/)
    found.push(...(await findingsOfPage(page)))

    await page.getByRole('button', { name: 'Publish…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('threshold').waitFor()
    await dialog.getByText(verdict ?? 'none').waitFor()
    await dialog.getByText(/^This pipeline has handled lines since/).waitFor()
    found.push(...(await findingsOfPage(page)))
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await dialog.getByText('Revision 2 runs.').waitFor()
    await dialog.getByText('Close', { exact: true }).click()

    await page.getByRole('tab', { name: 'Revisions' }).click()
    await page.getByRole('row', { name: /^2 ?Runs/ }).waitFor()
    await page.getByRole('button', { name: 'Compare Revision 2' }).click()
    await page.getByRole('region', { name: 'Compare' }).getByText('threshold').waitFor()
    found.push(...(await findingsOfPage(page)))
    await page.getByRole('button', { name: 'Restore… Revision 1' }).click()
    await dialog.getByRole('button', { name: 'Restore into the draft' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await draftOf(id)).processors?.[1]?.config?.threshold).toBe(2)
    await page.getByText('Unpublished changes').waitFor()

    await page.getByRole('button', { name: 'Pause…' }).click()
    await dialog.getByText('A paused pipeline keeps its state').waitFor()
    await dialog.getByRole('radio', { name: 'Hold' }).check()
    await dialog.getByText('requests to log ingestion are answered 503').waitFor()
    found.push(...(await findingsOfPage(page)))
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('Paused, lines are held').waitFor()
    expect(await modeOf(id)).toBe('hold')
    await page.getByRole('button', { name: 'Change the pause…' }).click()
    await dialog.getByRole('radio', { name: 'Hold', checked: true }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Change', exact: true }).isDisabled()).toBe(true)
    await dialog.getByRole('radio', { name: 'Drop' }).check()
    await dialog.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByText('Paused, lines are dropped').waitFor()
    expect(await modeOf(id)).toBe('drop')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Runs', { exact: true }).first().waitFor()
    expect(found).toEqual([])
  })

  test('a tap shows an event, which becomes a sample', async () => {
    const id = await made('Watched')
    await call('POST', `/v3/pipeline/${id}/publish`, {})
    const page = await console.signedIn(`/console/pipelines/${id}?rev=deployed&node=lines&open=tap`)
    await panel(page).getByRole('button', { name: 'Watch events' }).click()
    await panel(page).getByRole('button', { name: 'Stop' }).waitFor()
    await panel(page)
      .getByText(/^Revision 1 runs|Waiting for events/)
      .first()
      .waitFor()
    await console.ship([{ line: 'seen by the tap', app: 'web' }])
    await panel(page).getByText('seen by the tap').waitFor()
    await panel(page).getByRole('button', { name: 'As sample' }).first().click()
    await page.getByRole('button', { name: 'Among the samples' }).waitFor()
    await page.getByRole('tab', { name: 'Simulate' }).click()
    await page.locator('.cm-content').getByText('seen by the tap').waitFor()
  })

  test('a pipeline is made, and removed once its title was typed', async () => {
    const page = await console.signedIn('/console/pipelines')
    await page.getByRole('button', { name: 'New pipeline' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Made by hand')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Made by hand' }).waitFor()
    await page.getByRole('link', { name: 'Pipelines' }).first().click()
    await page.getByRole('button', { name: 'Remove Made by hand' }).click()
    expect(await dialog.getByRole('button', { name: 'Remove', exact: true }).isDisabled()).toBe(true)
    await dialog.getByLabel('Type Made by hand to confirm').fill('Made by hand')
    expect(await findingsOfPage(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Made by hand' }).waitFor({ state: 'detached' })
    await page.goto('/console/audit')
    await page.getByText('Removed pipeline Made by hand').waitFor()
    // A draft has no name of its own.
    await page.getByText('Created draft Made by hand').click()
    await page.getByRole('button', { name: 'Only changes of this' }).first().click()
    await page.getByText('Only changes of Made by hand').waitFor()
    await page.waitForURL(/entity=/)
  })

  test('failed events are kept, and replayed once', async () => {
    const id = await made('Measured', {
      ...FEWER,
      processors: [
        {
          name: 'fails',
          type: 'event-to-metric',
          inputs: ['lines'],
          config: {
            metric_name: 'kg',
            metric_kind: 'absolute',
            metric_type: 'gauge',
            value: { value_type: 'field', value: '.kg' },
          },
        },
      ],
      destinations: [
        { name: 'nowhere', type: 'blackhole', inputs: ['fails'] },
        { name: 'store', type: 'log-analysis', inputs: ['lines'] },
      ],
    })
    const page = await console.signedIn(`/console/dead-letters?pipeline=${id}`)
    await page.getByLabel('Keep events that fail').check()
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await call('POST', `/v3/pipeline/${id}/publish`, {})
    await console.ship([{ line: 'this one fails', app: 'web' }])
    await page.reload()
    const list = page.getByRole('region', { name: 'Failed events of Measured' })
    await list.getByText('Waits').first().waitFor()
    const found = await findingsOfPage(page)
    await list.getByText('Event as it reached the node').first().click()
    await list.getByRole('button', { name: 'Take as a sample' }).click()
    await list.getByRole('link', { name: 'fails', exact: true }).first().waitFor()
    await list
      .getByText(/^fails \u00b7 revision 1 \u00b7 .* \u00b7 Waits$/)
      .first()
      .waitFor()
    await list.getByRole('link', { name: 'Simulate the draft with it' }).click()
    await page
      .locator('.cm-content')
      .getByText(/this one fails|mark-/)
      .first()
      .waitFor()
    await page.goBack()
    await list.getByLabel('Revision', { exact: true }).selectOption('Revision 1')
    await list.getByLabel('Code', { exact: true }).selectOption('E_NOT_FOUND')
    await list.getByLabel('Node', { exact: true }).selectOption('store')
    await list.getByText('No failed event matches this.').waitFor()
    await list.getByLabel('Node', { exact: true }).selectOption('fails')
    await list.getByText('Waits').first().waitFor()
    await list.getByRole('button', { name: 'Time range: All times' }).click()
    await page.getByLabel('From', { exact: true }).fill('2020-01-01')
    await page.getByLabel('To', { exact: true }).fill('2020-01-02')
    await page.getByRole('button', { name: 'Apply' }).click()
    await list.getByText('No failed event matches this.').waitFor()
    await page.goBack()
    await list.getByText('Waits').first().waitFor()
    const chosen = list.getByRole('checkbox', { name: /^Choose E_NOT_FOUND, / })
    await chosen.first().check()
    found.push(...(await findingsOfPage(page)))
    await list.getByRole('button', { name: 'Replay 1 chosen event' }).waitFor()
    await chosen.first().uncheck()
    const replays: string[] = []
    page.on('request', request => {
      if (request.url().endsWith('/replay')) replays.push(request.postData() ?? '')
    })
    await list.getByRole('button', { name: 'Replay', exact: true }).first().dblclick({ delay: 0 })
    await list
      .getByRole('status')
      .getByText(/event (was|were)/)
      .waitFor()
    // The second press may meet the button of another letter.
    expect(new Set(replays).size).toBe(replays.length)
    await page.getByRole('link', { name: 'Errors' }).click()
    await page.getByRole('heading', { name: 'Errors' }).waitFor()
    await page.getByRole('button', { name: '7 days' }).click()
    await page.waitForURL(/hours=168/)
    found.push(...(await findingsOfPage(page)))
    expect(found).toEqual([])
    // It stores every line, so that none would be missing in a later test.
    await call('DELETE', `/v3/pipeline/${id}`)
  })

  describe('and new ones from files', () => pipelineFileTests(console, call))
  describe('from one page to the next', () => pipelineScenarios(console))
})
