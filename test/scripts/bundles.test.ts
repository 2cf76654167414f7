import { builtinModules } from 'node:module'
import { describe, expect, it } from 'vitest'
import {
  actionBundle,
  analysisBundle,
  type BuiltFile,
  type Bundle,
  buildBundle,
  bundles,
  dashboardBundle,
  databaseThreadBundle,
  root,
  tfjsBundle,
} from '../../scripts/bundles.ts'
import { licensesOf } from '../../scripts/licenses.ts'

const builds = new Map<Bundle, Promise<BuiltFile[]>>()

/** Built once for all tests. */
function filesOf(bundle: Bundle): Promise<BuiltFile[]> {
  const build = builds.get(bundle) ?? buildBundle(bundle)
  builds.set(bundle, build)
  return build
}

/** All scripts of a bundle, the entry first. */
async function built(bundle: Bundle): Promise<string> {
  return scriptsOf(await filesOf(bundle), bundle)
}

function scriptsOf(built: readonly BuiltFile[], bundle: Bundle): string {
  const files = built.filter(({ name }) => name.endsWith('.js'))
  const entryFirst = files.toSorted((a, b) => Number(b.name === bundle.outfile) - Number(a.name === bundle.outfile))
  return Buffer.concat(entryFirst.map(({ contents }) => contents)).toString()
}

/** What no shell starts. */
const notCommands = [actionBundle, tfjsBundle, dashboardBundle, analysisBundle, databaseThreadBundle]

describe('the bundles', () => {
  it.each(bundles.filter(bundle => !notCommands.includes(bundle)))('$outfile can be run as a command', async bundle => {
    const [first, ...others] = (await built(bundle)).split('\n')
    // Without -S, env would look for a program whose name has the options in it.
    expect(first).toMatch(/^#!\/usr\/bin\/env (?:node|-S node(?: --[\w=-]+)+)$/)
    expect(others.filter(line => line.startsWith('#!'))).toEqual([])
  })

  it.each(bundles)('$outfile is the same every time, and free of this machine', async bundle => {
    const script = await built(bundle)
    expect(scriptsOf(await buildBundle(bundle), bundle)).toBe(script)
    expect(script).not.toContain(process.cwd())
  })

  it.each([actionBundle, tfjsBundle, dashboardBundle])(
    '$outfile holds every package that it needs, and of package.json the version only',
    async bundle => {
      const script = await built(bundle)
      const imported = new Set(Array.from(script.matchAll(/\bfrom"([\w@][\w@/.:-]*)"/g), ([, name = '']) => name))
      expect([...imported].filter(name => !name.startsWith('node:') && !builtinModules.includes(name))).toEqual([])
      expect(script).not.toContain('devDependencies')
    },
  )

  it.each(bundles.filter(bundle => bundle !== tfjsBundle))('$outfile does not carry TensorFlow.js', async bundle => {
    expect(await built(bundle)).not.toContain('variableGrads')
  })

  it("the names of the Action's files do not change with what is in them", async () => {
    const names = (await filesOf(actionBundle)).map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
    expect(names.filter(name => /-[0-9A-Z]{8}\./.test(name))).toEqual([])
    const scripts = (await built(actionBundle)).matchAll(/"\.\/(action-[^"]+)"/g)
    expect(Array.from(scripts, ([, name]) => `dist/${name}`).filter(name => !names.includes(name))).toEqual([])
  })

  it.each([
    { bundle: actionBundle, packages: ['yaml', 'zod', 'undici', '@actions/core', '@actions/github', '@octokit/core'] },
    { bundle: tfjsBundle, packages: ['@tensorflow/tfjs-core', 'seedrandom', 'zod'] },
    { bundle: dashboardBundle, packages: ['uplot'] },
  ])('$bundle.outfile brings the licence texts of what it carries', async ({ bundle, packages }) => {
    const files = await filesOf(bundle)
    const licenses = files.find(({ name }) => name === bundle.outfile.replace('.js', '.LICENSES.txt'))
    const sections = Buffer.from(licenses?.contents ?? [])
      .toString()
      .split(`\n\n${'-'.repeat(80)}\n\n`)
    const named = sections.map(section => section.split('\n')[0])
    for (const name of packages) expect(named).toContain(name)
    for (const section of sections) expect(section).toMatch(/permission|redistribut|apache license|licensed/i)
  })

  it('a package without a licence text is named', async () => {
    const input = { bytesInOutput: 1 }
    const outputs = {
      'dist/x.js': { bytes: 1, imports: [], exports: [], inputs: { 'node_modules/pg-types/index.js': input } },
    }
    await expect(licensesOf({ inputs: {}, outputs }, root)).rejects.toThrow(
      'pg-types goes into a bundle and has no licence text',
    )
  })

  it('a missing source is named', async () => {
    const bundle: Bundle = { entry: 'engine/absent.ts', outfile: 'dist/absent.js', options: {} }
    await expect(buildBundle(bundle)).rejects.toThrow('engine/absent.ts is missing, so dist/absent.js cannot be built.')
  })
})
