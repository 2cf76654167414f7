/** The releases that a repository pins for a config: which file decides, and what the reader is told. */
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chosenVersions, findPinnedVersions, versionSentences } from '../../../engine/config/pinned/pinned-versions.ts'
import { explainConfigAsync, readConfigAsync } from '../../../engine/config/read.ts'
import type { VersionedLibrary } from '../../../engine/training/versions.ts'

/** A repository in memory. */
function repositoryOf(files: Readonly<Record<string, string>>) {
  const asked: string[] = []
  return {
    asked,
    readFile: async (path: string) => {
      asked.push(path)
      return files[path]
    },
    listFolder: async (folder: string) =>
      Object.keys(files).flatMap(path => (posix.dirname(path) === folder ? [posix.basename(path)] : [])),
  }
}

/** Full training without TRL. */
const concernsNoOther = (library: VersionedLibrary) => library !== 'trl' && library !== 'bitsandbytes'

async function chosen(files: Readonly<Record<string, string>>, path = 'configs/llama/train.yaml') {
  const found = chosenVersions(await findPinnedVersions(repositoryOf(files), path))
  return { versions: found.versions, sentences: versionSentences(found, 'trainer', concernsNoOther) }
}

describe('TRL without a version', () => {
  const ofTrl = async (transformers: string) => {
    const { taken, sentences } = chosenVersions(
      await findPinnedVersions(repositoryOf({ 'requirements.txt': `transformers${transformers}\ntrl\n` }), 'train.py'),
    )
    return { trl: taken.trl, sentence: sentences.get('trl') }
  }

  it.each([
    ['==4.48.3', '0.17'],
    ['==4.53.1', '0.19'],
    ['==4.56.0', '0.22'],
    ['==4.56.1', undefined],
    ['', undefined],
  ])('beside transformers%s is %s', async (transformers, trl) => {
    expect((await ofTrl(transformers)).trl).toBe(trl)
  })

  it('is said to be the newest that goes with it', async () => {
    expect((await ofTrl('==4.48.3')).sentence).toBe('trl 0.17, the newest that goes with transformers 4.48.3.')
  })
})

describe('the file that decides', () => {
  it('is the nearest above the config', async () => {
    const files = {
      'requirements.txt': 'transformers==4.57.1',
      'configs/requirements.txt': '# Ours\n\ntransformers==4.46.3\n',
      'configs/other/requirements.txt': 'transformers==4.30.0',
    }
    const { versions, sentences } = await chosen(files)
    expect(versions).toEqual({ transformers: '4.46.3' })
    expect(sentences).toContain('transformers 4.46.3 (configs/requirements.txt, line 3).')
    expect((await chosen(files, 'train.yaml')).versions).toEqual({ transformers: '4.57.1' })
  })

  it('is that whose name shares most with the config’s path, and one for training where none does', async () => {
    const files = {
      'requirements-eval.txt': 'transformers==4.57.6',
      'requirements-grpo.txt': 'transformers==4.50.0',
      'requirements-train.txt': 'transformers==4.57.1',
    }
    const versionFor = async (path: string) => (await chosen(files, path)).versions.transformers
    expect(await versionFor('sft/train/run.py')).toBe('4.57.1')
    expect(await versionFor('scripts/grpo.py')).toBe('4.50.0')
    expect(await versionFor('run.py')).toBe('4.57.1')
  })

  it('is a lock before what may be installed', async () => {
    const { versions, sentences } = await chosen({
      'pyproject.toml': '[project]\ndependencies = ["transformers>=4.40", "accelerate<1.3"]\n',
      'requirements.txt': 'transformers==4.44.0\n',
      'uv.lock': 'version = 1\n\n[[package]]\nname = "transformers"\nversion = "4.46.3"\n',
    })
    expect(versions).toEqual({ transformers: '4.46.3', accelerate: '1.2' })
    expect(sentences).toEqual([
      'transformers 4.46.3 (uv.lock, line 5).',
      'accelerate 1.2, the newest that pyproject.toml, line 2 allows (<1.3).',
      'The newest torch: no requirements or lock file names a version.',
    ])
  })

  it('of a range is a lock further up that it allows', async () => {
    const lock = (version: string) => ({
      'poetry.lock': `[[package]]\nname = "transformers"\nversion = "${version}"\n`,
      'configs/pyproject.toml': '[tool.poetry.dependencies]\ntransformers = ">=4.40,<4.50"\n',
    })
    expect((await chosen(lock('4.46.3'))).versions).toEqual({ transformers: '4.46.3' })
    expect((await chosen(lock('5.1.0'))).versions).toEqual({ transformers: '4.49' })
  })

  it('is none for a library that no file names: the newest, said to whoever trains with transformers', async () => {
    const none = await chosen({ 'requirements.txt': 'numpy\n' })
    expect(none).toEqual({
      versions: {},
      sentences: ['The newest torch, transformers, accelerate: no requirements or lock file names a version.'],
    })
    const pinned = await findPinnedVersions(repositoryOf({}), 'train.yaml')
    expect(versionSentences(chosenVersions(pinned), 'ultralytics', concernsNoOther)).toEqual([])
  })

  it('lets the newest stand for a range without an upper end, and says so', async () => {
    const { versions, sentences } = await chosen({ 'requirements/train.txt': 'transformers>=4.40\n' })
    expect(versions).toEqual({})
    expect(sentences[0]).toBe('transformers: the newest, since requirements/train.txt, line 1 allows >=4.40.')
  })
})

describe('every kind of file', () => {
  it.each([
    ['requirements-gpu.txt', '-r requirements.txt\ntransformers==4.46.3 \\\n    --hash=sha256:00', 2],
    ['constraints.txt', 'transformers==4.46.3', 1],
    ['requirements/base.txt', 'transformers==4.46.3', 1],
    ['pyproject.toml', '[project.optional-dependencies]\ntrain = [\n  "transformers==4.46.3",\n]\n', 3],
    ['pyproject.toml', '[dependency-groups]\ntrain = ["transformers==4.46.3", {include-group = "x"}]\n', 2],
    ['pyproject.toml', '[tool.poetry.group.gpu.dependencies]\ntransformers = {version = "4.46.3", extras = ["a"]}', 2],
    ['Pipfile', '[packages]\ntransformers = "==4.46.3"\n', 2],
    ['setup.cfg', '[options]\ninstall_requires =\n    transformers==4.46.3\n', 3],
    ['environment.yml', 'dependencies:\n  - python=3.11\n  - conda-forge::transformers=4.46.3\n', 3],
    ['environment.yml', 'dependencies:\n  - pip:\n      - transformers==4.46.3\n', 3],
    ['uv.lock', '[[package]]\nname = "transformers"\nversion = "4.46.3"\nsource = { registry = "x" }\n', 3],
    ['poetry.lock', '[[package]]\nname = "transformers"\nversion = "4.46.3"\ndescription = ""\n', 3],
    ['pdm.lock', '[[package]]\r\nname = "transformers"\r\nversion = "4.46.3"\r\n', 3],
    ['pylock.toml', '[[packages]]\nname = "transformers"\nversion = "4.46.3"\n', 3],
    [
      'Pipfile.lock',
      '{\n "default": {\n  "transformers": {\n   "index": "x",\n   "version": "==4.46.3"\n  }\n }\n}',
      5,
    ],
    ['conda-lock.yml', 'package:\n- name: transformers\n  version: 4.46.3\n', 3],
  ])('%s', async (name, text, line) => {
    const { versions, sentences } = await chosen({ [name]: text })
    expect(versions).toEqual({ transformers: '4.46.3' })
    expect(sentences[0]).toBe(`transformers 4.46.3 (${name}, line ${line}).`)
  })

  it.each([
    'requirements/npu.txt',
    'requirements/sglang.txt',
    'requirements-rocm.txt',
    'requirements_cpu.txt',
    'environment-mps.yml',
  ])('%s says nothing of a training on NVIDIA’s GPUs', async name => {
    expect((await chosen({ [name]: '- transformers==4.46.3\ntransformers==4.46.3\n' })).versions).toEqual({})
  })

  it('is one of its folder where its name only begins like those of other work', async () => {
    const { versions } = await chosen({ 'requirements/testbed-gpu.txt': 'transformers==4.46.3' })
    expect(versions).toEqual({ transformers: '4.46.3' })
  })

  it('of a library that is locked once for each platform, gives the newest', async () => {
    const packages = ['2.4.1', '2.5.1+cu121', '2.5.0'].map(
      version => `[[package]]\nname = "torch"\nversion = "${version}"`,
    )
    expect((await chosen({ 'uv.lock': packages.join('\n\n') })).versions).toEqual({ torch: '2.5.1' })
  })

  it('takes no dependency of another package for the package', async () => {
    const text =
      '[[package]]\nname = "peft"\nversion = "0.14.0"\n[package.dependencies]\ntransformers = "*"\nname = "transformers"\n\nversion = "1"'
    expect((await chosen({ 'poetry.lock': text })).versions).toEqual({})
  })
})

describe('a stranger’s files', () => {
  it.each([
    ['uv.lock', 'name = "transformers"\n'.repeat(180_000)],
    ['requirements.txt', `transformers${' '.repeat(500_000)}==4.46.3`],
    ['requirements.txt', `transformers[${'['.repeat(500_000)}`],
    ['pyproject.toml', `a = ${'['.repeat(500_000)}`],
    ['pyproject.toml', `[project]\ndependencies = [${'"transformers", '.repeat(30_000)}]`],
    [
      'pyproject.toml',
      `[project]\ndependencies = [${Array.from({ length: 20_000 }, (_, i) => `"transformers>=0.${i}"`).join(', ')}]`,
    ],
    ['environment.yml', `- ${'a'.repeat(500_000)}`],
    ['uv.lock', 'x'.repeat(4_300_000)],
  ])('%s says nothing, whatever it holds, well before a test times out', async (name, text) => {
    expect((await chosen({ [name]: text })).versions).toEqual({})
  })

  it('are not asked for without end', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`requirements-${index}.txt`, 'transformers==4.46.3']),
    )
    const repository = repositoryOf(files)
    await findPinnedVersions(repository, `${'deep/'.repeat(300)}train.yaml`)
    expect(repository.asked.length).toBe(24)
  })

  it('outside the repository are not looked for above the config', async () => {
    const files = { '../else/requirements.txt': 'torch==2.4.1', '../requirements.txt': 'transformers==4.46.3' }
    expect((await chosen(files, '../else/train.yaml')).versions).toEqual({ torch: '2.4.1' })
  })
})

describe('a config', () => {
  const config = {
    path: 'configs/train.yaml',
    text: 'model_name_or_path: meta-llama/Llama-3.2-1B\nper_device_train_batch_size: 4\nlearning_rate: 1.0e-4\n',
  }
  const repository = repositoryOf({ 'requirements.txt': 'transformers==4.46.3\naccelerate==1.2.1\n' })

  it('is read with the versions that the repository pins', async () => {
    const reading = await readConfigAsync(config, repository)
    if (reading.kind !== 'training-config') throw new Error(reading.kind)
    expect(reading.spec.versions).toEqual({ transformers: '4.46.3', accelerate: '1.2.1' })
    expect(reading.assumptions).toContain('accelerate 1.2.1 (requirements.txt, line 2).')
    expect(reading.otherFiles).toBeUndefined()
  })

  it('has the defaults that its tools have with them', async () => {
    const optimizerWith = async (torch: string) => {
      const reading = await readConfigAsync(config, repositoryOf({ 'requirements.txt': `torch==${torch}` }))
      return reading.kind === 'training-config' && reading.spec.optimizer
    }
    expect(await optimizerWith('2.7.1')).toBe('adamw')
    expect(await optimizerWith('2.8.0')).toBe('adamw-fused')
  })

  it('is explained with them, too', async () => {
    const explanation = await explainConfigAsync(config, repository)
    expect(explanation.kind === 'recognised' && explanation.assumptions).toContain(
      'transformers 4.46.3 (requirements.txt, line 1).',
    )
  })

  it('is read with what the settings say instead, library by library', async () => {
    const versions = [
      { library: 'transformers', version: '4.57.1', place: '.github/memorymark.yml, line 2' },
      { library: 'transformers', version: '5.1', place: '.github/memorymark.yml, line 8' },
    ] as const
    const reading = await readConfigAsync(config, repository, { versions })
    if (reading.kind !== 'training-config') throw new Error(reading.kind)
    expect(reading.spec.versions).toEqual({ transformers: '5.1', accelerate: '1.2.1' })
    expect(reading.assumptions).toContain('transformers 5.1 (.github/memorymark.yml, line 8).')
  })
})

describe('flash-linear-attention', () => {
  const readWith = async (model: string, requirements: string) => {
    const text = `model_name_or_path: ${model}\nstage: sft\ndo_train: true\nfinetuning_type: full\ncutoff_len: 1024\nbf16: true\n`
    const reading = await readConfigAsync(
      { path: 'train.yaml', text },
      repositoryOf({ 'requirements.txt': requirements }),
    )
    if (reading.kind !== 'training-config') throw new Error(reading.kind)
    return reading
  }

  it('is installed where a file names it, and matters to gated delta nets alone', async () => {
    const named = await readWith('Qwen/Qwen3.5-0.8B', 'flash-linear-attention\n')
    expect(named.spec.versions).toEqual({ 'flash-linear-attention': '0.5' })
    expect(named.assumptions).toContain(
      'flash-linear-attention 0.5, the newest that requirements.txt, line 1 allows (any).',
    )
    expect((await readWith('Qwen/Qwen3-0.6B', 'flash-linear-attention\n')).spec.versions).toBeUndefined()
  })

  it('is not taken to be the newest where none does', async () => {
    const unnamed = await readWith('Qwen/Qwen3.5-0.8B', 'transformers==5.18.0\n')
    expect(unnamed.spec.versions).toEqual({ transformers: '5.18.0' })
    expect(unnamed.assumptions.join(' ')).not.toContain('linear-attention')
  })
})
