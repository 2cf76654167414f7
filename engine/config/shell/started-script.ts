/** The script that a launch starts, read with the arguments that it is given. */
import type { OpenScript } from '../python/open-training.ts'
import { isNotebookPath } from '../python/quick-look.ts'
import { withWrittenScript } from '../python/syntax/written-script.ts'
import type { SourceFile } from '../reading.ts'
import { firstFile, isPlausibleName, placesFromLauncher, type Sources } from '../sources.ts'
import { bearing, passedArguments } from './arguments.ts'
import type { Launch } from './launch.ts'
import type { ShellText } from './shell-text.ts'
import { trlScript } from './trl-commands.ts'

export interface StartedScript {
  readonly kind: 'script'
  readonly launch: Launch
  readonly path: string
  /** It is TRL's own, which the repository does not hold. */
  readonly isOfTrl: boolean
  readonly script: OpenScript
  /** Whether the literal of the batch size stands in the launcher. */
  readonly isBatchHere: boolean
  /** The same for the same script and settings. */
  readonly said: string
}

/** One whose training is not followed, and which does itself what no argument says. */
export interface HiddenSettings {
  readonly kind: 'hidden'
  readonly path: string
  /** What it does: a clause without its subject, up to the line. */
  readonly what: string
  readonly line: number
}

/** One that trains nothing as it is started. */
export interface Evaluating {
  readonly kind: 'evaluates'
}

const setsAdapters =
  /\b(?:get_peft_model|PeftModel\w{0,20}|(?:Ada)?LoraConfig|prepare_model_for_\w{1,20}|BitsAndBytesConfig|load_in_[48]bit)\b\s*[(=.]/
const trainer = /Trainer\b/
/** A loop's own step, whose optimizer and precision are the code's. */
const stepsItself = /\.backward\(/
/** Each sample is as many texts as it has choices, which the data says. */
const choosesAmong = /\b\w{1,40}ForMultipleChoice/
const namesAdapters = /lora|peft|adapter/i

interface Where {
  readonly shell: ShellText
  readonly file: SourceFile
  readonly sources: Pick<Sources, 'readFile'>
}

/** The notebook itself, where one of its cells writes the script. */
function writtenBy(notebook: SourceFile, script: string): SourceFile | undefined {
  const text = isNotebookPath(notebook.path) ? withWrittenScript(notebook.text, script) : undefined
  return text === undefined ? undefined : { ...notebook, text }
}

/** Undefined where the repository does not hold it, and where it starts no training, or several, that hides nothing. */
export async function startedScript(
  launch: Launch,
  { shell, file, sources }: Where,
): Promise<StartedScript | HiddenSettings | Evaluating | undefined> {
  const { target, arguments: all } = launch
  if (target.kind !== 'script' || !isPlausibleName(target.path)) return undefined
  const places = placesFromLauncher(target.path, file.path, launch.folder).filter(
    place => !place.startsWith('..') && !place.startsWith('/'),
  )
  const inRepository = (await firstFile(places, sources)) ?? writtenBy(file, target.path)
  const found = inRepository ?? trlScript(target.path)
  if (found === undefined) return undefined
  const passed = passedArguments(launch, { path: file.path, text: shell.text })
  const { openScript, trainsNothing } = await import('../python/script.ts')
  const script = await openScript({ ...found, passed, readFor: file.path, lacksBf16: file.lacksBf16 }, sources)
  if (script === trainsNothing) return { kind: 'evaluates' }
  if (script.kind !== 'open') {
    const { path, text } = found
    const adapters = all.some(({ key }) => namesAdapters.test(key)) ? null : setsAdapters.exec(text)
    const loop = trainer.test(text) ? null : stepsItself.exec(text)
    const choices = choosesAmong.exec(text)
    const at = adapters ?? loop ?? choices
    if (at === null) return undefined
    const what =
      at === adapters
        ? 'sets adapters or quantised weights itself'
        : at === loop
          ? 'trains by a loop of its own'
          : 'trains on several choices of each sample'
    return { kind: 'hidden', path, what, line: text.slice(0, at.index).split('\n').length }
  }
  const deciding = all.filter(bearing).map(({ key, values }) => `${key}=${values.map(({ text }) => text).join(' ')}`)
  return {
    kind: 'script',
    launch,
    path: found.path,
    isOfTrl: inRepository === undefined,
    script,
    isBatchHere: script.batchSize !== undefined && script.batchSize.file === undefined,
    said: [found.path, ...deciding.toSorted()].join('\n'),
  }
}
