/** Recipes that a script takes by TRL's parser: read with what the script makes of them. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { type Files, sourcesOf } from '../files.ts'
import { trainedBy } from '../readings.ts'

const recipe = `model_name_or_path: openai-community/gpt2
dtype: bfloat16
per_device_train_batch_size: 4
gradient_checkpointing: true
max_length: 512
`
const script = `from transformers import AutoModelForCausalLM
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser, get_peft_config
script_args, training_args, model_args = TrlParser((ScriptArguments, SFTConfig, ModelConfig)).parse_args_and_config()
training_args.gradient_checkpointing = False
model = AutoModelForCausalLM.from_pretrained(
    model_args.model_name_or_path, attn_implementation=model_args.attn_implementation, dtype=model_args.dtype
)
trainer = SFTTrainer(model=model, args=training_args, train_dataset=data, peft_config=get_peft_config(model_args))
trainer.train()
`

async function read(files: Files) {
  const path = 'recipes/a.yaml'
  return trainedBy(await readConfigAsync({ path, text: files[path] ?? '' }, sourcesOf(files)))
}

function repository(started: string): Files {
  return { 'recipes/a.yaml': recipe, 'src/own/sft.py': script, 'run.sh': `accelerate launch ${started}\n` }
}

describe('what the script sets on the arguments', () => {
  it('counts for the recipe that it is started with', async () => {
    const reading = await read(repository('src/own/sft.py --config recipes/a.yaml'))
    expect(reading.spec).toMatchObject({ microBatch: 4, sequenceLength: 512, gradientCheckpointing: false })
    expect(reading.batchSizeAt).toMatchObject({ line: 3 })
    expect(reading.assumptions[0]).toBe('Read as src/own/sft.py loads it, for the training on line 8 there.')
  })

  it('counts below what is set on the command line', async () => {
    const { spec } = await read(repository('src/own/sft.py --config recipes/a.yaml --per_device_train_batch_size 2'))
    expect(spec).toMatchObject({ microBatch: 2, gradientCheckpointing: false })
  })

  it.each(['recipes/b.yaml', 'recipes/more/b.yaml'])('counts for the neighbours of %s', async neighbour => {
    const { 'recipes/a.yaml': text = '', ...files } = repository(`src/own/sft.py --config ${neighbour}`)
    const path = neighbour.replace('b.yaml', 'c/a.yaml').replace('more/c', 'more')
    const all = { ...files, [path]: text }
    const { spec } = trainedBy(await readConfigAsync({ path, text }, sourcesOf(all)))
    expect(spec.gradientCheckpointing).toBe(false)
  })

  it('says nothing of a recipe elsewhere', async () => {
    expect((await read(repository('src/own/sft.py --config other/b.yaml'))).spec.gradientCheckpointing).toBe(true)
  })

  it('blocks nothing where one of two scripts may be started with it', async () => {
    const files = {
      ...repository('src/own/sft.py --config recipes/b.yaml'),
      'src/own/more.py': script,
      'again.sh': 'accelerate launch src/own/more.py --config recipes/c.yaml\n',
    }
    const reading = await read(files)
    expect(reading.assumesCode).toBe(true)
    expect(reading.assumptions.join()).toMatch(/is not known, src\/own\/\w+\.py or src\/own\/\w+\.py, so that nothing/)
  })
})
