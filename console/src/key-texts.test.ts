import { expect, test } from 'vitest'
import { KEY_TEXT } from './key-texts.ts'

/** Keys that the console has, by the group of the list behind `?`. */
const KEYS: Readonly<Record<string, string>> = {
  Everywhere: '? g s g t g u g p g y Ctrl K t m',
  Query: '/ Enter Tab Esc [ ] -',
  Lines: 'j k Shift \u2193 \u2191 \u2193 PgUp PgDn Home End Enter x c w y Y Ctrl C o z = n N',
  'Value of a field': '+ _',
  Live: 'l Space f',
  'Graph of a pipeline': 'Arrows Tab Enter a e Delete F8 Ctrl C Ctrl V Ctrl Z Ctrl Y Ctrl S Ctrl Enter',
}

test('the list of keys names every key', () => {
  const listed = KEY_TEXT.keyGroups.map(({ title, keys }) => [title, keys.map(([key]) => key).join(' ')])
  expect(Object.fromEntries(listed)).toEqual(KEYS)
})
