/** Form of bytes in an event: base64 with padding, or a character for each byte. */
export type BytesForm = 'base64' | 'latin1'

/** Form that an option of the two processors chooses. */
export function formOf(isBase64: boolean): BytesForm {
  return isBase64 ? 'base64' : 'latin1'
}

/** @returns undefined when the text is not of that form: the standard alphabet, nothing left out, and no line breaks */
export function bytesOf(text: string, form: BytesForm): Buffer | undefined {
  const bytes = Buffer.from(text, form)
  // Node skips characters that do not belong to base64, and takes the low byte of characters beyond a byte.
  return bytes.toString(form) === text ? bytes : undefined
}
