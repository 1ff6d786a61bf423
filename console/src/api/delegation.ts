/** Account that an enterprise token acts for, from an address such as `/console/a/0a1b2c3d4e/search`. */
export function accountInAddress(path: string): string | undefined {
  return /^\/console\/a\/([0-9a-f]{10})(\/|$)/.exec(path)?.[1]
}

/** Path below which the pages of the present account are. */
export function baseOfPages(path: string): string {
  const account = accountInAddress(path)
  return account === undefined ? '/console' : `/console/a/${account}`
}

/** Header with which an enterprise token acts for an account from a page that belongs to none. */
export function actingFor(account: string | undefined): Readonly<Record<string, string>> {
  return account === undefined ? {} : { 'x-delegate-account-id': account }
}
