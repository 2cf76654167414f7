/**
 * Writes a comment, rendered from examples/configs, and the smallest workflow into README.md, and the settings into
 * docs/settings.md; `--check` compares.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { defaultGpu } from '../engine/gpus/catalogue.ts'
import { analyze, commentMarker, renderComment, type SourceFile } from '../engine/index.ts'
import { root } from './bundles.ts'
import { documentSections } from './document-sections.ts'

/** One that wastes its GPU and one that is fine. */
const CONFIGS = ['examples/configs/bert-mnli.yaml', 'examples/configs/resnet50-flowers.yaml']
const WORKFLOW = 'examples/workflows/pull-request.yml'
const SETTINGS = 'examples/settings/memorymark.yml'

const SOURCE = 'examples/ or the engine'

await documentSections(
  'README.md',
  { comment: quoted(await comment()), workflow: fenced('yaml', (await source(WORKFLOW)).text) },
  SOURCE,
)
await documentSections('docs/settings.md', { settings: fenced('yaml', (await source(SETTINGS)).text) }, SOURCE)

/** What is seen before anything is unfolded. */
async function comment(): Promise<string> {
  const report = await analyze(await Promise.all(CONFIGS.map(source)), { now: new Date(0), gpu: defaultGpu })
  const markdown = renderComment(report)
  if (markdown === undefined) throw new Error(`None of ${CONFIGS.join(', ')} is a training config.`)
  return markdown
    .replace(commentMarker, '')
    .replace(/<details>.*<\/details>\s*/s, '')
    .trim()
}

async function source(file: string): Promise<SourceFile> {
  return { path: file, text: await readFile(path.join(root, file), 'utf8') }
}

function quoted(markdown: string): string {
  return markdown.replaceAll(/^/gm, '> ').replaceAll(/ +$/gm, '')
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``
}
