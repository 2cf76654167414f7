/** The names of training methods and their fields in the first version of the report. */
import * as z from 'zod'

const kinds: Readonly<Record<string, string>> = {
  answers: 'online',
  trajectories: 'rollouts',
  anchored: 'asft',
  denoising: 'masked-diffusion',
}

const earlierMethod = z.looseObject({ kind: z.enum(Object.keys(kinds)) })

/** The method in today's names; unchanged if it is not in the earlier ones. */
export function withCurrentWords(method: unknown): unknown {
  const earlier = earlierMethod.safeParse(method)
  if (!earlier.success) return method
  const { kind, answerLength, count, ...others } = earlier.data
  return {
    ...others,
    kind: kinds[kind],
    ...(answerLength !== undefined && { completionLength: answerLength }),
    ...(count !== undefined && { completions: count }),
  }
}
