import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { Field, Form } from '../components/form.tsx'
import style from '../shell/list.module.css'
import { rotateToken, type TokenRecord } from './requests.ts'
import { TEXT } from './texts.ts'
import { TokenSecret } from './token-secret.tsx'

/** Gives a token a new secret, and shows it once. */
export function RotateToken({
  token: { id, name },
  isOwn,
  onMade,
  onClose,
}: {
  readonly token: TokenRecord
  /** Whether the session of this page uses the token. */
  readonly isOwn: boolean
  readonly onMade: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const [graceS, setGraceS] = useState(0)
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => rotateToken(id, graceS),
    // The session of a token without grace has ended, but its new secret is to be seen first.
    onSuccess: () => (isOwn ? undefined : onMade()),
  })
  if (data !== undefined) return <TokenSecret issued={data} onClose={onClose} />
  return (
    <Dialog title={TEXT.tokens.rotateTitle(name)} onClose={onClose}>
      <Form
        submit={TEXT.tokens.rotateConfirm}
        error={error}
        isPending={isPending}
        onSubmit={() => mutate()}
        onClose={onClose}
      >
        <p>{TEXT.tokens.rotateWhy}</p>
        {isOwn && <p className={style.warning}>{TEXT.tokens.rotateSelf}</p>}
        <Field label={TEXT.tokens.grace}>
          {control => (
            <select
              {...control}
              className="field"
              value={graceS}
              onChange={({ target }) => setGraceS(Number(target.value))}
            >
              {Object.entries(TEXT.tokens.graces).map(([seconds, text]) => (
                <option key={seconds} value={seconds}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
      </Form>
    </Dialog>
  )
}
