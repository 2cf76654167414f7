/** What a config leaves to transformers, as the release has it that the repository pins. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import type { LibraryVersions } from '../../../engine/training/versions.ts'

const trainer = (model: string) => `model_name_or_path: ${model}\nper_device_train_batch_size: 1\nblock_size: 1024\n`
const llama = trainer('meta-llama/Llama-2-7b-hf')
const factory =
  'model_name_or_path: meta-llama/Llama-2-7b-hf\nstage: sft\nfinetuning_type: lora\ncutoff_len: 1024\nper_device_train_batch_size: 1\n'

async function read(text: string, versions: LibraryVersions) {
  const supplied = Object.entries(versions).map(([library, version]) => ({
    library: library as keyof LibraryVersions,
    version,
    place: 'settings',
  }))
  const reading = await readConfigAsync({ path: 'train.yaml', text }, {}, { versions: supplied })
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return { ...reading.spec, assumptions: reading.assumptions }
}

describe('attention where nothing is asked for', () => {
  it.each([
    ['before transformers 4.36', { transformers: '4.35.2' }, 'eager'],
    ['with transformers 4.36', { transformers: '4.36.0' }, 'sdpa'],
    ['with a torch that is too old', { transformers: '4.36.0', torch: '2.0.1' }, 'eager'],
    ['with the newest', {}, 'sdpa'],
  ] as const)('is taken as transformers has it %s', async (_, versions, attention) => {
    expect((await read(llama, versions)).attention).toBe(attention)
    expect((await read(factory, versions)).attention).toBe(attention)
    expect((await read(`${factory}flash_attn: auto\n`, versions)).attention).toBe(attention)
  })

  it('is told where an old release decides it', async () => {
    expect((await read(llama, { transformers: '4.30' })).assumptions).toContain(
      'Eager attention, the default of transformers before 4.36: the config asks for no other.',
    )
    expect((await read(llama, {})).assumptions.join()).not.toContain('Eager')
  })

  it('is what the config asks for, whatever the release', async () => {
    const old = { transformers: '4.35.2' }
    expect((await read(`${llama}attn_implementation: flash_attention_2\n`, old)).attention).toBe('flash')
    expect((await read(`${factory}flash_attn: fa2\n`, old)).attention).toBe('flash')
  })

  it('of T5 is eager up to transformers 4.57, that of Falcon never', async () => {
    const t5 = `${trainer('google-t5/t5-small')}max_target_length: 64\n`
    expect((await read(t5, { transformers: '4.57.6' })).attention).toBe('eager')
    expect((await read(t5, { transformers: '5.0.0' })).attention).toBe('sdpa')
    expect((await read(trainer('tiiuae/falcon-7b'), { transformers: '4.35.2' })).attention).toBe('sdpa')
  })
})

describe('the optimizer where none is named', () => {
  it.each([
    [{ transformers: '4.31.0', torch: '2.0.1' }, 'adamw-loop'],
    [{ transformers: '4.32.0', torch: '2.7.1' }, 'adamw'],
    [{ transformers: '4.53.3', torch: '2.8.0' }, 'adamw'],
    [{ transformers: '4.53.3' }, 'adamw'],
    [{ transformers: '4.54.0' }, 'adamw-fused'],
    [{ torch: '2.8.0' }, 'adamw-fused'],
    [{}, 'adamw-fused'],
  ] as const)('with %j is %s', async (versions, optimizer) => {
    expect((await read(llama, versions)).optimizer).toBe(optimizer)
  })
})
