/** Characters that would be invisible, or would change how the text around them looks. */
const HIDDEN = /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

const CONTROL_PICTURES = 0x2400
const DELETE = 0x7f
const DELETE_PICTURE = '\u2421'

/** Lines are hostile text: control and bidirectional characters are shown as pictures or as their code points. */
export function visibleText(text: string): string {
  return text.replaceAll(HIDDEN, character => {
    if (character === '\n' || character === '\t') return character
    const code = character.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code)
    if (code === DELETE) return DELETE_PICTURE
    return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`
  })
}

/** One row of a list: line breaks and tabs are pictures, too. */
export function oneRow(text: string): string {
  return visibleText(text).replaceAll('\n', '\u240a').replaceAll('\t', '\u2409')
}
