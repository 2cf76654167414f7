/** The names of what can run a trial. In a file of their own: whoever only names them loads no engine. */
export const engines = ['estimate', 'trace', 'torch', 'tfjs'] as const
export type Engine = (typeof engines)[number]
