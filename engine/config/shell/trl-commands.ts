/**
 * `trl sft --model_name_or_path …`: Accelerate starts one of TRL's own scripts, which stand in no team's repository (trl/cli and
 * trl/scripts of TRL 1.13). What of them decides on memory is written here anew, to be read as any other script.
 */
import { wordSet } from '../../base/word-list.ts'
import type { SourceFile } from '../reading.ts'
import type { Given } from './given.ts'

const FOLDER = 'trl/scripts'
const classes: ReadonlyMap<string, string> = new Map([
  ['sft', 'SFT'],
  ['dpo', 'DPO'],
  ['grpo', 'GRPO'],
  ['kto', 'KTO'],
  ['reward', 'Reward'],
  ['rloo', 'RLOO'],
])

/** The words of `accelerate launch` that the command comes to; undefined for those that train nothing, as `trl vllm-serve`. */
export function asAccelerate([verb, ...words]: readonly Given[]): readonly Given[] | undefined {
  if (verb === undefined || !classes.has(verb.text)) return undefined
  const isOwn = ofLauncher(words)
  const own = words.filter((_, at) => isOwn[at])
  const rest = words.filter((_, at) => !isOwn[at])
  return [...withConfig(own), { ...verb, text: `${FOLDER}/${verb.text}.py` }, ...rest]
}

/** TRL's own files for Accelerate, by their names: what they say, as options of the launcher. */
const ownConfigs: ReadonlyMap<string, string> = new Map([
  ['single_gpu', '--num_processes 1'],
  ['multi_gpu', '--multi_gpu --num_processes 8'],
  ['zero1', '--use_deepspeed --zero_stage 1 --num_processes 8'],
  ['zero2', '--use_deepspeed --zero_stage 2 --num_processes 8'],
  ['zero3', '--use_deepspeed --zero_stage 3 --num_processes 8'],
  ['fsdp1', '--use_fsdp --fsdp_version 1 --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP --num_processes 8'],
  ['fsdp2', '--use_fsdp --fsdp_version 2 --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP --num_processes 8'],
])

/** An option that is written counts before what the file says. */
function withConfig(own: readonly Given[]): readonly Given[] {
  const at = own.findIndex(({ text }) => text === ACCELERATE_CONFIG)
  const [option, config] = at < 0 ? [] : own.slice(at)
  if (option === undefined || config === undefined) return own
  const others = own.toSpliced(at, 2)
  const said = ownConfigs.get(config.text)
  if (said === undefined) return [{ ...option, text: '--config_file' }, config, ...others]
  return [...others, ...`${said} --mixed_precision bf16`.split(' ').map(text => ({ ...config, text }))]
}

const ACCELERATE_CONFIG = '--accelerate_config'
/** Of `accelerate launch`, those that say on how many GPUs it trains and how it divides them. */
const launcherOptions = wordSet(`
  num_processes num_machines mixed_precision machine_rank main_process_port main_process_ip gpu_ids deepspeed_config_file zero_stage
`)

/** By word, whether it is the launcher's: its options may stand anywhere, each with a value behind it or in it. */
function ofLauncher(words: readonly Given[]): readonly boolean[] {
  const names = words.map(({ text }) => (text.startsWith('--') ? text.slice(2).split('=', 1)[0] : undefined))
  const isIts = (at: number) => names[at] === 'accelerate_config' || launcherOptions.has(names[at] ?? '')
  return words.map((_, at) =>
    names[at] === undefined ? isIts(at - 1) && words[at - 1]?.text.includes('=') === false : isIts(at),
  )
}

/** TRL's own script of that path. */
export function trlScript(path: string): SourceFile | undefined {
  const [, method = ''] = /(?:^|\/)trl\/scripts\/(\w+)\.py$/.exec(path) ?? []
  const trainer = classes.get(method)
  if (trainer === undefined) return undefined
  const text = `from trl import ModelConfig, ScriptArguments, TrlParser, get_peft_config, get_quantization_config
from trl import ${trainer}Config, ${trainer}Trainer
parser = TrlParser((ScriptArguments, ${trainer}Config, ModelConfig))
script_args, training_args, model_args = parser.parse_args_and_config()
training_args.model_init_kwargs = dict(attn_implementation=model_args.attn_implementation, dtype=model_args.dtype)
trainer = ${trainer}Trainer(
    model=model_args.model_name_or_path,
    args=training_args,
    train_dataset=dataset,
    quantization_config=get_quantization_config(model_args),
    peft_config=get_peft_config(model_args),
)
trainer.train()
`
  return { path, text }
}
