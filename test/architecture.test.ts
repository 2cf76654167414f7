/** The import rule: applications may import the engine, its parts only what lies below them, and nobody in a circle. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importRows } from './import-rows.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Import {
  readonly from: string
  /** A file of this repository, or the name of a package. */
  readonly to: string
  /** Erased before it runs. */
  readonly typeOnly: boolean
}

const files = ['action', 'bot', 'cli', 'engine', 'github', 'playground', 'server'].flatMap(folder =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => path.posix.join(folder, name.split(path.sep).join('/'))),
)
const imports = files.flatMap(importsOf)

function importsOf(from: string): Import[] {
  const text = readFileSync(path.join(root, from), 'utf8')
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)
  const dynamic = text.matchAll(/\bimport\(\s*()'([^']+)'/g)
  return [...statements, ...dynamic].map(([, type, specifier = '']) => ({
    from,
    to: specifier.startsWith('.') ? path.posix.join(path.posix.dirname(from), specifier) : specifier,
    typeOnly: type !== undefined && type !== '',
  }))
}

function partOf(file: string): string {
  const [folder = '', name = ''] = file.split('/')
  return folder === 'engine' ? `engine/${name.replace(/\.ts$/, '')}` : folder
}

function rowOf(file: string): number {
  return importRows.findIndex(parts => parts.includes(partOf(file)))
}

const inside = imports.filter(({ to }) => files.includes(to))
const written = ({ from, to }: Import) => `${from} → ${to}`

describe('the import rule', () => {
  test('knows every file', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(files.filter(file => rowOf(file) < 0)).toEqual([])
  })

  test('finds every file that is imported', () => {
    expect(
      imports.filter(
        ({ to }) => /^(?:action|bot|cli|engine|github|playground|server)\/.*\.ts$/.test(to) && !files.includes(to),
      ),
    ).toEqual([])
  })

  test('lets no part import one above it, nor the shells each other', () => {
    const broken = inside.filter(
      ({ from, to }) =>
        partOf(from) !== partOf(to) && (rowOf(from) > rowOf(to) || (rowOf(from) === 0 && rowOf(to) === 0)),
    )
    expect(broken.map(written)).toEqual([])
  })

  test('keeps GitHub out of the engine', () => {
    const github = /^(?:@actions\/|@octokit\/|octokit|probot)/
    expect(imports.filter(({ from, to }) => from.startsWith('engine/') && github.test(to)).map(written)).toEqual([])
  })

  test('lets a model say what is computed, and nothing of who computes it', () => {
    const models = imports.filter(({ from }) => /^engine\/(?:models|program)\//.test(from))
    expect(models.length).toBeGreaterThan(200)
    expect(models.filter(({ to }) => /^engine\/(?:estimate|probes)\/|^@tensorflow\//.test(to)).map(written)).toEqual([])
    const ofPrograms = inside.filter(({ from }) => partOf(from) === 'engine/program')
    expect(ofPrograms.filter(({ to }) => partOf(to) !== 'engine/program').map(written)).toEqual([])
  })

  test('parses Python without evaluating it, and evaluates it without knowing what trains', () => {
    const layers = ['syntax', 'values', 'training'].map(name => `engine/config/python/${name}/`)
    const layerOf = (file: string) => layers.findIndex(layer => file.startsWith(layer))
    const ofPython = inside.filter(({ from, to }) => layerOf(from) >= 0 && layerOf(to) >= 0)
    expect(ofPython.length).toBeGreaterThan(100)
    const upwards = ofPython.filter(({ from, to, typeOnly }) => !typeOnly && layerOf(from) < layerOf(to))
    expect(upwards.map(written)).toEqual([])
  })

  test('lets no files import each other in a circle when they run', () => {
    expect(circles(inside.filter(({ typeOnly }) => !typeOnly))).toEqual([])
  })

  test('nor by types, but for what evaluates Python, where any part may ask for a value that another gives', () => {
    const isOfEvaluator = ({ to }: Import) => to.startsWith('engine/config/python/values/')
    expect(inside.some(isOfEvaluator)).toBe(true)
    expect(circles(inside.filter(each => !isOfEvaluator(each)))).toEqual([])
  })
})

/** Every circle, as the path that closes it. */
function circles(edges: readonly Import[]): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, trail: readonly string[]) => {
    if (trail.includes(file)) {
      found.push([...trail.slice(trail.indexOf(file)), file].join(' → '))
      return
    }
    if (done.has(file)) return
    for (const { to } of edges.filter(({ from }) => from === file)) visit(to, [...trail, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return found
}
