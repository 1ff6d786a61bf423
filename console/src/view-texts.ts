/** Sentences of saved views. */
export const VIEW_TEXT = {
  views: 'Views',
  noViews: 'Save a search as a view to find it here.',
  viewChanged: 'The search differs from this view.',
  category: 'Category, if any',
  viewActions: {
    create: () => 'Save as a new view',
    replace: (name: string) => `Save changes to ${name}`,
    rename: (name: string) => `Rename ${name}`,
    delete: (name: string) => `Delete ${name}`,
  },
  viewNotes: {
    create: 'A view contains the query and the filters. Everybody in the account sees it.',
    replace: 'The view gets the present query and filters, for everybody in the account. Its alerts stay.',
    rename: 'The name changes for everybody in the account.',
    delete: 'The view and its alerts are removed for everybody in the account.',
  },
  viewDo: { create: 'Save', replace: 'Save', rename: 'Rename', delete: 'Delete' },
} as const
