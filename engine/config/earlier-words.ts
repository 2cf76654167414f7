/** What versions of reports before the second called training methods and their fields. */
import * as z from 'zod'

const kinds: Readonly<Record<string, string>> = {
  answers: 'online',
  strided: 'strided-ebft',
  trajectories: 'rollouts',
  anchored: 'asft',
  denoising: 'masked-diffusion',
}

const earlierMethod = z.looseObject({ kind: z.enum(Object.keys(kinds)) })

/** The same, in the words of today; what is none of the earlier methods as it is. */
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
