import type { Page } from 'playwright-core'

/** Opens the pages about access, rules and throttles, and has each tab looked at; with its dialog where wanted. */
export async function lookAtAdministration(
  page: Page,
  look: (name: string) => Promise<void>,
  hasDialogs: boolean,
): Promise<void> {
  await page.goto('/console/access')
  for (const [tab, button] of [
    ['Access tokens', 'New token'],
    ['Keys', 'New ingestion key'],
    ['Members', 'New member'],
    ['Groups', 'New group'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('button', { name: button }).click()
    if (hasDialogs) await look(button)
    await page.keyboard.press('Escape')
    await look(tab)
  }
  await page.goto('/console/rules')
  for (const [tab, button] of [
    ['Exclusions', 'New exclusion'],
    ['Stream', 'New exclusion'],
    ['Retention', 'New rule'],
    ['Quotas', 'New rule: Today, in UTC'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('button', { name: button }).click()
    if (hasDialogs) await look(`${tab}: ${button}`)
    await page.keyboard.press('Escape')
    await look(tab)
  }
  await page.goto('/console/throttles')
  await page.getByRole('heading', { name: 'No throttle runs' }).waitFor()
  await look('throttles')
}
