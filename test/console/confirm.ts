import type { Page } from 'playwright-core'

/** Presses a button of the open dialog, and waits until the dialog is gone. */
export async function confirm(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}
