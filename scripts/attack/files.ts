/** The files of several inputs in one tree. */
import { SETTINGS_PATH } from '../../engine/index.ts'
import { type Files, type HostileInput, honestConfig } from './input.ts'

/** What a pull request changes; `place` tells it from other pull requests. */
export function changedBy(inputs: readonly HostileInput[], place = 'hostile'): Files {
  return Object.assign(
    {},
    ...inputs.map((input, index) =>
      input.filesIn === undefined
        ? { [`configs/${place}-${index}/train.yaml`]: honestConfig }
        : input.filesIn(`configs/${place}-${index}`),
    ),
  )
}

/** With what lies on the default branch. */
export function filesOf(inputs: readonly HostileInput[]): Files {
  const [first] = inputs
  return { ...changedBy(inputs), ...(first?.kind === 'settings' && { [SETTINGS_PATH]: first.text }) }
}
