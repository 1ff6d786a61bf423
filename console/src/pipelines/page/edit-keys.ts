import { useKeys } from '../../shell/keys.ts'
import { setPreferences, usePreferences } from '../../shell/preferences.ts'

interface EditKeys {
  readonly onAdd: () => void
  readonly onConnect: () => void
  readonly onRemove: () => void
  readonly onNextFinding: () => void
}

/** Keys of the graph. All but that of the left column act while its draft is edited. */
export function useEditKeys(isEdited: boolean, keys: EditKeys): void {
  const { hasLeft } = usePreferences()
  const actions: Readonly<Record<string, () => void>> = {
    m: () => setPreferences({ hasLeft: !hasLeft }),
    ...(isEdited && { a: keys.onAdd, e: keys.onConnect, Delete: keys.onRemove, F8: keys.onNextFinding }),
  }
  useKeys(key => {
    const act = actions[key]
    act?.()
    return act !== undefined
  })
}
