/**
 * `npm run build:gpu-bench`: the GPU bench as it is carried to a rented machine that lacks Node, in tmp/gpu-bench: one bundled
 * file, the Python worker's folder, and this machine's Node.
 */
import { copyFile, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buildBundle, root } from './bundles.ts'

const FOLDER = 'tmp/gpu-bench'

const files = await buildBundle({
  entry: 'bench/gpu.ts',
  outfile: `${FOLDER}/memorymark-gpu.js`,
  options: { target: 'node24', minify: true, legalComments: 'none', outExtension: { '.js': '.mjs' } },
})
await rm(path.join(root, FOLDER), { recursive: true, force: true })
await mkdir(path.join(root, FOLDER), { recursive: true })
for (const { name, contents } of files) await writeFile(path.join(root, name), contents)
await cp(path.join(root, 'engine/probes/worker'), path.join(root, FOLDER, 'worker'), {
  recursive: true,
  filter: source => path.basename(source) !== '__pycache__',
})
await copyFile(process.execPath, path.join(root, FOLDER, 'node'))
console.log(`${FOLDER}: ./node memorymark-gpu.mjs --part facts`)
