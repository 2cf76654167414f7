/** The upgrade guard: configs whose libraries a change gives other versions, over a repository in memory. */
import { describe, expect, it } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { GIB } from '../../engine/base/units.ts'
import type { UpgradeTracer } from '../../engine/change/upgrade.ts'
import { statementsIn } from '../../engine/config/pinned/version-files.ts'
import { renderCheck } from '../../engine/render/check.ts'
import { renderComment } from '../../engine/render/comment.ts'
import { renderTerminal } from '../../engine/render/terminal.ts'
import { type Report, report } from '../../engine/report/schema.ts'
import { noSettings } from '../../engine/settings/settings.ts'
import { compareVersions, decisiveReleases, versionedLibraries } from '../../engine/training/versions.ts'
import { qwenClm } from '../qwen-clm.ts'

const now = new Date('2026-11-20T09:00:00Z')

const qwen = `${qwenClm}learning_rate: 1.0e-4\n`
const llama = qwen.replace('Qwen/Qwen2.5-0.5B', 'meta-llama/Llama-2-7b-hf')
const checkpointed = `${llama}gradient_checkpointing: true\n`

/** The report on `configs`, as if the change had brought the version files from `before` to `after`. */
async function upgraded(
  configs: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  settings = {},
): Promise<Report> {
  const files = { ...configs, ...after }
  const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.')
  const touched = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const made = await analyze(
    Object.entries(configs).map(([path, text]) => ({ path, text })),
    {
      now,
      sources: {
        readFile: async path => files[path],
        listFolder: async folder =>
          Object.keys(files)
            .filter(path => folderOf(path) === folder)
            .map(path => path.slice(path.lastIndexOf('/') + 1)),
      },
      formerVersions: new Map(
        await Promise.all(
          touched.map(async path => [path, await statementsIn({ path, text: before[path] ?? '' })] as const),
        ),
      ),
      ...settings,
    },
  )
  return report.parse(JSON.parse(JSON.stringify(made)))
}

function upgradeIn({ configs: [config] }: Report) {
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return { upgrade: config.upgrade, peakBytes: config.current.peakBytes }
}

async function upgradeBetween(before: string, after: string, config = qwen) {
  const made = await upgraded({ 'train.yaml': config }, { 'requirements.txt': before }, { 'requirements.txt': after })
  return upgradeIn(made)
}

describe('the loss of transformers 4.46 to 4.48, which copied the logits', () => {
  /** 4 × 1,024 tokens × 151,936 words in float32, without the last token of each sequence. */
  const copyBytes = 4 * 1_023 * 151_936 * 4
  /** Without the copy, the peak is at another moment, at which 16-bit logits are there as well. */
  const shareOfCopy = 0.5

  it('is what a peak is lower by from 4.48.1 to 5.18', async () => {
    const { upgrade, peakBytes } = await upgradeBetween('transformers==4.48.1\n', 'numpy\ntransformers==5.18.0\n')
    expect(upgrade?.libraries).toEqual([
      { library: 'transformers', before: '4.48.1', after: '5.18.0', at: { path: 'requirements.txt', line: 2 } },
    ])
    expect(upgrade?.after.peakBytes).toBe(peakBytes)
    expect(upgrade?.causes).toMatchObject([
      { library: 'transformers', release: '4.49', why: ['the loss no longer copies the float32 logits'] },
    ])
    const [{ deltaBytes } = { deltaBytes: 0 }] = upgrade?.causes ?? []
    expect(deltaBytes).toBe(peakBytes - (upgrade?.before.peakBytes ?? 0))
    expect(-deltaBytes / copyBytes).toBeCloseTo(shareOfCopy, 2)
  })

  it('is what it is higher by on the way back', async () => {
    const { upgrade } = await upgradeBetween('transformers==5.18.0\n', 'transformers==4.48.1\n')
    expect(upgrade?.causes).toMatchObject([{ release: '4.49', why: ['the loss copies the float32 logits'] }])
    expect((upgrade?.causes[0]?.deltaBytes ?? 0) / copyBytes).toBeCloseTo(shareOfCopy, 2)
  })

  it('is no matter between releases that both have it, or both lack it', async () => {
    for (const [before, after] of [
      ['4.46.0', '4.48.3'],
      ['4.49.0', '4.57.6'],
    ]) {
      const { upgrade } = await upgradeBetween(`transformers==${before}\n`, `transformers==${after}\n`)
      expect(upgrade).toMatchObject({ causes: [], before: { peakBytes: upgrade?.after.peakBytes } })
    }
  })
})

describe('torch 2.14, from which on no scores of grouped heads are held on a T4', () => {
  const t4 = { settings: { ...noSettings, gpu: 't4' } }
  const pin = (pins: string) => ({ 'requirements.txt': `transformers==5.18.0\n${pins}` })
  const between = async (before: string, after: string) =>
    upgradeIn(await upgraded({ 'train.yaml': qwen }, pin(before), pin(after), t4))

  it('is what a peak is lower by where no torch was named before', async () => {
    const { upgrade, peakBytes } = await between('', 'torch==2.14.1\n')
    expect(upgrade?.after.peakBytes).toBe(peakBytes)
    expect(upgrade?.causes).toMatchObject([{ library: 'torch', release: '2.14' }])
  })

  it('leaves the figure of a config whose torch is no longer named as the check has it', async () => {
    const { upgrade, peakBytes } = await between('torch==2.14.1\n', '')
    expect(upgrade?.after.peakBytes).toBe(peakBytes)
    expect(upgrade?.after.peakBytes).toBeGreaterThan(upgrade?.before.peakBytes ?? Number.POSITIVE_INFINITY)
  })

  it('is no matter between none and 2.13', async () => {
    const { upgrade } = await between('', 'torch==2.13.0\n')
    expect(upgrade).toMatchObject({ causes: [], before: { peakBytes: upgrade?.after.peakBytes } })
  })
})

describe('transformers#28024: 4.36.0 and 4.36.1 kept the cache despite checkpointing', () => {
  it('is a warning that names the issue, where checkpointing is on', async () => {
    const { upgrade } = await upgradeBetween('transformers==4.35.2\n', 'transformers==4.36.1\n', checkpointed)
    expect(upgrade?.warnings).toEqual([expect.stringContaining('transformers#28024')])
  })

  it.each([
    ['without checkpointing', '4.36.0', llama],
    ['from 4.36.2 on', '4.36.2', checkpointed],
    ['where any patch of 4.36 may be installed', '4.36', checkpointed],
  ])('is none %s', async (_, version, config) => {
    const { upgrade } = await upgradeBetween('transformers==4.35.2\n', `transformers==${version}\n`, config)
    expect(upgrade?.warnings).toEqual([])
  })

  it('is none for what had it before', async () => {
    const { upgrade } = await upgradeBetween('transformers==4.36.0\n', 'transformers==4.36.1\n', checkpointed)
    expect(upgrade?.warnings).toEqual([])
  })
})

describe('adapters over 4-bit weights', () => {
  const qlora = `model_name_or_path: Qwen/Qwen2.5-0.5B
dataset_text_field: text
torch_dtype: bfloat16
load_in_4bit: true
use_peft: true
lora_r: 256
lora_target_modules: [q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj]
per_device_train_batch_size: 8
max_seq_length: 1024
gradient_checkpointing: false
`

  it.each([
    [
      'bitsandbytes',
      '0.43.1',
      '0.45.5',
      '0.43.2',
      'quantised layers no longer keep their inputs for the backward pass',
    ],
    ['trl', '0.25.1', '0.26.2', '0.26', 'TRL casts adapters over quantised weights to bfloat16'],
  ])('take less with %s after %s', async (library, before, after, release, why) => {
    const { upgrade } = await upgradeBetween(`${library}==${before}\n`, `${library}==${after}\n`, qlora)
    expect(upgrade?.causes).toMatchObject([{ library, release, why: [why] }])
    expect(upgrade?.causes[0]?.deltaBytes).toBeLessThan(0)
  })

  it('alone hang on bitsandbytes', async () => {
    const { upgrade } = await upgradeBetween('bitsandbytes==0.43.1\n', 'bitsandbytes==0.45.5\n')
    expect(upgrade).toBeUndefined()
  })
})

it('names the default that a release changed: attention with 4.36, the optimizer with PyTorch 2.8', async () => {
  const { upgrade } = await upgradeBetween('transformers==4.35.2\n', 'transformers==4.45.0\n', llama)
  expect(upgrade?.causes.map(({ release, why }) => [release, why])).toEqual([
    ['4.36', ['the default of attention is sdpa instead of eager']],
  ])
  const torch = await upgradeBetween(
    'torch==2.7.1\ntransformers==4.57.1\n',
    'torch==2.8.0\ntransformers==4.57.1\n',
    llama,
  )
  expect(torch.upgrade?.causes.map(({ release, why }) => [release, why])).toEqual([
    ['2.8', ['the default of optimizer is adamw-fused instead of adamw']],
  ])
})

it('is about the versions alone: a config that the change edits as well is estimated as it is now with both', async () => {
  const { upgrade, peakBytes } = await upgradeBetween('transformers==4.57.1\n', 'transformers==4.57.6\n')
  expect(upgrade?.before.peakBytes).toBe(peakBytes)
})

describe('with an environment that has the versions before', () => {
  const software = (version: string) => `torch 2.13.0, transformers ${version}`
  const tracer =
    (beforeBytes: number): UpgradeTracer =>
    async (_, before, after) => ({
      before: { peakBytes: beforeBytes, software: software(`${before.spec.versions?.transformers}`) },
      after: { peakBytes: 8 * GIB, software: software(`${after.spec.versions?.transformers}`) },
    })
  const between = (upgradeTracer: UpgradeTracer) =>
    upgraded(
      { 'train.yaml': qwen },
      { 'requirements.txt': 'transformers==4.57.1\n' },
      { 'requirements.txt': 'transformers==5.18.0\n' },
      { upgradeTracer },
    )

  it('a peak that only the trace sees move is told', async () => {
    const made = await between(tracer(10 * GIB))
    expect(upgradeIn(made).upgrade?.traced).toMatchObject({
      before: { peakBytes: 10 * GIB },
      after: { peakBytes: 8 * GIB },
    })
    expect(renderComment(made)).toContain(
      'Traced: **10.0 → 8.00 GiB** (torch 2.13.0, transformers 4.57.1 → torch 2.13.0, transformers 5.18.0)',
    )
  })

  it('one that stays is said to be traced', async () => {
    const comment = renderComment(await between(tracer(8 * GIB)))
    expect(comment).toContain('unchanged by transformers 4.57.1 → 5.18.0 (estimated and traced with both)')
  })

  it('what could not be traced is estimated', async () => {
    const made = await between(async () => undefined)
    expect(upgradeIn(made).upgrade).not.toHaveProperty('traced')
    expect(renderComment(made)).toContain('(estimated with both)')
  })
})

describe('version files that come and go', () => {
  it('count where a lock file replaces the requirements', async () => {
    const lock = '[[package]]\nname = "transformers"\nversion = "5.18.0"\n'
    const made = await upgraded(
      { 'a/train.yaml': qwen },
      { 'requirements.txt': 'transformers==4.48.1\n' },
      { 'uv.lock': lock },
    )
    expect(upgradeIn(made).upgrade?.libraries).toMatchObject([
      { before: '4.48.1', after: '5.18.0', at: { path: 'uv.lock', line: 3 } },
    ])
  })

  it('leave the newest where nothing is pinned any more', async () => {
    const made = await upgraded({ 'train.yaml': qwen }, { 'requirements.txt': 'transformers==4.48.1\n' }, {})
    const { upgrade } = upgradeIn(made)
    expect(upgrade?.libraries).toEqual([{ library: 'transformers', before: '4.48.1' }])
    expect(upgrade?.causes).toMatchObject([{ release: '4.49' }])
    expect(renderComment(made)).toContain('transformers 4.48.1 → newest')
  })

  it('say nothing of a config whose nearer file pins its own', async () => {
    const own = { 'a/train.yaml': qwen }
    const nearer = { 'a/requirements.txt': 'transformers==4.57.1\n' }
    const made = await upgraded(
      own,
      { 'requirements.txt': 'transformers==4.48.1\n', ...nearer },
      { 'requirements.txt': 'transformers==5.18.0\n', ...nearer },
    )
    expect(upgradeIn(made).upgrade).toBeUndefined()
  })
})

describe('what people read', () => {
  const configs = {
    'train.yaml': qwen,
    'mnli.yaml': qwen.replace('clm', 'mnli').replace('block_size', 'max_seq_length'),
  }
  const made = upgraded(
    configs,
    { 'requirements.txt': 'transformers==4.48.1\n' },
    { 'requirements.txt': 'transformers==4.57.1\n' },
  )

  it('is a line for each config that moves and one for all that stay, in comment, check and terminal', async () => {
    const [moved] = (await made).configs
    if (moved?.status !== 'analysed' || moved.upgrade === undefined) throw new Error('not upgraded')
    const { before, after } = moved.upgrade
    const gib = (bytes: number) => (bytes / GIB).toFixed(1)
    const peaks = `${gib(before.peakBytes)} → ${gib(after.peakBytes)} GiB`
    const still = 'Peak of one config unchanged by transformers 4.48.1 → 4.57.1'
    for (const text of [renderComment(await made), renderCheck(await made).summary]) {
      expect(text).toContain(`**${peaks} (−`)
      expect(text).toContain('from transformers 4.49 on, the loss no longer copies the float32 logits (−1.16 GiB)')
      expect(text).toContain(still)
    }
    const comment = renderComment(await made) ?? ''
    expect(comment.indexOf(peaks)).toBeLessThan(comment.indexOf('<details>'))
    expect(comment.indexOf(still)).toBeGreaterThan(comment.indexOf('<details>'))
    const terminal = renderTerminal(await made, { color: false, columns: 200, judges: true })
    expect(terminal).toContain(`Estimated ${peaks}`)
  })

  it('says whether it fits where that changes', async () => {
    const pin = (version: string) => ({ 'requirements.txt': `transformers==${version}\n` })
    const long = { 'train.yaml': qwen.replace('block_size: 1024', 'block_size: 3072').replace('size: 4', 'size: 1') }
    expect(renderComment(await upgraded(long, pin('4.45.0'), pin('4.35.2')))).toContain('It no longer fits.')
    expect(renderComment(await upgraded(long, pin('4.35.2'), pin('4.45.0')))).toContain('It now fits.')
  })

  it('names a file once, with the lines of all libraries in it', async () => {
    const made = await upgraded(
      { 'train.yaml': qwen },
      { 'requirements.txt': 'transformers==4.48.1\ntorch==2.7.0\n' },
      { 'requirements.txt': 'transformers==5.18.0\ntorch==2.13.0\n' },
    )
    expect(renderComment(made)).toContain('(`requirements.txt`, lines 1, 2): ')
  })

  it('says what TRL’s default loss is from 1.7 on, in words', async () => {
    const sft = { 'sft.yaml': `${qwen.replace('task_name: clm\nblock_size', 'packing: true\nmax_length')}` }
    const pin = (version: string) => ({ 'requirements.txt': `trl==${version}\n` })
    const comment = renderComment(await upgraded(sft, pin('1.6.0'), pin('1.7.0')))
    expect(comment).toMatch(/from trl 1\.7 on, TRL’s loss takes the output layer in chunks of tokens/)
    expect(comment).not.toContain('checkpointed loss')
    expect(renderComment(await upgraded(sft, pin('1.7.0'), pin('1.6.0')))).toContain('holds the logits of all tokens')
  })

  it('has a config first that a fault of the new release concerns', async () => {
    const made = await upgraded(
      { 'a.yaml': llama.replace('Llama-2-7b-hf', 'Llama-3.1-8B'), 'b.yaml': checkpointed },
      { 'requirements.txt': 'transformers==4.35.2\n' },
      { 'requirements.txt': 'transformers==4.36.1\n' },
    )
    const comment = (renderComment(made) ?? '').split('Other versions of libraries')[1] ?? ''
    expect(comment).toContain('`a.yaml`')
    expect(comment.indexOf('`b.yaml`')).toBeLessThan(comment.indexOf('`a.yaml`'))
  })

  it('tells of a release that loads weights in full before they are quantised', async () => {
    const qlora = `${checkpointed}load_in_4bit: true\nuse_peft: true\n`
    const told = async (version: string) =>
      (await upgradeBetween('transformers==4.57.1\n', `transformers==${version}\n`, qlora)).upgrade?.warnings
    expect(await told('5.3')).toEqual([expect.stringContaining('transformers#43032')])
    expect(await told('5.4.0')).toEqual([])
  })

  it('has nothing of the repository’s text in it as Markdown', async () => {
    const path = 'requirements-`x`<b>.txt'
    const hostile = await upgraded(
      { 'train.yaml': qwen },
      { [path]: 'transformers==4.48.1\n' },
      { [path]: 'transformers==5.18.0\n' },
    )
    expect(renderComment(hostile)).not.toContain('<b>')
  })
})

it('counts what a library frees that a change adds', async () => {
  const config = qwen.replace('Qwen/Qwen2.5-0.5B', 'Qwen/Qwen3.5-0.8B')
  const { upgrade } = await upgradeBetween('torch==2.13.0\n', 'torch==2.13.0\nflash-linear-attention==0.5.2\n', config)
  expect(upgrade?.libraries).toEqual([expect.objectContaining({ library: 'flash-linear-attention', after: '0.5.2' })])
  expect(upgrade?.causes[0]).toMatchObject({
    library: 'flash-linear-attention',
    why: ['linear attention runs in flash-linear-attention’s kernels'],
  })
  expect(upgrade?.causes[0]?.deltaBytes).toBeLessThan(-GIB)
})

it('knows the decisive releases in their order', () => {
  for (const library of versionedLibraries) {
    const releases: readonly string[] = decisiveReleases[library]
    const order = releases.toSorted(compareVersions)
    expect(releases).toEqual(order)
  }
})
