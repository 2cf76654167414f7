/** Sections of a config that are about something other than its training: by their path within the file. */

/** Evaluation and inference, and models that do not train. */
export const untrainedSection =
  /(?:^|\.)(?:eval|evaluation|test|benchmark|inference|generation|predict|serve|teacher|judge|draft|reference|ref_model)\w*(?:\.|$)/i

/** Whose settings hold no memory while a step runs. Those of a teacher or a reference model do. */
export const withoutMemory =
  /(?:^|\.)(?:(?:eval|evaluation|test|inference|generation|predict|serve|serving|deploy|logging|logger|wandb|vllm|callbacks?|metrics?|export|convert|environment|env|properties|definitions|\$defs)\w*)(?:\.|$)/i
