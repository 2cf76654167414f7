/** The possible outcomes of reading one file. */
import * as z from 'zod'
import type { Problem } from '../base/errors.ts'
import { type Position, position } from '../base/position.ts'
import type { CatalogueModel } from '../models/catalogue.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { AskedCard } from './job/request.ts'
import type { TrainingChoice, TrainingPlace } from './training-place.ts'

export interface SourceFile {
  /** As the user would write it, `/`-separated, relative to the repository. */
  readonly path: string
  readonly text: string
  /** The size of the whole file, if `text` is only the beginning of one that is too large. */
  readonly sizeBytes?: number
  /** The training that is meant, for a file that starts several. */
  readonly training?: TrainingChoice
  /** The arguments that a launcher passes to a script. */
  readonly passed?: readonly PassedArgument[]
  /** Of a script that is read for its launcher: the launcher's path, as the file that positions are in. */
  readonly readFor?: string
  /** The GPU does not compute in bf16, which scripts ask for. */
  readonly lacksBf16?: boolean | undefined
}

/** `--batch-size 8` in the file of a launcher. */
export interface PassedArgument {
  /** As parsers keep it: `batch_size`. */
  readonly name: string
  /** None for a switch alone. */
  readonly values: readonly PassedText[]
  /** The launcher's file, and the offset of the option in it. */
  readonly launcher: { readonly path: string; readonly text: string }
  readonly from: number
}

export interface PassedText {
  readonly text: string
  /** The offset in the launcher's file of the literal that it comes from. */
  readonly from: number
  /** Why the value is known only when the launcher runs: a clause that names it, with the line. */
  readonly why?: string
  /** Sentences for the reader of the value. */
  readonly remarks: readonly string[]
}

/** The training that was read, of a script. */
export interface ReadTraining extends TrainingPlace {
  /** Whether the file starts no other. */
  readonly isOnly: boolean
}

/** A file that was read beside the one in question, by the SHA-1 under which git stores its text. */
export const otherFile = z.object({ path: z.string().min(1).max(4_096), blobSha: z.string().max(64) })
export type OtherFile = z.infer<typeof otherFile>

/** A setting that looks like one of memory and was not understood: its keys from the top of the file, and where it stands. */
export const unreadSetting = z.object({ name: z.string().max(200), at: position })
export type UnreadSetting = z.infer<typeof unreadSetting>

/** Where the numbers stand that a recommendation changes; each absent where its tool's default counts. */
export interface NumberPlaces {
  readonly batchSizeAt?: Position
  readonly gradientAccumulationAt?: Position
  readonly evaluationBatchSizeAt?: Position
}

export function numberPlaces({
  batchSizeAt,
  gradientAccumulationAt,
  evaluationBatchSizeAt,
}: NumberPlaces): NumberPlaces {
  return {
    ...(batchSizeAt && { batchSizeAt }),
    ...(gradientAccumulationAt && { gradientAccumulationAt }),
    ...(evaluationBatchSizeAt && { evaluationBatchSizeAt }),
  }
}

export type Reading =
  | ({
      readonly kind: 'training-config'
      readonly dialect: string
      readonly spec: TrainingSpec
      /** The model that `spec.model` names. */
      readonly model: CatalogueModel
      /** What the file leaves open and was filled in from its tool's default or ours, one sentence each. */
      readonly assumptions: readonly string[]
      /** The dotted name of the setting that holds the batch size, where teams give it names of their own. */
      readonly batchSizeName?: string
      /** The number of GPUs is nobody's setting: one is assumed, or eight if the training is sharded. */
      readonly assumesGpus?: true
      /** The sequence length is in neither config, code, tool defaults nor settings, so it is assumed. */
      readonly assumesLength?: true
      /** An assumption by which more memory is counted than the training takes. */
      readonly countsTooMuch?: true
      /** The keys are a team's own, and the code that interprets them is not in the file. */
      readonly assumesCode?: true
      /** The verdict only warns where there are any. */
      readonly unreadSettings?: readonly UnreadSetting[]
      readonly training?: ReadTraining
      /** The GPU that the jobs starting it ask for; used only if nobody names another. */
      readonly askedCard?: AskedCard
      /** Of the repository, on which the spec or the model hangs besides; absent where there are none. */
      readonly otherFiles?: readonly OtherFile[]
    } & NumberPlaces)
  /** `why`: shown on request. */
  | { readonly kind: 'not-a-training-config'; readonly why: string }
  /** A training config, or a file given by name, that cannot be read; every problem found, not just the first. */
  | {
      readonly kind: 'unreadable'
      readonly problems: readonly Problem[]
      /** Absent of a file that was not recognised, such as one that cannot be parsed. */
      readonly dialect?: string
      readonly otherFiles?: readonly OtherFile[]
      readonly training?: ReadTraining
    }

/** A file of which each training is read by itself; none is chosen yet. */
export interface SeveralTrainings {
  readonly kind: 'several-trainings'
  readonly trainings: readonly TrainingPlace[]
}

export type FileReading = Reading | SeveralTrainings
