/** Pull requests that are meant to stop the bot. Each must come to one check that ends, and leave the honest ones alone. */
import { type Story, trainingConfig } from './stories.ts'

/** By the path of the pull request's own config. */
type Files = (path: string) => Readonly<Record<string, string>>

const honest = trainingConfig(8)
const folderOf = (path: string) => path.replace(/\.yaml$/, '')
const config =
  (text: string): Files =>
  path => ({ [path]: text })
const withPattern = (pattern: string) => config(`${honest}unfrozen_parameters: ['${pattern}']\n`)
const withSettings =
  (paths: string): Files =>
  path => ({
    [path]: honest,
    '.github/memorymark.yml': `paths: ['${paths}']\n`,
  })
const besideModel =
  (model: object): Files =>
  path => ({
    [`${folderOf(path)}/train.yaml`]: trainingConfig(8, `./${folderOf(path)}`),
    [`${folderOf(path)}/config.json`]: JSON.stringify(model),
  })
const llama = { model_type: 'llama', hidden_size: 4_096, intermediate_size: 11_008, num_attention_heads: 32 }

const attacks: Readonly<Record<string, Files>> = {
  'a list of 400,000 that is named 90 times': config(
    `${honest}a: &a [${'1,'.repeat(400_000)}1]\nb: [${Array(90).fill('*a').join(',')}]\n`,
  ),
  'aliases of aliases': config(
    `${honest}a0: &a0 [1]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join('')}`,
  ),
  '100,000 documents': config(`${honest}${'---\na: 1\n'.repeat(100_000)}`),
  '100,000 colons': config(`${honest}${': '.repeat(100_000)}`),
  '300,000 brackets that close': config(`${honest}${']'.repeat(300_000)}`),
  '100,000 brackets that open': config(`${honest}a: ${'['.repeat(100_000)}`),
  'null bytes': config(`${honest}\0\0\0`),
  'half of a surrogate pair': config(`${honest}title: "\\ud800"\n`),
  'bidi characters': config(`${honest}title: "\u202eevil\u2066"\n`),
  'a batch size of 300 digits': config(honest.replace(' 8\n', ` ${'9'.repeat(300)}\n`)),
  'a sequence of ten million tokens': config(honest.replace('128', '10000000')),
  'a pattern of 24 optional words': withPattern(`${'\\w?'.repeat(24)}Z`),
  'a pattern of nested repetitions': withPattern('((a+)+)+$'),
  'a glob with many stars': withSettings('configs/*a*a*a*a*a*a*b'),
  'a glob with a huge range': withSettings('{1..99999999}'),
  'a glob with nested repetitions': withSettings('+(a|a)b'),
  'ten million layers': besideModel({ ...llama, num_hidden_layers: 10_000_000 }),
  'a thousand layers': besideModel({ ...llama, num_hidden_layers: 1_000 }),
  'a hidden size of 300 digits': besideModel({ ...llama, num_hidden_layers: 2, hidden_size: Number.MAX_VALUE }),
  'a large model file': besideModel({ ...llama, num_hidden_layers: 2, note: 'x'.repeat(2_000_000) }),
  '500 configs': path =>
    Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${folderOf(path)}/${index}.yaml`, honest])),
}

export const hostileStories: Readonly<Record<string, Story>> = Object.fromEntries(
  Object.entries(attacks).map(([name, filesAt]) => [`hostile: ${name}`, opening(filesAt)]),
)

function opening(filesAt: Files): Story {
  return async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ fork: true, files: filesAt(path) })
    yield
    return { pullRequest, isHostile: true }
  }
}
