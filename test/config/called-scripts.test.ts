/** Trainings that one file of a repository holds and another sets up: read as the calls in the other say. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../engine/config/read.ts'
import type { FileReading } from '../../engine/config/reading.ts'
import { type Files, sourcesOf } from './files.ts'

const trainer = `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

class Tuner:
    def __init__(self, name, settings):
        self.name = name
        self.settings = settings

    def run(self):
        model = AutoModelForCausalLM.from_pretrained(self.name)
        arguments = TrainingArguments(
            "out", per_device_train_batch_size=self.settings.batch, gradient_accumulation_steps=4
        )
        Trainer(model=model, args=arguments).train()
`
const settings = 'class Settings:\n    batch: int = 6\n'
const main = `from app.settings import Settings
from app.tuner import Tuner

def main():
    Tuner("gpt2", Settings()).run()

if __name__ == "__main__":
    main()
`
const files: Files = { 'app/tuner.py': trainer, 'app/settings.py': settings, 'main.py': main }

function read(all: Files, path = 'app/tuner.py'): Promise<FileReading> {
  return readConfigAsync({ path, text: all[path] ?? '' }, sourcesOf(all))
}

describe('a file that trains with what others pass to it', () => {
  it('is read as they call it, and says which', async () => {
    expect(await read(files)).toMatchObject({
      kind: 'training-config',
      spec: { model: 'openai-community/gpt2', microBatch: 6, gradientAccumulation: 4 },
      assumptions: expect.arrayContaining(['Read as main.py calls it.']),
    })
  })

  it('is no config without them', async () => {
    expect((await read({ 'app/tuner.py': trainer })).kind).toBe('not-a-training-config')
  })

  it('takes what a launcher passes to the one that calls it', async () => {
    const parsing = main
      .replace(
        'def main',
        'import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument("--model")\n\ndef main',
      )
      .replace('"gpt2"', 'parser.parse_args().model')
    const all = { ...files, 'main.py': parsing, 'run.sh': 'torchrun --nproc_per_node 2 main.py --model gpt2-medium\n' }
    expect(await read(all)).toMatchObject({ spec: { model: 'openai-community/gpt2-medium', microBatch: 6, gpus: 2 } })
  })

  it('is read by the callers of its callers', async () => {
    const all = {
      ...files,
      'app/pipeline.py':
        'from app.tuner import Tuner\n\ndef pipeline(name, settings):\n    Tuner(name, settings).run()\n',
      'main.py':
        'from app.pipeline import pipeline\nfrom app.settings import Settings\n\npipeline("gpt2", Settings())\n',
    }
    expect(await read(all)).toMatchObject({ spec: { model: 'openai-community/gpt2', microBatch: 6 } })
  })

  it('is read by a caller in a folder beside its own', async () => {
    const all = {
      'src/models/tuner.py': trainer,
      'src/training/settings.py': settings,
      'src/training/run.py': main
        .replaceAll('app.tuner', 'src.models.tuner')
        .replaceAll('app.settings', 'src.training.settings'),
    }
    expect(await read(all, 'src/models/tuner.py')).toMatchObject({ spec: { microBatch: 6 } })
  })

  it('is none where two call it differently: nobody can say which counts', async () => {
    const all = { ...files, 'other.py': main.replace('"gpt2"', '"gpt2-medium"') }
    expect((await read(all)).kind).toBe('not-a-training-config')
  })

  it('is not called by tests, nor by what only shares its name', async () => {
    const all = {
      ...files,
      'test_tuner.py': main.replace('"gpt2"', '"gpt2-medium"'),
      'unrelated.py': 'from elsewhere import tuner\n\nclass Tuner:\n    pass\n\nTuner("gpt2-medium", None)\n',
    }
    expect(await read(all)).toMatchObject({ spec: { model: 'openai-community/gpt2', microBatch: 6 } })
  })

  it('is read alone where it is started itself', async () => {
    const own = `${trainer}\nimport sys\n\nclass Own:\n    batch = 3\n\nif __name__ == "__main__":\n    Tuner("gpt2", Own()).run()\n`
    expect(await read({ ...files, 'app/tuner.py': own })).toMatchObject({ spec: { microBatch: 3 } })
  })
})
