/** HfArgumentParser and its kin: an object of each class that they are given, by a command line, a file or a dictionary. */
import { isModelConfig } from '../library.ts'
import type { Evaluator } from './evaluator.ts'
import { argumentsFor, madeFrom } from './made-objects.ts'
import { settingsAt } from './settings-files.ts'
import type { LibraryCall, Site, Value } from './values.ts'

const parsesClasses =
  /\.(?:parse_args_into_dataclasses|parse_args_and_config|parse_yaml_file|parse_yaml|parse_json_file|parse_dict)$/

/** The object at a position of what `HfArgumentParser((ModelArguments, TrainingArguments))` parses. */
export function parsedClass(value: LibraryCall, index: number, evaluator: Evaluator): Value | undefined {
  if (/\.parse_known_args$/.test(value.name) && index === 0) return value
  if (!parsesClasses.test(value.name)) return undefined
  const parser = value.object
  const [given] = parser?.kind === 'call' && parser.call !== undefined ? parser.call.arguments : []
  if (parser?.kind !== 'call' || given === undefined || given.kind === 'spread') return undefined
  const classes = evaluator.evaluate(given.value, parser.site)
  const all = classes.kind === 'list' ? classes.items : [classes]
  for (const each of all)
    if (each.kind === 'class') for (const name of each.scope.bindings.keys()) evaluator.passed.declareField(name)
  const chosen = all[index]
  if (chosen === undefined) return undefined
  const settings = settingsParsed(value, evaluator)
  if (settings === undefined) return ofParsedClass(chosen, value)
  const isOwn = fieldTest(chosen, evaluator)
  const others = all.filter(each => each !== chosen).map(each => fieldTest(each, evaluator))
  const entries = new Map([...settings].filter(([name]) => isOwn(name) || !others.some(isOthers => isOthers(name))))
  return madeFrom(chosen, argumentsFor(entries), value, evaluator)
}

/** What a command line is parsed into. */
export function ofParsedClass(chosen: Value, value: LibraryCall): Value | undefined {
  const { module, from, to, remarks, site } = value
  const located = { module, from, to, remarks }
  if (chosen.kind === 'class')
    return { ...located, kind: 'instance', scope: chosen.scope, call: undefined, site, isParsed: true }
  return chosen.kind === 'symbol' ? { ...located, kind: 'call', name: chosen.name, call: undefined, site } : undefined
}

/** Undefined where the command line is parsed, or a file that is not known: the fields' defaults stand then. */
function settingsParsed(
  { name, call, site }: LibraryCall,
  evaluator: Evaluator,
): ReadonlyMap<string, Value> | undefined {
  if (call === undefined) return undefined
  if (name.endsWith('.parse_args_and_config')) return settingsOfOption(site, evaluator)
  if (!/\.parse_(?:yaml|json|dict)/.test(name)) return undefined
  const { values } = evaluator.argumentsOf(call, site, ['given'])
  const given = ['given', 'yaml_file', 'json_file', 'args'].map(key => values.get(key)).find(each => each !== undefined)
  const settings = given?.kind === 'text' ? settingsAt(given, site, evaluator) : given && evaluator.asMapping(given)
  return settings?.kind === 'mapping' && settings.unknown === undefined ? settings.entries : undefined
}

/** TRL 1.10 scripts/utils.py: the file that `--config` names holds defaults, which the command line overrides. */
function settingsOfOption(site: Site, evaluator: Evaluator): ReadonlyMap<string, Value> | undefined {
  const { config, ...passed } = Object.fromEntries(evaluator.passed.all())
  const settings = config?.kind === 'text' ? settingsAt(config, site, evaluator) : undefined
  if (settings?.kind !== 'mapping' || settings.unknown !== undefined) return undefined
  return new Map([...settings.entries, ...Object.entries(passed)])
}

/** TRL 1.10 trainer/model_config.py. */
const modelConfigFields =
  /^(?:model_name_or_path|model_revision|(?:torch_)?dtype|trust_remote_code|attn_implementation|use_peft|lora_\w+|use_(?:rslora|dora)|load_in_[48]bit|bnb_4bit_\w+|use_bnb_nested_quant)$/

/** Of a class of a library, only ModelConfig's fields are told from the Trainer's arguments. */
function fieldTest(of: Value, evaluator: Evaluator): (name: string) => boolean {
  if (of.kind === 'symbol') return name => isModelConfig(of.name) && modelConfigFields.test(name)
  if (of.kind !== 'class') return () => false
  const scopes = [of.scope, ...evaluator.classes.bases(of.scope)]
  const fields = new Set(scopes.flatMap(({ bindings }) => [...bindings.keys()]))
  return name => fields.has(name)
}
