/** What scripts decide by the release of a library that is installed: by an import that may fail, or by the parameters of a class. */
import { describe, expect, it } from 'vitest'
import { trained } from './scripts.ts'

const script = (above: string, trainer = 'Trainer(model=model, args=TrainingArguments(**given)).train()') => `
import inspect
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("gpt2")
given = {"output_dir": "out", "per_device_train_batch_size": 2}
${above}
${trainer}
`

const guarded = `try:
    from trl import SFTConfig, SFTTrainer
except ImportError:
    SFTConfig = None`

describe('a class that an import may not find', () => {
  it.each(['if SFTConfig is not None:', 'if SFTConfig:', 'if SFTConfig != None:'])('is there: %s', async condition => {
    const above = `${guarded}\n${condition}\n    given["gradient_accumulation_steps"] = 3`
    expect(await trained(script(above))).toMatchObject({ spec: { gradientAccumulation: 3 } })
  })

  it('makes the arguments by the name that is chosen for it', async () => {
    const above = `${guarded}\nArguments = SFTConfig if SFTConfig is not None else TrainingArguments`
    const trainer = 'SFTTrainer(model=model, args=Arguments(max_length=300, **given)).train()'
    expect(await trained(script(above, trainer))).toMatchObject({ spec: { sequenceLength: 300 } })
  })
})

describe('the parameters of a class', () => {
  it.each([
    '"eval_strategy" in inspect.signature(TrainingArguments).parameters',
    '"eval_strategy" in inspect.signature(TrainingArguments.__init__).parameters',
    '"eval_strategy" in TrainingArguments.__dataclass_fields__',
    '"evaluation_strategy" not in set(inspect.signature(TrainingArguments).parameters)',
    '"evaluation_strategy" not in set(inspect.signature(TrainingArguments.__init__).parameters.keys())',
    '"eval_strategy" in TrainingArguments.__dataclass_fields__.keys()',
    '"processing_class" in inspect.signature(Trainer).parameters',
  ])('are those of the newest release: %s', async condition => {
    const above = `key = "eval_strategy" if ${condition} else "evaluation_strategy"
given[key] = "no"
given["gradient_accumulation_steps"] = 3 if ${condition} else 4`
    expect(await trained(script(above))).toMatchObject({ spec: { gradientAccumulation: 3 } })
  })

  it('say which class of TRL takes what', async () => {
    const above = `from trl import SFTConfig, SFTTrainer
taken = set(inspect.signature(SFTConfig.__init__).parameters.keys())
extra = {}
if "max_length" in taken:
    extra["max_length"] = 300
elif "max_seq_length" in taken:
    extra["max_seq_length"] = 300
if "packing" in taken:
    extra["packing"] = True
of_trainer = inspect.signature(SFTTrainer.__init__).parameters
more = {"peft_config": LoraConfig(r=4, target_modules="all-linear")} if "peft_config" in of_trainer else {}
if "packing" in of_trainer:
    more["packing"] = False`
    const trainer = 'SFTTrainer(model=model, args=SFTConfig(**given, **extra), **more).train()'
    const text = script(`from peft import LoraConfig\n${above}`, trainer)
    expect(await trained(text)).toMatchObject({
      spec: { sequenceLength: 300, paddedBatches: false, lora: { rank: 4 } },
    })
  })

  it('leave open what is not known of them', async () => {
    const above = `given["per_device_train_batch_size"] = 3 if "new_name" in inspect.signature(TrainingArguments).parameters else 4`
    await expect(trained(script(above))).rejects.toThrow('inspect.signature')
  })
})

describe('settings in classes of settings', () => {
  it.each(['Batches', 'lambda: Batches()'])('are what the factory of a field makes: %s', async factory => {
    const above = `from dataclasses import dataclass, field
@dataclass
class Batches:
    size: int = 5
@dataclass
class Settings:
    batches: Batches = field(default_factory=${factory})
settings = Settings()
given["per_device_train_batch_size"] = settings.batches.size`
    expect(await trained(script(above))).toMatchObject({ spec: { microBatch: 5 } })
  })

  it.each([
    ['"openai/gpt2".replace("openai/", "")', 'openai-community/gpt2'],
    ['"openai/gpt2".removeprefix("openai/")', 'openai-community/gpt2'],
    ['"distilgpt2-local".removesuffix("-local")', 'distilbert/distilgpt2'],
  ])('name a model by a part of a text: %s', async (name, model) => {
    const above = `model = AutoModelForCausalLM.from_pretrained(${name})`
    expect(await trained(script(above))).toMatchObject({ spec: { model } })
  })
})

describe('options that go into a class of settings as a dictionary', () => {
  const options = `import argparse
from dataclasses import dataclass
@dataclass
class Settings:
    samples: int = 1
    checkpointing: bool = False
    accumulation: int = 1
parser = argparse.ArgumentParser()
parser.add_argument("--samples", type=int, default=6)
parser.add_argument("--accumulation", type=int, default=2)
parser.add_argument("--no-checkpointing", action="store_true")
def settings_of(args):
    values = vars(args).copy()
    values["checkpointing"] = not values.pop("no_checkpointing")
    values["accumulation"] = 9
    return Settings(**values)
settings = settings_of(parser.parse_args())
given["per_device_train_batch_size"] = settings.samples
given["gradient_accumulation_steps"] = settings.accumulation
given["gradient_checkpointing"] = settings.checkpointing`

  it('keep their defaults, but for what is set in it', async () => {
    expect(await trained(script(options))).toMatchObject({
      spec: { microBatch: 6, gradientAccumulation: 9, gradientCheckpointing: true },
    })
  })
})
