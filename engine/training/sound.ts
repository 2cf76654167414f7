/** Sound that a model reads as it is sampled. */
import type { TrainingSpec } from './spec.ts'

/** In a second: what wav2vec 2.0's and HuBERT's published feature extractors all take (`sampling_rate`). */
export const SAMPLES_PER_SECOND = 16_000

/** What transformers' run_speech_recognition_ctc.py and run_audio_classification.py cut sound to by default. */
export const USUAL_SECONDS = 20

/** 400 samples make one frame of the convolutions that all published models have; fewer make none, and PyTorch refuses them. */
export const LEAST_SAMPLES = 400

/**
 * Three frames of 20 ms a character, some 17 characters in a second: more than people read aloud. How many there are makes less than a
 * percent of a step.
 */
const SAMPLES_PER_CHARACTER = 960

/** Tokens of the longest transcript. */
export function transcriptLength({ targetLength, sequenceLength = 0 }: TrainingSpec): number {
  return targetLength ?? Math.max(1, Math.floor(sequenceLength / SAMPLES_PER_CHARACTER))
}
