import { Dialog } from '../components/dialog.tsx'
import formStyle from '../components/form.module.css'
import { NewSecret } from '../components/secret.tsx'
import type { IssuedToken } from './requests.ts'
import { TEXT } from './texts.ts'

/** The secret of a new or rotated token. Once it is closed nobody can read it. */
export function TokenSecret({
  issued: { name, token },
  onClose,
}: {
  readonly issued: IssuedToken
  readonly onClose: () => void
}) {
  return (
    <Dialog title={TEXT.tokens.made(name)} onClose={onClose}>
      <NewSecret label={TEXT.tokens.secret} secret={token} />
      <div className={formStyle.buttons}>
        <button type="button" className="primary" onClick={onClose}>
          {TEXT.done}
        </button>
      </div>
    </Dialog>
  )
}
