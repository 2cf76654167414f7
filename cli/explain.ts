/** `memorymark explain`: how a file is read, setting by setting, and what remains unknown. */
import { optionsOnGpu } from '../engine/asked-gpu.ts'
import { formatWhere, MemoryMarkError, type Problem } from '../engine/base/errors.ts'
import type { Decision } from '../engine/config/fields/fields.ts'
import { sentencesOn } from '../engine/config/job/request.ts'
import type { Explanation } from '../engine/config/read.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import { plain } from '../engine/config/text/quote.ts'
import { configName } from '../engine/config/training-place.ts'
import { settingName, settingOrigin, settingValue } from '../engine/render/decision.ts'
import { wrap } from '../engine/render/terminal-page.ts'
import { textTable } from '../engine/render/text-table.ts'
import type { RepositorySettings } from '../engine/settings/settings.ts'
import { parseFlags } from './arguments.ts'
import { openEngine } from './engine.ts'
import type { ExitCode } from './exit-code.ts'
import { findFiles } from './files.ts'
import { lineLength, onOneLine, print } from './print.ts'
import { settingsOptions, settingsOrThrow } from './settings.ts'
import { sources } from './sources.ts'

export async function explain(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, settingsOptions)
  const { named } = await findFiles(positionals)
  const [file] = named
  if (file === undefined || named.length !== positionals.length) {
    throw new MemoryMarkError({
      code: 'usage',
      message: 'explain takes config files, not directories',
      fix: 'Run `memorymark explain configs/train.yaml`.',
    })
  }
  await using engine = openEngine()
  const settings = await settingsOrThrow(values, engine)
  for (const each of named) {
    for (const { name, explanation } of await explanations(each, file =>
      engine.explainFile(file, { settings, sources: sources() }),
    ))
      print(`${onOneLine(name)}\n${[rendered(explanation), ...gpuLines(each, explanation, settings)].join('\n')}\n`)
  }
  return 0
}

/** The GPU that the jobs starting the config ask for, if the settings name none. */
function gpuLines({ path }: SourceFile, { reading }: Explanation, settings: RepositorySettings): string[] {
  if (reading.kind !== 'training-config') return []
  const { asked } = optionsOnGpu(path, { settings, now: new Date() }, reading.askedCard)
  return sentencesOn(asked).map(indented)
}

/** One explanation, or one for each training in the file. */
async function explanations(
  file: SourceFile,
  explainFile: (file: SourceFile) => Promise<Explanation>,
): Promise<readonly { readonly name: string; readonly explanation: Explanation }[]> {
  const explanation = await explainFile(file)
  if (explanation.reading.kind !== 'several-trainings') return [{ name: file.path, explanation }]
  const found = []
  for (const training of explanation.reading.trainings) {
    const name = configName({ path: file.path, training })
    found.push({ name, explanation: await explainFile({ ...file, training: { name: training.name } }) })
  }
  return found
}

function rendered(explanation: Explanation): string {
  switch (explanation.kind) {
    case 'recognised':
      return [
        indented(`${explanation.dialect}, recognised by ${plain(explanation.why)}`),
        ...table(explanation.decisions),
        ...explanation.assumptions.map(sentence => indented(`assumed: ${sentence}`)),
        ...outcome(explanation.reading),
      ].join('\n')
    case 'not-recognised':
      return outcome(explanation.reading).join('\n')
  }
}

function outcome(reading: Explanation['reading']): readonly string[] {
  switch (reading.kind) {
    case 'training-config':
      return []
    case 'not-a-training-config':
      return [indented(`Not a training config. ${reading.why}`)]
    case 'several-trainings':
      return reading.trainings.map(({ name, line }) => `  line ${line}: ${name}`)
    case 'unreadable':
      return reading.problems.map(shown)
  }
}

function shown(problem: Problem): string {
  const { file: _, ...inFile } = problem
  const place = problem.line === undefined ? '' : `line ${problem.line}: `
  const where = `${place}${formatWhere({ ...inFile, line: undefined, column: undefined })}`
  return indented(`${where}${problem.message}. ${problem.fix}`)
}

/** Where it is too wide, the place of a setting stands below it. */
function table(decisions: readonly Decision[]): readonly string[] {
  const rows = decisions.map(decision => [settingName(decision), settingValue(decision), settingOrigin(decision)])
  const lines = textTable(rows).map(line => `  ${line}`)
  if (lines.every(line => line.length <= lineLength())) return lines
  const narrow = textTable(rows.map(([name = '', value = '']) => [name, value]))
  return rows.flatMap(([, , from = ''], row) => [`  ${narrow[row]}`, wrap(from, '      ', lineLength())])
}

function indented(sentence: string): string {
  return wrap(sentence, '  ', lineLength())
}
