import { expect, test } from 'vitest'
import { oneRow, visibleText } from './visible-text.ts'

test.each([
  ['plain text, ümläut 日本 🙂', 'plain text, ümläut 日本 🙂'],
  ['\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
  ['a\u202eb\u2066c', 'a⟨U+202E⟩b⟨U+2066⟩c'],
  ['\u0000\u007f\u0085\ufeff', '␀␡⟨U+0085⟩⟨U+FEFF⟩'],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
})

test('a row has no line breaks', () => {
  expect(oneRow('a\nb\r\nc\td')).toBe('a␊b␍␊c␉d')
})
