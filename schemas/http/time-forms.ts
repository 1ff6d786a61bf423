/** Forms of a time in a request, for descriptions. */
export const TIME_FORMS =
  'ISO 8601 (UTC without an offset), UNIX seconds or milliseconds, or relative to now: now, today, -1h, now-1d12h'
