import { TEXT } from '../texts.ts'
import style from './trial.module.css'

/** Says which nodes have secrets that must be entered again before a draft can be tried. */
export function MissingSecrets({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <p className={style.failed} role="status">
      {TEXT.secretsBeforeTrial(names.join(', '))}
    </p>
  )
}
