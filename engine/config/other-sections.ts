/** Sections of a config that are about something other than its training: by their path within the file. */

/** Evaluation and inference, and models that do not train. */
export const untrainedSection =
  /(?:^|\.)(?:eval|evaluation|test|inference|generation|predict|serve|teacher|judge|draft|reference|ref_model)\w*(?:\.|$)/i
