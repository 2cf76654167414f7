/** Which releases a requirement allows, as pip, Poetry, Pipenv and conda write it. */
import { describe, expect, it } from 'vitest'
import { parseRequirement } from '../../../engine/config/pinned/requirement.ts'

const newestOf = (text: string) => {
  const requirement = parseRequirement(text)
  return requirement && [requirement.library, requirement.kind, requirement.version]
}

describe('an exact version', () => {
  it.each([
    ['transformers==4.46.3', '4.46.3'],
    ['transformers[torch,deepspeed] == 4.46.3 ; python_version >= "3.9"', '4.46.3'],
    ['transformers===4.46.3', '4.46.3'],
    ['Transformers==4.46.3 --hash=sha256:0123', '4.46.3'],
    ['transformers==4.46.3 # as in the paper', '4.46.3'],
    ['transformers (==4.46.3)', '4.46.3'],
    ['transformers==4.46.*', '4.46'],
    ['transformers~=4.46.1', '4.46'],
    ['transformers>=4.40,==4.46.3', '4.46.3'],
    ['transformers @ git+https://github.com/huggingface/transformers@v4.46.3', '4.46.3'],
    ['transformers @ https://example.org/transformers-4.46.3-py3-none-any.whl', '4.46.3'],
  ])('%s', (text, version) => {
    expect(newestOf(text)).toEqual(['transformers', 'exact', version])
  })

  it('drops what a build adds to the version', () => {
    expect(newestOf('torch==2.4.1+cu121')).toEqual(['torch', 'exact', '2.4.1'])
    expect(newestOf('pytorch=2.4.1=py3.10_cuda12.1')).toEqual(['torch', 'exact', '2.4.1'])
  })
})

describe('a range gives the newest release that it allows', () => {
  it.each([
    ['transformers>=4.40,<4.47', '4.46'],
    ['transformers<4.46.3,>=4.40', '4.46.2'],
    ['transformers<5', '4.57'],
    ['transformers~=4.46', '4.57'],
    ['transformers^4.46', '4.57'],
    ['transformers<=4.46.3', '4.46.3'],
    ['transformers<4.50,<4.48', '4.47'],
  ])('%s', (text, version) => {
    expect(newestOf(text)).toEqual(['transformers', 'range', version])
  })

  it.each([
    'transformers',
    'transformers>=4.40',
    'transformers>4',
    'transformers!=4.41.0',
    'transformers @ git+https://github.com/huggingface/transformers',
  ])('which is the newest of all for %s', text => {
    expect(newestOf(text)).toEqual(['transformers', 'range', undefined])
  })
})

it('is none where a line is about something else', () => {
  const others = [
    'transformers-stream-generator==0.0.4',
    'numpy==2.1',
    '-r base.txt',
    '# transformers==4.46.3',
    '',
    '==4.46.3',
  ]
  expect(others.map(parseRequirement)).toEqual(others.map(() => undefined))
})

describe('a library that need not be installed', () => {
  it.each([
    ['flash-linear-attention', '0.5'],
    ['flash_linear_attention>=0.2.2', '0.5'],
    ['fla-core<0.4', '0.3'],
    ['flash-linear-attention @ git+https://github.com/fla-org/flash-linear-attention', '0.5'],
  ])('has a version wherever it is named: %s', (text, version) => {
    expect(newestOf(text)).toEqual(['flash-linear-attention', 'range', version])
  })
})
