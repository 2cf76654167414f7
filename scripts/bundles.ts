/**
 * The bundles of dist/, and how each is made. GitHub runs the Action from the repository as it is, so the Action's files are
 * committed, and the process that runs TensorFlow.js with them; `npm ci` builds the rest.
 */
import { access, readFile } from 'node:fs/promises'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import * as z from 'zod'
import { licensesOf } from './licenses.ts'
import { withStableNames } from './stable-names.ts'

export const root = path.join(import.meta.dirname, '..')

export interface Bundle {
  /** Source file to start from, relative to the repository. */
  readonly entry: string
  readonly outfile: string
  /** Source files that other processes start with, by the names of their scripts beside `outfile`. They share its chunks. */
  readonly processes?: Readonly<Record<string, string>>
  /** What it reads by name when it needs it. */
  readonly beside?: readonly Bundle[]
  readonly options: BuildOptions
}

export interface BuiltFile {
  /** Relative to the repository. */
  readonly name: string
  readonly contents: Uint8Array
}

/** Zod's messages in 40 languages make a third of the bundle; it keeps English on its own. */
export const noZodLocales: Plugin = {
  name: 'no-zod-locales',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export {}', loader: 'js' }))
  },
}

/** Every schema of Zod's can describe itself as JSON Schema, which makes a fifth of it and which no page asks for. */
export const noJsonSchemas: Plugin = {
  name: 'no-json-schemas',
  setup({ onLoad }) {
    const none = 'exports.createToJSONSchemaMethod = exports.createStandardJSONSchemaMethod = () => () => undefined'
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/ }, () => ({
      contents: none,
      loader: 'js',
    }))
  },
}

/** YAML is read here, never written; the package's documents and values can all write themselves. */
export const noYamlWriting: Plugin = {
  name: 'no-yaml-writing',
  setup({ onLoad }) {
    const asked = ['Collection', 'Document', 'Number', 'Pair', 'String'].map(of => `stringify${of}`)
    const none = [...asked, 'createStringifyContext'].map(name => `${name} = () => { throw new Error('not bundled') }`)
    onLoad({ filter: /[\\/]yaml[\\/]browser[\\/]dist[\\/]stringify[\\/]/ }, () => ({
      contents: `export const ${none.join(', ')}`,
      loader: 'js',
    }))
  },
}

/** @actions/core brings an HTTP client for the OIDC tokens that the Action never asks for. */
const noOidcClient: Plugin = {
  name: 'no-oidc-client',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/oidc-utils\.js$/ }, ({ path: file, resolveDir }) => ({
      path: path.join(resolveDir, file),
      sideEffects: false,
    }))
  },
}

/** GitHub's client knows every endpoint by a method of its own, which weighs more than the client; the Action asks by route. */
const noEndpointMethods: Plugin = {
  name: 'no-endpoint-methods',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@octokit[\\/]plugin-rest-endpoint-methods[\\/]/ }, () => ({
      contents: 'export const restEndpointMethods = () => ({})',
      loader: 'js',
    }))
  },
}

/**
 * Of undici, GitHub's client takes `fetch` and the proxies of self-hosted runners. Node's own `fetch` is undici's too, so that only
 * a runner behind a proxy needs the package: it stands in a file of its own, less its WebSockets, caches, mocks and interceptors,
 * and is read at the first request. The assignment is index.js's own: a proxy is asked to connect by it.
 */
const undiciForProxies: Plugin = {
  name: 'undici-for-proxies',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici(-proxy)?$/ }, args => ({ path: args.path, namespace: 'for-proxies' }))
    onLoad({ filter: /^undici$/, namespace: 'for-proxies' }, () => ({
      resolveDir: root,
      contents: `
        export class ProxyAgent {
          constructor(options) {
            this.open = async () => {
              const { ProxyAgent } = await import('undici-proxy')
              return (this.opened ??= new ProxyAgent(options))
            }
          }
        }
        export async function fetch(resource, { dispatcher, ...options }) {
          if (dispatcher === undefined) return globalThis.fetch(resource, options)
          const [{ fetch }, agent] = await Promise.all([import('undici-proxy'), dispatcher.open()])
          return fetch(resource, { ...options, dispatcher: agent })
        }`,
    }))
    onLoad({ filter: /^undici-proxy$/, namespace: 'for-proxies' }, () => ({
      resolveDir: root,
      contents: `
        import api from 'undici/lib/api/index.js'
        import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
        export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js'
        export { fetch } from 'undici/lib/web/fetch/index.js'
        Object.assign(Dispatcher.prototype, api)`,
    }))
  },
}

/** Where no package is installed beside a bundle, RE2 stands in a file of its own, and is read from there when it is asked for. */
const re2Beside: Plugin = {
  name: 're2-beside',
  setup({ onLoad, onEnd }) {
    let isFound = false
    onLoad({ filter: /[\\/]engine[\\/]base[\\/]re2\.ts$/ }, async ({ path: file }) => {
      isFound = true
      return {
        contents: (await readFile(file, 'utf8')).replace("load('re2js')", "load('./action-re2.cjs')"),
        loader: 'ts',
      }
    })
    onEnd(() => (isFound ? undefined : { errors: [{ text: 'no file of the bundle is the one that loads RE2' }] }))
  },
}

/** The bundles need the version from package.json; the rest of it would make dist/ stale with every script and dependency. */
export const versionOnly: Plugin = {
  name: 'version-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]package\.json$/ }, async ({ path: file }) => {
      if (path.dirname(file) !== root) return undefined
      const { version } = packageFile.parse(JSON.parse(await readFile(file, 'utf8')))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}
const packageFile = z.object({ version: z.string() })

/** Bundled CommonJS packages need a `require`. */
const requireBanner = {
  js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
}

/** As modules, of which a bundle keeps what it uses; the package's entry for Node is CommonJS. */
const yamlAsModules = { yaml: path.join(root, 'node_modules/yaml/browser/index.js') }

/** The catalogue of models is a tenth of what a check reads, and the same few keys over and over. */
const compressedCatalogue: Plugin = {
  name: 'compressed-catalogue',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]engine[\\/]models[\\/]catalogue\.json$/ }, async ({ path: file }) => {
      const rows = JSON.stringify(JSON.parse(await readFile(file, 'utf8')))
      return {
        contents: `
          import { brotliDecompressSync } from 'node:zlib'
          export default JSON.parse(brotliDecompressSync(Buffer.from('${brotliCompressSync(rows).toString('base64')}', 'base64')))`,
        loader: 'js',
      }
    })
  },
}

/** RE2 for the Action. */
const re2Bundle: Bundle = {
  entry: 'node_modules/re2js/build/index.js',
  outfile: 'dist/action-re2.cjs',
  options: { target: 'node24', format: 'cjs', minify: true, legalComments: 'linked', outExtension: { '.js': '.cjs' } },
}

/**
 * The runner executes it without an install, so everything is inside. What only some modes need stands in files of its own beside
 * it, which are read when they are asked for.
 */
export const actionBundle: Bundle = {
  entry: 'action/main.ts',
  outfile: 'dist/action.js',
  processes: { 'action-analysis': 'engine/isolated/serve.ts' },
  beside: [re2Bundle],
  options: {
    target: 'node24',
    minify: true,
    legalComments: 'linked',
    plugins: [
      noZodLocales,
      noJsonSchemas,
      noYamlWriting,
      noOidcClient,
      noEndpointMethods,
      undiciForProxies,
      re2Beside,
      compressedCatalogue,
    ],
    banner: requireBanner,
    alias: yamlAsModules,
    splitting: true,
    chunkNames: 'action-[name]-[hash]',
  },
}

/** Installed by npm, with its dependencies beside it. The entries bring their `#!` line along. */
const installed: BuildOptions = { target: 'node22.12', packages: 'external' }

/**
 * The process that runs TensorFlow.js, with all of it inside, so that neither the Action nor the command line carries or loads it.
 * Only a native package, where a project has installed one, stays outside.
 */
export const tfjsBundle: Bundle = {
  entry: 'engine/probes/tfjs/serve.ts',
  outfile: 'dist/tfjs.js',
  options: {
    target: 'node22.12',
    minify: true,
    legalComments: 'linked',
    // Its `main` files are CommonJS in one piece; only the modules can be shaken.
    mainFields: ['module', 'main'],
    plugins: [noZodLocales],
    banner: requireBanner,
  },
}

/** What the browser gets of the pages, with its styles beside it. */
export const dashboardBundle: Bundle = {
  entry: 'server/dashboard/client/dashboard.ts',
  outfile: 'dist/dashboard/dashboard.js',
  options: { platform: 'browser', target: 'es2022', minify: true, legalComments: 'eof' },
}

/**
 * The command line, which starts sooner with its packages inside than one by one. What only `serve` needs is read when it is asked
 * for.
 */
export const cliBundle: Bundle = {
  entry: 'cli/main.ts',
  outfile: 'dist/cli.js',
  options: {
    target: 'node22.12',
    legalComments: 'linked',
    plugins: [noZodLocales],
    alias: yamlAsModules,
    banner: requireBanner,
    splitting: true,
    chunkNames: 'cli-[name]-[hash]',
  },
}

/**
 * The process with limits that computes for the command line, the bot and the server. It is started anew after each analysis that
 * went past a limit, and reads less with its packages inside than one by one.
 */
export const analysisBundle: Bundle = {
  entry: 'server/analysis-process.ts',
  outfile: 'dist/analysis.js',
  options: {
    target: 'node22.12',
    legalComments: 'linked',
    plugins: [noZodLocales, noJsonSchemas],
    alias: yamlAsModules,
    banner: requireBanner,
    splitting: true,
    chunkNames: 'analysis-[name]-[hash]',
  },
}

/** The thread in which the bot's embedded database runs. */
export const databaseThreadBundle: Bundle = {
  entry: 'bot/store/embedded-thread.ts',
  outfile: 'dist/bot-database.js',
  options: installed,
}

export const botBundle: Bundle = {
  entry: 'bot/server.ts',
  outfile: 'dist/bot.js',
  options: { ...installed, splitting: true, chunkNames: 'bot-[name]-[hash]' },
}

export const bundles: readonly Bundle[] = [
  actionBundle,
  tfjsBundle,
  cliBundle,
  analysisBundle,
  botBundle,
  databaseThreadBundle,
  dashboardBundle,
]

/** The bundle in memory, with the files that go beside it. */
export async function buildBundle({ entry, outfile, processes, beside = [], options }: Bundle): Promise<BuiltFile[]> {
  await access(path.join(root, entry)).catch(cause => {
    throw new Error(`${entry} is missing, so ${outfile} cannot be built.`, { cause })
  })
  const { outputFiles, metafile } = await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    charset: 'utf8',
    logLevel: 'warning',
    ...options,
    plugins: [versionOnly, ...(options.plugins ?? [])],
    absWorkingDir: root,
    entryPoints: { [path.parse(outfile).name]: entry, ...processes },
    outdir: path.dirname(outfile),
    write: false,
    metafile: true,
  })
  const own = withStableNames(outputFiles, metafile, root).map(file => ({
    name: path.relative(root, file.path),
    contents: file.contents,
  }))
  const licenses = await licensesOf(metafile, root)
  const { dir, name } = path.parse(outfile)
  const texts =
    licenses === undefined ? [] : [{ name: path.join(dir, `${name}.LICENSES.txt`), contents: Buffer.from(licenses) }]
  return [...own, ...texts, ...(await Promise.all(beside.map(buildBundle))).flat()]
}
