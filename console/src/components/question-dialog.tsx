import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'

/** Asks before something is done that cannot be undone. */
export function QuestionDialog({
  title,
  confirm,
  act,
  onDone,
  onClose,
  children,
}: {
  readonly title: string
  /** Text of the button that does it. */
  readonly confirm: string
  /** @throws Problem */
  readonly act: () => Promise<unknown>
  readonly onDone: () => Promise<unknown> | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: act,
    onSuccess: async () => {
      await onDone()
      onClose()
    },
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={confirm} error={error} isPending={isPending} onSubmit={() => mutate()} onClose={onClose}>
        {children}
      </Form>
    </Dialog>
  )
}
