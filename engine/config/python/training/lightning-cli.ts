/** A config of Lightning's command line, as of 2.5, with the repository's classes that it names: pytorch/cli.py. */
import { posix } from 'node:path'
import { oncePerList } from '../../folder-list.ts'
import { type LoadingScript, type NotModelled, scriptsNear } from '../../other-files/loading-script.ts'
import type { SourceFile } from '../../reading.ts'
import type { Sources } from '../../sources.ts'
import { plain, plainSentence } from '../../text/quote.ts'
import { ofTrainer } from '../open-training.ts'
import { isPythonPath } from '../quick-look.ts'
import type { Call, Module } from '../syntax/module.ts'
import { parsedModule } from '../syntax/parsed-modules.ts'
import { parsePython } from '../syntax/parser.ts'
import { Evaluator } from '../values/evaluator.ts'
import { argumentsFor, ofClassPath } from '../values/made-objects.ts'
import { Modules } from '../values/modules.ts'
import { type SettingsFile, settingsFile, settingsIn } from '../values/settings-files.ts'
import { siteOf } from '../values/sites.ts'
import { type LibraryCall, lineOf, type Value } from '../values/values.ts'
import { CommandLine } from './cli-class.ts'
import { fittedTraining } from './lightning.ts'
import type { FoundTraining } from './transformers.ts'

/** Undefined where its classes are not found, or no settings of their own. `searched` notes no files. */
export async function openLightningCli(
  file: SourceFile,
  sources: Sources,
  searched: Sources,
): Promise<LoadingScript | NotModelled | undefined> {
  const settings = settingsFile(file.path, file.text)
  if (settings === undefined) return undefined
  const script = await commandLineNear(file, searched)
  const code = script && parsedModule(script.path, script.text, { readFor: file.path })
  const modules = new Modules([settings.module, ...(code ? [code] : [])])
  const found = await modules.settle(() => {
    const evaluator = new Evaluator(modules.find, undefined, modules.findSettings)
    return { ...trainingIn(settings, code, evaluator), remarks: evaluator.unsureRemarks }
  }, sources)
  if (found.training === undefined) return undefined
  if (found.training.kind === 'none')
    return { ...found.training, kind: 'not-modelled', why: plainSentence(found.training.why) }
  const { training } = found.training
  const line = lineOf(settings.module, training.call.at)
  const opened = ofTrainer(training, settings.module, { name: 'fit', line, isOnly: true }, found.remarks)
  const by = script === undefined ? '' : `, by the LightningCLI of ${plain(script.path)}`
  const why = `a trainer mapping beside ${plain(found.model)}`
  const sentence = `Read with the class ${plain(found.model)} that it names${by}.`
  return { kind: 'loads', file: script, script: { ...opened, why }, sentence }
}

/** Scripts that are opened. */
const MAX_SCRIPTS = 8

const commandLinesIn = oncePerList(paths =>
  paths.filter(path => isPythonPath(path) && /train|main|run|cli|fit/i.test(posix.basename(path))),
)

/** The only one near the config that starts a LightningCLI. */
async function commandLineNear(
  { path }: SourceFile,
  { readFile, listFolder }: Sources,
): Promise<SourceFile | undefined> {
  if (readFile === undefined || listFolder === undefined) return undefined
  const paths = (await scriptsNear(path, listFolder, commandLinesIn)).slice(0, MAX_SCRIPTS)
  const texts = await Promise.all(paths.map(each => readFile(each)))
  const found = paths.flatMap((each, index): SourceFile[] => {
    const text = texts[index]
    return text !== undefined && /CLI\s*\(/i.test(text) && /\b(?:lightning|CLI)\b/i.test(text)
      ? [{ path: each, text }]
      : []
  })
  return found.length === 1 ? found[0] : undefined
}

interface Found {
  readonly training: FoundTraining | undefined
  /** The name of the model's class. */
  readonly model: string
}

function trainingIn({ top, module, ...file }: SettingsFile, code: Module | undefined, evaluator: Evaluator): Found {
  const all = settingsIn({ top, module, ...file })
  const fit = all.kind === 'mapping' ? all.entries.get('fit') : undefined
  const written = fit?.kind === 'mapping' && fit.entries.has('trainer') ? fit : all
  if (written.kind !== 'mapping') return { training: undefined, model: '' }
  const commandLine = code === undefined ? undefined : CommandLine.in(code, evaluator)
  const settings = commandLine?.withDefaults(written) ?? written
  const site = siteOf((code ?? module).top)
  const trainer = trainerOf(settings.entries.get('trainer'), commandLine, module)
  evaluator.trainer = trainer
  const made = (key: 'model' | 'data') => {
    const byCode = commandLine?.classOf(key)
    const value = settings.entries.get(key) ?? (byCode && { ...settings, entries: new Map<string, Value>() })
    return value && ofClassPath(value, site, evaluator, byCode)
  }
  const [data, fitted, optimizer] = [made('data'), made('model'), settings.entries.get('optimizer')]
  if (fitted?.kind !== 'instance') return { training: undefined, model: '' }
  const training = fittedTraining({
    call: startAt(trainer.from, module),
    to: trainer.to,
    trainer,
    fitted,
    data,
    evaluator,
    optimizer: optimizer && ofClassPath(optimizer, site, evaluator),
    dialect: 'Lightning CLI',
  })
  return { training, model: fitted.scope.name }
}

function trainerOf(written: Value | undefined, commandLine: CommandLine | undefined, module: Module): LibraryCall {
  const entries = new Map([
    ...(commandLine?.trainerDefaults ?? []),
    ...(written?.kind === 'mapping' ? written.entries : []),
  ])
  const { from, to } = written ?? { from: 0, to: 0 }
  const name = 'lightning.pytorch.Trainer'
  const callee = { from, to, kind: 'name' as const, name }
  const call = { from, to, kind: 'call' as const, callee, arguments: argumentsFor(entries) }
  return { module, from, to, remarks: [], kind: 'call', name, call, site: siteOf(module.top) }
}

/** The place of a training that no call starts. */
function startAt(at: number, module: Module): Call {
  return { module, scope: module.top, at, branches: [], node: parsePython('').topNode }
}
