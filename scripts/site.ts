/** The files of the site, in memory: the playground with its script, styles, worker and what keeps them offline, and the manual. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import type { CatalogueRow } from '../engine/models/catalogue.ts'
import { isThereAtOnce } from '../playground/model-types.ts'
import { playgroundPage } from '../playground/page.ts'
import { icon } from '../server/dashboard/icon.ts'
import { type BuiltFile, noJsonSchemas, noYamlWriting, noZodLocales, root, versionOnly } from './bundles.ts'
import { licensesOf } from './licenses.ts'
import { manual } from './manual.ts'

/** Relative to the site. */
const ASSETS = 'assets'

/** Most families of models are in a file of their own, which is loaded when a model is of one of them. */
const familiesWhenAsked: Plugin = {
  name: 'families-when-asked',
  setup({ onResolve }) {
    onResolve({ filter: /\/model-types\.ts$/ }, () => ({ path: path.join(root, 'playground/model-types.ts') }))
  },
}

/** And so is how PyTorch runs the ops that only they are made of. */
const rowsWhenAsked: Plugin = {
  name: 'rows-when-asked',
  setup({ onResolve }) {
    onResolve({ filter: /\/registry\.ts$/ }, ({ importer }) =>
      /[\\/](?:lowering|detection-loss)\.ts$/.test(importer)
        ? { path: path.join(root, 'playground/op-rows.ts') }
        : undefined,
    )
  },
}

/** And the losses that only they take. */
const lossesWhenAsked: Plugin = {
  name: 'losses-when-asked',
  setup({ onResolve }) {
    onResolve({ filter: /\/(?:ctc|detection|sentence)-loss\.ts$/ }, ({ importer }) =>
      importer.endsWith('objectives.ts') ? { path: path.join(root, 'playground/family-losses.ts') } : undefined,
    )
  },
}

/** What reads the configs of rarer tools is in a file of its own, which is loaded when a config is of one of them. */
const readersWhenAsked: Plugin = {
  name: 'readers-when-asked',
  setup({ onResolve }) {
    onResolve({ filter: /\/(?:ms-swift|nemo-rl|verl)\/read\.ts$/ }, ({ importer }) =>
      importer.endsWith('late-readers.ts') ? undefined : { path: path.join(root, 'playground/tool-readers.ts') },
    )
  },
}

/**
 * Rows of the same keys name them once, and rows of families that are not there at once have their config in the families' file.
 * Where a row's facts are from is for who changes them.
 */
const shortFacts: Plugin = {
  name: 'short-facts',
  setup({ onResolve, onLoad }) {
    const file = path.join(root, 'engine/models/catalogue.json')
    onResolve({ filter: /\/catalogue\.json$/ }, ({ importer }) => ({
      path: file,
      namespace: importer.endsWith('late-models.ts') ? 'other-facts' : 'first-facts',
    }))
    onLoad({ filter: /./, namespace: 'other-facts' }, async () => {
      const rows = (await catalogue(file)).filter(isOther)
      return { contents: `export default ${unfolded(rows.map(({ config }) => ({ ids: [], config })))}`, loader: 'js' }
    })
    onLoad({ filter: /./, namespace: 'first-facts' }, async () => {
      const rows = await catalogue(file)
      const atOnce = rows.map(row => (isOther(row) ? { ids: row.ids, config: {} } : row))
      const contents = `
        import { otherConfig } from './playground/model-types.ts'
        let others = 0
        const later = (ids, place) => ({ ids, get config() { return otherConfig(place) } })
        const rows = ${unfolded(atOnce)}
        export default rows.map(row => (row.config.model_type ? row : later(row.ids, others++)))`
      return { contents, loader: 'js', resolveDir: root }
    })
  },
}

/** What no page shows: where the figures of a GPU are from is for who changes them. */
const cardsWithoutSources: Plugin = {
  name: 'cards-without-sources',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]engine[\\/]gpus[\\/]cards[\\/]\w[\w-]*\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8')
      const source = /\b(totalSource|productSource|specSource):\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g
      if (!source.test(text)) throw new Error(`${file} says no source as it is looked for`)
      return { contents: text.replaceAll(source, "$1: ''"), loader: 'ts' }
    })
  },
}

/** Where the worker starts. */
const WORKER = 'playground/client/worker.ts'

/**
 * What is loaded when asked for shares modules with the worker, each file another set of them, and esbuild writes each set to a file of
 * its own, compressed by itself: thirty for the first answer. Where each of them imports the worker, which runs already, all that the
 * worker needs is one set.
 */
const oneFileForTheWorker: Plugin = {
  name: 'one-file-for-the-worker',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^\./ }, async ({ path: name, kind, importer, resolveDir }) => {
      const sharesMuch = importer.startsWith(path.join(root, 'engine')) || name.endsWith('/late-readers.ts')
      if (kind !== 'dynamic-import' || !sharesMuch) return
      const { path: file } = await resolve(name, { kind: 'import-statement', importer, resolveDir })
      return { path: file, namespace: 'when-asked' }
    })
    onLoad({ filter: /./, namespace: 'when-asked' }, ({ path: file }) => ({
      contents: `export * from ${JSON.stringify(`./${WORKER}`)}\nexport * from ${JSON.stringify(file)}`,
      resolveDir: root,
    }))
  },
}

async function catalogue(file: string): Promise<readonly CatalogueRow[]> {
  return JSON.parse(await readFile(file, 'utf8'))
}

function isOther({ config }: CatalogueRow): boolean {
  return !isThereAtOnce(config.model_type)
}

/** Rows as an expression that names keys once. */
function unfolded(rows: readonly { readonly ids: readonly string[]; readonly config: object }[]): string {
  const keys = [...new Set(rows.map(({ config }) => Object.keys(config).join()))]
  const facts = rows.map(({ ids, config }) => [keys.indexOf(Object.keys(config).join()), ids, ...Object.values(config)])
  return `(keys => ${JSON.stringify(facts)}.map(([of, ids, ...facts]) => ({
    ids,
    config: Object.fromEntries(keys[of].map((key, index) => [key, facts[index]])),
  })))(${JSON.stringify(keys)}.map(each => each.split(',')))`
}

const common = {
  absWorkingDir: root,
  bundle: true,
  charset: 'utf8',
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
  minify: true,
  platform: 'browser',
  plugins: [noZodLocales, noJsonSchemas, noYamlWriting, versionOnly] as Plugin[],
  target: 'es2022',
  write: false,
} as const satisfies BuildOptions

/** `sources`: where the repository's files are shown, for links of the manual. */
export async function buildSite({ sources }: { readonly sources?: string } = {}): Promise<BuiltFile[]> {
  const { outputFiles, metafile } = await build({
    ...common,
    alias: { 'node:path': './playground/posix.ts' },
    plugins: [
      ...common.plugins,
      familiesWhenAsked,
      rowsWhenAsked,
      lossesWhenAsked,
      readersWhenAsked,
      shortFacts,
      cardsWithoutSources,
      oneFileForTheWorker,
    ],
    entryPoints: {
      playground: 'playground/client/playground.ts',
      starter: 'playground/client/first-worker.ts',
      worker: WORKER,
    },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    metafile: true,
    outdir: ASSETS,
    splitting: true,
  })
  const assets = outputFiles.map(({ path: file, contents }) => ({ name: path.relative(root, file), contents }))
  const entries = entriesOf(metafile)
  const page = await playgroundPage({
    ...entries,
    icon: 'icon.svg',
    serviceWorker: 'service-worker.js',
    licenses: 'LICENSES.txt',
    manual: 'manual/index.html',
  })
  const kept = [file('icon.svg', icon), ...assets]
  const index = file('index.html', page)
  return [
    index,
    ...kept,
    await serviceWorker(['./', ...kept.map(({ name }) => name)], versionOf([index, ...kept])),
    file('LICENSES.txt', (await licensesOf(metafile, root)) ?? ''),
    ...(await manual({ styles: entries.styles, icon: 'icon.svg', ...(sources !== undefined && { sources }) })),
  ]
}

function entriesOf({ outputs }: Metafile) {
  const named = (entry: string) => {
    const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)
    if (found === undefined) throw new Error(`the site was built without ${entry}`)
    return { name: found[0], output: found[1] }
  }
  const script = named('playground/client/playground.ts')
  const starter = named('playground/client/first-worker.ts')
  const worker = named('playground/client/worker.ts')
  const { cssBundle } = script.output
  if (cssBundle === undefined) throw new Error('the site was built without styles')
  const imports = [starter, script, worker].flatMap(({ output }) => output.imports)
  const preloaded = [...new Set(imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path))]
  return { script: script.name, styles: cssBundle, starter: starter.name, worker: worker.name, preloaded }
}

/** Changes with any of the files. */
function versionOf(files: readonly BuiltFile[]): string {
  const hash = createHash('sha256')
  for (const { name, contents } of files) hash.update(`${name}\0${contents.byteLength}\0`).update(contents)
  return hash.digest('hex').slice(0, 16)
}

async function serviceWorker(files: readonly string[], version: string): Promise<BuiltFile> {
  const { outputFiles } = await build({
    ...common,
    define: { FILES: JSON.stringify(files), VERSION: JSON.stringify(version) },
    entryPoints: ['playground/client/service-worker.ts'],
    outdir: '.',
  })
  const [script] = outputFiles
  if (script === undefined) throw new Error('the site was built without its service worker')
  return { name: 'service-worker.js', contents: script.contents }
}

function file(name: string, text: string): BuiltFile {
  return { name, contents: new TextEncoder().encode(text) }
}
