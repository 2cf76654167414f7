/** The names of the engines that run trials, in a file that loads none of them. */
export const engines = ['estimate', 'trace', 'torch', 'tfjs'] as const
export type Engine = (typeof engines)[number]
