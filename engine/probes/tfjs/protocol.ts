/** What the parent and the child process say to each other, one question at a time. */
import * as z from 'zod'
import { modelConfig } from '../../models/model-config.ts'
import { trainingSpec } from '../../training/spec.ts'
import { outcome, provenance } from '../trial.ts'

/**
 * `native`: `@tensorflow/tfjs-node-gpu`, else `@tensorflow/tfjs-node`. `cpu` holds byte for byte what `meta` computes, minutes
 * later for a model of real size, so `auto` takes a native package where one is installed, and else `meta`.
 */
export const backendChoices = ['auto', 'native', 'cpu', 'meta'] as const
export type BackendChoice = (typeof backendChoices)[number]

/** The child's command line. */
export const childArguments = z.object({
  choice: z.enum(backendChoices),
  /** The folder whose node_modules hold a native package. */
  nativeFolder: z.string(),
})

export const question = z.object({
  /** Its micro-batch is the size of the trial. */
  spec: trainingSpec,
  config: modelConfig,
  /** What the device has for tensors. */
  budgetBytes: z.number().positive(),
  /** The first allocates the optimizer's state. */
  steps: z.number().int().min(2),
  /** `forward`: the loss alone, with nothing kept for a backward pass. */
  pass: z.enum(['forward', 'step']),
})
export type Question = z.infer<typeof question>

export const description = z.object({ label: z.string(), provenance })
export type Description = z.infer<typeof description>

export const message = z.discriminatedUnion('kind', [
  /** First, and once. */
  z.object({ kind: z.literal('ready'), backend: description }),
  z.object({ kind: z.literal('answer'), outcome }),
  /** The child threw; it ends after this. */
  z.object({ kind: z.literal('threw'), message: z.string(), stack: z.string() }),
])
export type Message = z.infer<typeof message>
