/** What is said to PyTorch's caching allocator: by a config's environment variables, by the tool, by a team's settings. */
import { expect, test } from 'vitest'
import type { SuppliedFields } from '../../../engine/config/fields/supplied.ts'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { readSettings } from '../../../engine/settings/read.ts'
import { settingsFor } from '../../../engine/settings/settings.ts'

const trainer = 'model_name_or_path: gpt2\nper_device_train_batch_size: 4\nlearning_rate: 1.0e-4\n'
const axolotl = 'base_model: gpt2\nmicro_batch_size: 2\nsequence_len: 512\noptimizer: adamw_torch\n'

async function isOn(text: string, supplied: SuppliedFields = {}): Promise<true | undefined> {
  const reading = await readConfigAsync({ path: 'a.yaml', text }, {}, supplied)
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading.spec.expandableSegments
}

function suppliedBy(settings: string): SuppliedFields {
  const reading = readSettings({ path: '.github/memorymark.yml', text: settings })
  if (reading.kind !== 'settings') throw new Error(JSON.stringify(reading))
  return settingsFor('a.yaml', reading.settings).supplied
}

test.each([
  ['nothing', trainer, undefined],
  ['a launcher’s variable', `${trainer}env:\n  PYTORCH_CUDA_ALLOC_CONF: expandable_segments:True\n`, true],
  [
    'its newer name',
    `${trainer}launcher: {env: {PYTORCH_ALLOC_CONF: "max_split_size_mb:128,expandable_segments:true"}}\n`,
    true,
  ],
  ['one that turns it off', `${trainer}env: {PYTORCH_ALLOC_CONF: "expandable_segments:False"}\n`, undefined],
  ['one about something else', `${trainer}env: {PYTORCH_ALLOC_CONF: "max_split_size_mb:128"}\n`, undefined],
  ['Axolotl, which sets it itself', axolotl, true],
  [
    'Axolotl, whose variable says something else',
    `${axolotl}env: {PYTORCH_ALLOC_CONF: "max_split_size_mb:64"}\n`,
    undefined,
  ],
])('%s', async (_, text, on) => {
  expect(await isOn(text)).toBe(on)
})

test('the settings win, for all configs or for some', async () => {
  expect(await isOn(trainer, suppliedBy('expandable_segments: true\n'))).toBe(true)
  expect(await isOn(axolotl, suppliedBy('expandable_segments: false\n'))).toBeUndefined()
  const some = 'expandable_segments: true\noverrides:\n  - path: a.*\n    expandable_segments: false\n'
  expect(await isOn(trainer, suppliedBy(some))).toBeUndefined()
})

test('what the settings say is told to the reader of the result', async () => {
  const supplied = suppliedBy('expandable_segments: true\n')
  const reading = await readConfigAsync({ path: 'a.yaml', text: trainer }, {}, supplied)
  expect(reading.kind === 'training-config' && reading.assumptions).toContain(
    'The setting expandable_segments of PyTorch’s allocator is true, as set in .github/memorymark.yml.',
  )
})

test('Axolotl leaves a PyTorch alone that has no such segments', async () => {
  expect(await isOn(axolotl, { versions: [{ library: 'torch', version: '2.1.2', place: 'x' }] })).toBeUndefined()
})
