/** Reports inputs that the chosen mode ignores. */
import type { Mode } from './mode.ts'

/** Inputs without a default, with the mode that reads them. */
const modeOf: Readonly<Record<string, Mode>> = {
  config: 'sweep',
  'cache-path': 'sweep',
  entrypoint: 'sweep',
  'python-before': 'sweep',
  runners: 'plan',
  reports: 'report',
  'last-report': 'report',
}

/** One sentence for each ignored input. */
export function unusedInputs(mode: Mode, input: (name: string) => string): string[] {
  return Object.entries(modeOf)
    .filter(([name, own]) => own !== mode && input(name) !== '')
    .map(([name, own]) => `The input ${name} is for mode ${own} and is ignored in mode ${mode}.`)
}
