/** Options whose defaults a script reads from a file. */
import { expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { sourcesOf } from '../files.ts'

it('defaults that a file sets are those of what is parsed afterwards', async () => {
  const text = `import argparse, yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--config", default="conf.yaml")
parser.add_argument("--batch_size", type=int, default=4)
args, _ = parser.parse_known_args()
parser.set_defaults(**yaml.safe_load(open(args.config)))
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("gpt2")
targs = TrainingArguments(output_dir="out", per_device_train_batch_size=args.batch_size)
Trainer(model=model, args=targs, train_dataset=data).train()
`
  const files = sourcesOf({ 'train.py': text, 'conf.yaml': 'batch_size: 32\n' })
  expect(await readConfigAsync({ path: 'train.py', text }, files)).toMatchObject({
    kind: 'training-config',
    spec: { microBatch: 32 },
  })
})
