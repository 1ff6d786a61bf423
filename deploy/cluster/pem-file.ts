import { readFileSync } from 'node:fs'
import { SettingsError } from '../settings.ts'

/** @param name of the setting that says the path @throws SettingsError when there is no PEM file */
export function readPemFile(name: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new SettingsError([`${name} cannot be read: ${(cause as Error).message}`])
  }
  if (!text.includes('-----BEGIN ')) throw new SettingsError([`${name}: ${path} is no PEM file`])
  return text
}
