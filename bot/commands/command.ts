/** What people can ask of the bot in a comment. */

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'rerun' }
  /** Approves measuring a fork's head. */
  | { readonly kind: 'ok'; readonly sha: string }
  /** `outOfMemory`: stated explicitly, so that it cannot happen by accident. */
  | { readonly kind: 'accept'; readonly reason: string; readonly outOfMemory: boolean }
  | { readonly kind: 'snooze'; readonly days: number }
  | { readonly kind: 'explain' }
  /** `lever`: its number in the report's list; if absent, the recommended batch sizes. */
  | { readonly kind: 'fix'; readonly lever?: number }

export type CommandName = Command['kind']

export const commandNames = [
  'help',
  'rerun',
  'ok',
  'accept',
  'snooze',
  'explain',
  'fix',
] as const satisfies readonly CommandName[]

export const MAX_SNOOZE_DAYS = 90

export const MAX_REASON_CHARACTERS = 500

/** One line each, in the words of the help. */
export const usage: Readonly<Record<CommandName, { readonly form: string; readonly meaning: string }>> = {
  help: { form: 'help', meaning: 'shows this list' },
  rerun: { form: 'rerun', meaning: 'reads and judges the configs again' },
  ok: {
    form: 'ok <sha>',
    meaning: 'lets the GPU runner measure that commit of a fork; give the whole SHA of the newest commit',
  },
  accept: {
    form: 'accept <reason>',
    meaning:
      'unblocks this pull request, with your name and reason on the check, until one of its configs gets worse; a config that runs out of memory is accepted only by `accept out-of-memory <reason>`',
  },
  snooze: {
    form: 'snooze <days>',
    meaning: `for 1 to ${MAX_SNOOZE_DAYS} days, leaves the comment as it is and keeps the check from blocking; a config that runs out of memory still blocks`,
  },
  explain: { form: 'explain', meaning: 'shows how each config was read and what its figures are based on' },
  fix: {
    form: 'fix',
    meaning:
      'opens a pull request against this branch with the recommended batch sizes; `fix <n>` with the n-th way to free memory in the report',
  },
}
