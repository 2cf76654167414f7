/** Which configs a change affects without touching them, over a repository in memory. */
import { describe, expect, it } from 'vitest'
import { affectedConfigs } from '../../engine/change/affected-configs.ts'
import { globsLeftOut, noSettings } from '../../engine/settings/settings.ts'

const trainer = (deepSpeed: string, model = 'meta-llama/Llama-3.2-1B') =>
  [
    `model_name_or_path: ${model}`,
    'per_device_train_batch_size: 4',
    'learning_rate: 1.0e-4',
    `deepspeed: ${deepSpeed}`,
    '',
  ].join('\n')
const zero3 = '{"zero_optimization": {"stage": 3}}'

/** `changed`: paths that the change touches, of which `unread` were not read as possible configs. */
async function affectedBy(
  changed: readonly string[],
  tree: Readonly<Record<string, string>>,
  {
    unread = [],
    settings = noSettings,
    before = {},
  }: {
    unread?: readonly string[]
    settings?: typeof noSettings
    before?: Readonly<Record<string, string>>
  } = {},
) {
  const requests: string[] = []
  const filesAt = (paths: readonly string[]) =>
    paths.flatMap(path => {
      const text = tree[path]
      return text === undefined ? [] : [{ path, text }]
    })
  const change = { paths: changed, files: filesAt(changed.filter(path => !unread.includes(path))) }
  const { files, remarks } = await affectedConfigs(change, settings, {
    list: async () => {
      requests.push('list')
      return Object.keys(tree)
    },
    read: async paths => {
      requests.push(...paths)
      return filesAt(paths)
    },
    readBefore: async paths =>
      paths.flatMap(path => {
        const text = before[path]
        return text === undefined ? [] : [{ path, text }]
      }),
  })
  return { paths: files.map(({ path }) => path), remarks, requests }
}

const tree = {
  'configs/ds.json': zero3,
  'configs/train.yaml': trainer('configs/ds.json'),
  'configs/beside.yaml': trainer('ds.json'),
  'configs/other.yaml': trainer('configs/zero2.json'),
  'README.md': '# Models',
}

describe('a change of DeepSpeed’s settings', () => {
  it('affects the configs that name them, from the root or from beside', async () => {
    const { paths, remarks } = await affectedBy(['configs/ds.json'], tree)
    expect(paths).toEqual(['configs/train.yaml', 'configs/beside.yaml'])
    expect(remarks).toEqual(['2 configs are checked because a file that they name has changed.'])
  })

  it('leaves configs to themselves that the change touches as well', async () => {
    const { paths, remarks } = await affectedBy(['configs/ds.json', 'configs/train.yaml'], tree)
    expect(paths).toEqual(['configs/beside.yaml'])
    expect(remarks).toEqual(['One config is checked because a file that it names has changed.'])
  })

  it('is seen though the team does not have the file itself checked', async () => {
    const settings = { ...noSettings, paths: ['**/*.yaml'] }
    const { paths } = await affectedBy(['configs/ds.json'], tree, { unread: ['configs/ds.json'], settings })
    expect(paths).toEqual(['configs/train.yaml', 'configs/beside.yaml'])
  })

  it('affects no config that the team leaves out', async () => {
    const settings = { ...noSettings, ignore: ['configs/beside.yaml'] }
    expect((await affectedBy(['configs/ds.json'], tree, { settings })).paths).toEqual(['configs/train.yaml'])
  })
})

describe('a change of a model’s config.json', () => {
  const llama = '{"model_type": "llama", "hidden_size": 64}'
  const own = {
    'models/own/config.json': llama,
    'train.yaml': trainer('ds.json', 'models/own'),
    'other.yaml': trainer('ds.json'),
  }

  it('affects the configs that train it', async () => {
    expect((await affectedBy(['models/own/config.json'], own)).paths).toEqual(['train.yaml'])
  })

  it('is another file’s where it has another name', async () => {
    const { paths, requests } = await affectedBy(['models/own/llama.json'], { ...own, 'models/own/llama.json': llama })
    expect({ paths, requests }).toEqual({ paths: [], requests: [] })
  })
})

describe('any other change', () => {
  it.each([
    ['a config', 'configs/train.yaml'],
    ['no config', 'README.md'],
    ['JSON that nobody names', 'data.json'],
    ['JSON that is broken', 'broken.json'],
  ])('of %s costs no request', async (_, path) => {
    const { paths, requests } = await affectedBy([path], { ...tree, 'data.json': '[1, 2]', 'broken.json': '{"a":' })
    expect({ paths, requests }).toEqual({ paths: [], requests: [] })
  })
})

it('searches the nearest of many, and says so', async () => {
  const far = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`data/${index}.yaml`, 'a: 1\n']))
  const { paths, remarks, requests } = await affectedBy(['configs/ds.json'], { ...far, ...tree })
  expect(paths).toEqual(['configs/train.yaml', 'configs/beside.yaml'])
  expect(requests).toHaveLength(101)
  expect(remarks[1]).toBe(
    'Of 153 files that may be training configs, the 100 nearest were searched for configs that name a changed file.',
  )
})

describe('of files that the team does not have checked', () => {
  it.each(['ds.json', 'a/ds_z3.json', 'deepspeed/stage.json', 'zero3.json', 'z2.json', 'models/own/config.json'])(
    '%s is opened',
    async path => {
      expect((await affectedBy([path], { [path]: '{}' }, { unread: [path] })).requests).toEqual([path])
    },
  )

  it.each(['data/17.json', 'words.json', 'adsets.json', 'zoo.json', 'own-config.json', 'ds.yaml'])(
    '%s is not',
    async path => {
      expect((await affectedBy([path], { [path]: '{}' }, { unread: [path] })).requests).toEqual([])
    },
  )
})

describe('a change of the versions that a repository pins', () => {
  const pinned = {
    'requirements.txt': 'transformers==4.46.3\nnumpy==2.1',
    'configs/train.yaml': trainer('none.json'),
    'other/uv.lock': '[[package]]\nname = "transformers"\nversion = "5.1.0"\n',
    'other/train.yaml': trainer('none.json'),
    'values.yaml': 'replicas: 3\n',
  }

  it('affects the configs below the file, whether or not another is nearer', async () => {
    const before = { 'requirements.txt': 'transformers==4.57.1\nnumpy==2.1' }
    const { paths, remarks } = await affectedBy(['requirements.txt'], pinned, { unread: ['requirements.txt'], before })
    expect(paths).toEqual(['configs/train.yaml', 'other/train.yaml'])
    expect(remarks).toEqual([
      '2 configs are checked because a file that they name, or that pins their libraries, has changed.',
    ])
  })

  it('affects none above it', async () => {
    const { paths } = await affectedBy(['other/uv.lock'], pinned, { unread: ['other/uv.lock'] })
    expect(paths).toEqual(['other/train.yaml'])
  })

  it('affects none where only libraries change that decide nothing, and lists no files for it', async () => {
    const before = { 'requirements.txt': '# Ours\nnumpy==1.26\ntransformers==4.46.3' }
    const { paths, requests } = await affectedBy(['requirements.txt'], pinned, { unread: ['requirements.txt'], before })
    expect(paths).toEqual([])
    expect(requests).toEqual(['requirements.txt'])
  })
})

describe('a change of a launcher', () => {
  const launched = {
    'recipes/sft.yaml': trainer('ds.json'),
    'recipes/other.yaml': trainer('ds.json'),
    'train.py': 'import transformers\n',
    'scripts/run.sh': 'accelerate launch --num_processes 4 train.py --config recipes/sft.yaml\n',
    'scripts/clean.sh': 'rm -rf out\n',
  }

  it('affects the config that it starts, and nothing is listed for one that starts none', async () => {
    const { paths, remarks } = await affectedBy(['scripts/run.sh'], launched)
    expect(paths).toEqual(['recipes/sft.yaml'])
    expect(remarks).toEqual(['One config is checked because a launcher of it has changed.'])
    expect((await affectedBy(['scripts/clean.sh'], launched)).requests).toEqual([])
  })

  it('affects the config that it starts where it is a job in YAML too', async () => {
    const task = (path: string) =>
      `resources:\n  accelerators: L4:4\nrun: |\n  accelerate launch train.py --config ${path}\n`
    const files = { ...launched, 'sky.yaml': task('recipes/sft.yaml'), 'sky-none.yaml': task('recipes/none.yaml') }
    expect((await affectedBy(['sky.yaml'], files)).paths).toEqual(['recipes/sft.yaml'])
    expect((await affectedBy(['sky-none.yaml'], files)).paths).toEqual([])
  })

  it('affects no config that the change touches, that the team does not have checked, or that is not there', async () => {
    expect((await affectedBy(['scripts/run.sh', 'recipes/sft.yaml'], launched)).paths).toEqual([])
    const settings = { ...noSettings, ignore: ['recipes/**'] }
    expect((await affectedBy(['scripts/run.sh'], launched, { settings })).paths).toEqual([])
    const { 'recipes/sft.yaml': _, ...without } = launched
    expect((await affectedBy(['scripts/run.sh'], without)).paths).toEqual([])
  })
})

describe('a module that scripts import settings from', () => {
  const script = (from: string) =>
    `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\nfrom ${from} import BATCH_SIZE\nmodel = AutoModelForCausalLM.from_pretrained("gpt2")\nTrainer(model, TrainingArguments("out", per_device_train_batch_size=BATCH_SIZE)).train()\n`
  const modules = {
    'src/settings.py': 'BATCH_SIZE = 8\n',
    'src/plots.py': 'COLOUR = "red"\n',
    'src/train.py': script('settings'),
    'src/other.py': script('elsewhere'),
    'src/evaluate.py': 'from settings import BATCH_SIZE\nprint(BATCH_SIZE)\n',
    'configs/train.yaml': trainer('ds.json'),
  }

  it('brings up the scripts that do, and reads no file of keys for it', async () => {
    const { paths, remarks, requests } = await affectedBy(['src/settings.py'], modules)
    expect(paths).toEqual(['src/train.py'])
    expect(remarks).toEqual(['One config is checked because a file that it names has changed.'])
    expect(requests).not.toContain('configs/train.yaml')
  })

  it('is looked for nowhere where it sets nothing of a training', async () => {
    expect(await affectedBy(['src/plots.py'], modules)).toMatchObject({ paths: [], requests: [] })
  })
})

describe('a class that a config of the Lightning CLI names', () => {
  const classes = {
    'tagger/models.py':
      'import lightning as L\nclass Reviewer(L.LightningModule):\n    def __init__(self, name):\n        super().__init__()\n        self.model = name\n',
    'tagger/other.py': 'import lightning as L\nclass Other(L.LightningModule):\n    pass\n',
    'configs/fit.yaml':
      'trainer:\n  max_epochs: 1\nmodel:\n  class_path: tagger.models.Reviewer\n  init_args:\n    name: gpt2\ndata:\n  batch_size: 8\n',
  }
  it('brings up that config', async () => {
    expect((await affectedBy(['tagger/models.py'], classes)).paths).toEqual(['configs/fit.yaml'])
    expect((await affectedBy(['tagger/other.py'], classes)).paths).toEqual([])
  })
})

describe('settings that a script composes, loads or is called with', () => {
  const main = (body: string) => `import hydra
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
${body}
if __name__ == "__main__":
    main()
`
  const training = `    model = AutoModelForCausalLM.from_pretrained(cfg.model.name)
    Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=cfg.train.batch_size)).train()`
  const composed = {
    'train.py': main(training),
    'evaluate.py': main('    print(cfg.model.name)'),
    'conf/config.yaml': 'defaults:\n  - model: small\n  - train: usual\n  - _self_\n',
    'conf/model/small.yaml': 'name: gpt2\n',
    'conf/model/large.yaml': 'name: gpt2-large  # the large model\n',
    'conf/train/usual.yaml': 'batch_size: 8\n',
    'deploy/values.yaml': 'model: small\nreplicas: 2\n',
  }

  it.each(['conf/train/usual.yaml', 'conf/config.yaml'])('of Hydra, where only %s changes', async path => {
    const { paths, remarks } = await affectedBy([path], composed)
    expect(paths).toEqual(['train.py'])
    expect(remarks).toEqual(['One config is checked because a file that it names has changed.'])
  })

  it('of Hydra, not where the group file is one that it does not choose', async () => {
    expect((await affectedBy(['conf/model/large.yaml'], composed)).paths).toEqual([])
  })

  it('are looked for nowhere in files of other folders', async () => {
    expect((await affectedBy(['deploy/values.yaml'], composed)).requests).toEqual([])
  })

  it('by a file that calls it, or that calls its caller', async () => {
    const called = {
      'tuning/trainer.py': `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
def train(batch_size):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=batch_size)).train()
`,
      'tuning/recipe.py': 'from tuning.trainer import train\ndef recipe(batch_size):\n    train(batch_size)\n',
      'run.py': 'from tuning.recipe import recipe\nif __name__ == "__main__":\n    recipe(batch_size=8)\n',
      'notes.py': 'batch_size = 8\nprint(batch_size)\n',
    }
    expect((await affectedBy(['run.py'], called)).paths).toEqual(['tuning/trainer.py'])
    expect((await affectedBy(['tuning/recipe.py'], called)).paths).toEqual(['tuning/trainer.py'])
    expect((await affectedBy(['notes.py'], called)).paths).toEqual([])
  })

  it('in the configs that a changed script loads', async () => {
    const loaded = {
      'train.py': `import argparse, yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--config")
config = yaml.safe_load(open(parser.parse_args().config))
model = AutoModelForCausalLM.from_pretrained(config["model_name"])
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=config["batch_size"])).train()
`,
      'configs/small.yaml': 'model_name: gpt2\nbatch_size: 8\nlearning_rate: 1.0e-4\n',
      'configs/plots.yaml': 'colours: 8\n',
    }
    expect((await affectedBy(['train.py'], loaded)).paths).toEqual(['configs/small.yaml'])
  })
})

it('says that the globs were left out where they take too long on the other files', async () => {
  const inspector = {
    counted: async (paths: readonly string[]) => ({ paths, isWithinLimits: false }),
    areNamed: async (files: readonly object[]) => files.map(() => true),
    state: async () => [],
    started: async () => [],
    open: async (files: readonly object[]) => files.map(() => true),
  }
  const repository = {
    list: async () => Object.keys(tree),
    read: async () => [{ path: 'configs/train.yaml', text: tree['configs/train.yaml'] }],
    readBefore: async () => [],
  }
  const change = { paths: ['configs/ds.json'], files: [{ path: 'configs/ds.json', text: zero3 }] }
  const { files, remarks } = await affectedConfigs(change, noSettings, repository, inspector)
  expect(files.map(({ path }) => path)).toEqual(['configs/train.yaml'])
  expect(remarks).toContain(globsLeftOut)
})

describe('a config that trains the model from which another goes on', () => {
  const keys = 'per_device_train_batch_size: 2\nbf16: true\nmax_length: 1024\n'
  const stages = {
    'configs/pretrain.yaml': `model_name_or_path: Qwen/Qwen2.5-1.5B\noutput_dir: outputs/pretrained\n${keys}`,
    'configs/sft.yaml': `model_name_or_path: outputs/pretrained\noutput_dir: outputs/sft\n${keys}`,
    'configs/dpo.yaml': `model_name_or_path: outputs/sft/final\nbeta: 0.1\n${keys}`,
    'configs/other.yaml': `model_name_or_path: Qwen/Qwen2.5-1.5B\n${keys}`,
    'elsewhere/dpo.yaml': `model_name_or_path: outputs/sft\nbeta: 0.1\n${keys}`,
  }

  it('affects all that follow in its folder', async () => {
    const { paths, remarks, requests } = await affectedBy(['configs/pretrain.yaml'], stages)
    expect(paths).toEqual(['configs/sft.yaml', 'configs/dpo.yaml'])
    expect(remarks).toEqual(['2 configs are checked because an earlier stage of them has changed.'])
    expect(requests).not.toContain('elsewhere/dpo.yaml')
  })

  it('affects none where no config starts from its output, and is not looked for where it says none', async () => {
    expect((await affectedBy(['configs/sft.yaml'], { ...stages, 'configs/dpo.yaml': keys })).paths).toEqual([])
    const silent = { ...stages, 'configs/sft.yaml': `model_name_or_path: Qwen/Qwen2.5-1.5B\n${keys}` }
    expect((await affectedBy(['configs/sft.yaml'], silent)).requests).toEqual([])
  })
})
