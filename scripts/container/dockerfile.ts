/** A Dockerfile as stages of steps, in the order in which they are performed. */
import { type Copy, DockerfileParser, type Env, type From } from 'dockerfile-ast'

export type Step =
  | { readonly kind: 'run'; readonly command: string }
  /** `stage`: the stage to copy from; the build context if absent. */
  | {
      readonly kind: 'copy'
      readonly stage: string | undefined
      readonly sources: readonly string[]
      readonly target: string
    }
  | { readonly kind: 'env'; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'workdir' | 'user' | 'expose' | 'volume'; readonly value: string }
  | { readonly kind: 'healthcheck' | 'entrypoint'; readonly command: readonly string[] }

export interface Stage {
  readonly name: string | undefined
  /** An image, or the name of a stage. */
  readonly base: string
  readonly steps: readonly Step[]
}

/** @throws Error for an instruction that our Dockerfile does not use. */
export function readStages(text: string): readonly Stage[] {
  const stages: { name: string | undefined; base: string; steps: Step[] }[] = []
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const from = instruction as From
      stages.push({ name: from.getBuildStage() ?? undefined, base: from.getImage() ?? '', steps: [] })
    } else {
      stages.at(-1)?.steps.push(stepOf(instruction))
    }
  }
  return stages
}

type Instruction = ReturnType<ReturnType<typeof DockerfileParser.parse>['getInstructions']>[number]

function stepOf(instruction: Instruction): Step {
  const words = instruction.getArguments().map(argument => argument.getValue())
  switch (instruction.getKeyword()) {
    case 'RUN':
      return { kind: 'run', command: instruction.getArgumentsContent() ?? '' }
    case 'COPY': {
      const flags = (instruction as Copy).getFlags()
      return {
        kind: 'copy',
        stage: flags.find(flag => flag.getName() === 'from')?.getValue() ?? undefined,
        sources: words.slice(0, -1),
        target: words.at(-1) ?? '',
      }
    }
    case 'ENV':
      return {
        kind: 'env',
        values: Object.fromEntries(
          (instruction as Env).getProperties().map(property => [property.getName(), property.getValue() ?? '']),
        ),
      }
    case 'WORKDIR':
      return { kind: 'workdir', value: words.join(' ') }
    case 'USER':
      return { kind: 'user', value: words.join(' ') }
    case 'EXPOSE':
      return { kind: 'expose', value: words.join(' ') }
    case 'VOLUME':
      return { kind: 'volume', value: words.join(' ') }
    case 'ENTRYPOINT':
      return { kind: 'entrypoint', command: jsonStrings(instruction) }
    case 'HEALTHCHECK':
      return { kind: 'healthcheck', command: jsonStrings(instruction) }
    default:
      throw new Error(`scripts/container/dockerfile.ts does not know ${instruction.getKeyword()}`)
  }
}

/** Parses `["node", "…"]`, the only form in which the process receives signals itself. */
function jsonStrings(instruction: Instruction): readonly string[] {
  const list = /\[.*\]$/s.exec(instruction.getArgumentsContent() ?? '')?.[0]
  if (list === undefined) throw new Error(`${instruction.getKeyword()} has no list of strings`)
  return JSON.parse(list)
}
