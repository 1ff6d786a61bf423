import frame from '../shell/frame.module.css'

/** A cell with a number at its end. A new value is a new element, since the start of one that grows would move. */
export function NumberCell({ text }: { readonly text: string }) {
  return (
    <td className={frame.number}>
      <span key={text}>{text}</span>
    </td>
  )
}
