import type { FieldReader } from './fields/fields.ts'
import type { ModelLookup } from './fields/model-fields.ts'
import type { DeepSpeedFile } from './other-files/deepspeed-file.ts'
import type { Reading } from './reading.ts'
import type { Field, Section } from './text/section.ts'

/** The config format of one training tool. */
export interface Dialect {
  /** As people know the tool. */
  readonly name: string
  /**
   * Whether the unparsed text may be a config of this tool. Cheap and generous: it avoids parsing unrelated files, and decides
   * whether a file that cannot be parsed is reported.
   */
  mayBe(text: string): boolean
  /** Why the mapping counts as a config of this tool, judging by its content alone: `base_model beside micro_batch_size`. */
  recognise(document: Section): string | undefined
  /** Where the config names its model. */
  modelField(document: Section): Field | undefined
  /** Whether the tool turns on `expandable_segments` of PyTorch's allocator if PYTORCH_CUDA_ALLOC_CONF is not set. */
  readonly expandsSegments?: true
  /** Keys of the tool that look like settings of memory and need not be read: they change nothing, or only together with others that are. */
  readonly withoutBearing?: RegExp
  /** Where the config names a file of DeepSpeed's settings, for tools that take one. */
  deepSpeedField?(document: Section): Field | undefined
  /** Whether a script of the team's own may load the file, so that the script says what the file does not. */
  mayBeLoaded?(document: Section): boolean
  /** Whether the config's model and data may be classes of the repository, as Lightning's command line takes them. */
  namesClasses?(document: Section): boolean
  /** Where the config leaves its model to the repository's code, by the path of a class or the files that it is composed of. */
  classField?(document: Section): Field | undefined
  /**
   * Reads the config. `reader` collects problems, assumptions and origins; `lookUp` finds the model by name;
   * `deepSpeed` is the outcome of reading the file that `deepSpeedField` names.
   */
  read(document: Section, reader: FieldReader, lookUp: ModelLookup, deepSpeed: DeepSpeedFile): Reading
}
