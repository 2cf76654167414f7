/** Sets keys in a config's text and keeps every other character: in YAML and JSON, in TOML, in Python and in the shell. */
import type { Position } from '../../base/position.ts'
import type { CommentedKey, KeySetting, WrittenKey } from '../tools/tool.ts'
import { setInPython } from './python.ts'
import { setInShell } from './shell.ts'
import { type Edited, offsetOf } from './text.ts'
import { setInToml } from './toml.ts'
import { commentOutInYaml, setInYaml } from './yaml.ts'

/** Undefined where the keys cannot be set in place. Whether the text then says what is meant, only reading it again tells. */
export function withSettings(
  {
    path,
    text,
    batchSizeAt,
  }: { readonly path: string; readonly text: string; readonly batchSizeAt?: Position | undefined },
  settings: readonly KeySetting[],
): string | undefined {
  const [set, commentOut] = settersFor(path)
  let edited: Edited = { path, text, anchor: batchSizeAt && offsetOf(text, batchSizeAt) }
  // In YAML and TOML lines are added right behind the batch size's or a header, so that the last to be set comes first.
  for (const setting of /\.(?:ya?ml|toml)$/i.test(path) ? settings.toReversed() : settings) {
    const changed = setting.isCommentedOut ? commentOut?.(edited, setting) : set(edited, setting)
    if (changed === undefined) return undefined
    edited = { path, text: changed, anchor: moved(edited, changed) }
  }
  return edited.text
}

/** Where the anchor is after a change in one place. */
function moved({ text, anchor }: Edited, changed: string): number | undefined {
  if (anchor === undefined || changed.startsWith(text.slice(0, anchor))) return anchor
  return anchor + changed.length - text.length
}

type Setter<Setting> = (file: Edited, setting: Setting) => string | undefined

function settersFor(path: string): readonly [set: Setter<WrittenKey>, commentOut?: Setter<CommentedKey>] {
  if (/\.(?:py|ipynb)$/i.test(path)) return [setInPython]
  if (/\.toml$/i.test(path)) return [setInToml]
  return /\.(?:ya?ml|json|jsonc)$/i.test(path) ? [setInYaml, commentOutInYaml] : [setInShell]
}
