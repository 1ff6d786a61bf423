import { readFileSync } from 'node:fs'
import { SettingsError } from '../settings/settings.ts'

/** @param name name of the setting with the path @throws SettingsError when the file is not a PEM file */
export function readPemFile(name: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new SettingsError([`${name} cannot be read: ${(cause as Error).message}`])
  }
  if (!text.includes('-----BEGIN ')) throw new SettingsError([`${name}: ${path} is not a PEM file`])
  return text
}
