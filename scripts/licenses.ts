/** The licence texts of the packages in a bundle, which most licences require to be distributed with the code. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Metafile } from 'esbuild'

/**
 * Packages that npm delivers without the text, and the file of another (or their README) that has it. All of TensorFlow.js is under
 * the Apache License 2.0, as `long` is.
 */
const standIns: Readonly<Record<string, string>> = {
  '@tensorflow/tfjs-backend-cpu': 'node_modules/long/LICENSE',
  '@tensorflow/tfjs-core': 'node_modules/long/LICENSE',
  '@tensorflow/tfjs-layers': 'node_modules/long/LICENSE',
  // By the same authors, under the same licence.
  '@hono/zod-openapi': 'node_modules/hono/LICENSE',
  '@hono/zod-validator': 'node_modules/hono/LICENSE',
  seedrandom: 'node_modules/seedrandom/README.md',
  // By the same author, under the same licence.
  tr46: 'node_modules/whatwg-url/LICENSE.txt',
}

/** Between the packages of a licence file, each of which starts with its name on a line. */
export const BETWEEN_LICENSES = `\n\n${'-'.repeat(80)}\n\n`

/** Undefined for a bundle without packages. @throws Error if a package has no licence text. */
export async function licensesOf({ outputs }: Metafile, root: string): Promise<string | undefined> {
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const carried = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).flatMap(([input]) => folderOf(input))
  const folders = [...new Set(carried)].sort()
  const texts = await Promise.all(folders.map(async folder => `${nameOf(folder)}\n\n${await textOf(folder, root)}`))
  return texts.length === 0 ? undefined : `${texts.join(BETWEEN_LICENSES)}\n`
}

/** The package of an input of the build, which may be nested in another package's `node_modules`. */
function folderOf(input: string): string[] {
  const [folder] = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []
  return folder === undefined ? [] : [folder]
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

async function textOf(folder: string, root: string): Promise<string> {
  const names = (await readdir(path.join(root, folder)))
    .filter(name => /^(licen[sc]e|copying|notice)/i.test(name))
    .sort()
  const standIn = standIns[nameOf(folder)]
  const files = names.length === 0 && standIn !== undefined ? [standIn] : names.map(name => path.join(folder, name))
  if (files.length === 0) {
    throw new Error(
      `${nameOf(folder)} goes into a bundle and has no licence text. Name a file that has it in scripts/licenses.ts, or do without the package.`,
    )
  }
  const texts = await Promise.all(files.map(file => readFile(path.join(root, file), 'utf8')))
  return texts.map(text => text.replaceAll('\r\n', '\n').trim()).join('\n\n')
}
