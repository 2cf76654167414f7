/** Which of LitGPT's commands a config is for: they share most of their arguments. */
import type { FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import { quote } from '../../text/quote.ts'
import type { Section } from '../../text/section.ts'

export type Method = 'lora' | 'full'

/** The key under which a launch says which command it runs. */
export const COMMAND = 'litgpt_command'

/** __main__.py PARSER_DATA */
const commands: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['finetune', 'lora'],
  ['finetune_lora', 'lora'],
  ['finetune_full', 'full'],
])

/** By the command that is run, or else by arguments that only one of them has. */
export function readMethod(reader: FieldReader, document: Section): Method | undefined {
  const command = document.at(COMMAND)
  const name = reader.text(command)
  if (command !== undefined && name !== undefined) {
    const method = commands.get(name)
    return (
      method ?? reader.refuse(command, 'unsupported-training', `litgpt ${quote(name)} is not modelled yet`, leaveOut)
    )
  }
  const batchSize = document.at('train', 'micro_batch_size') ?? document.at('train', 'global_batch_size')
  const pretrains = ['initial_checkpoint_dir', 'tokenizer_dir', 'model_name', 'model_config'].find(key =>
    document.fields.has(key),
  )
  if (pretrains !== undefined) {
    // pretrain.py compiles the whole model, whose memory no trace here has followed.
    const message = 'litgpt pretrain, which compiles the whole model, is not modelled yet'
    return reader.refuse(batchSize, 'unsupported-training', message, leaveOut)
  }
  const hasAdapters = [...document.fields.keys()].some(key => key.startsWith('lora_'))
  if (hasAdapters) return 'lora'
  if (document.fields.has('resume') || namesFull(reader.path, document)) return 'full'
  const message = 'Which command of LitGPT runs this config cannot be determined from the file'
  const fix = 'Write lora_r for finetune_lora, or resume: false for finetune_full.'
  return reader.refuse(batchSize, 'not-in-file', message, fix)
}

/** As config_hub does: `full.yaml`, with `out_dir: out/finetune/full-gemma-2b`. */
function namesFull(path: string, document: Section): boolean {
  const outDir = document.at('out_dir')?.value
  const names = [path, outDir?.kind === 'text' ? outDir.text : '']
  const says = (word: RegExp) => names.some(name => word.test(name))
  return says(/(?:^|[\W_])full(?:[\W_]|$)/i) && !says(/lora|adapter/i)
}
