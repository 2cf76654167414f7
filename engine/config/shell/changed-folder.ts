/** The folder that a shell script changes to before it starts something: `cd src && python train.py`, `cd "$ROOT/src"`. */

const changes = /(?:^|[\n;&|(])[ \t]*(?:cd|pushd|popd)\b([^\n;&|)]*)/g
/** What a variable stands for is taken for where the repository lies, or the script. */
const below = /^[ \t]+(?:--[ \t]+)?["']?(?:\$\{?\w{1,60}\}?\/)?((?:[\w.-]+\/)*[\w.-]+)\/?["']?[ \t]*$/

/** By an offset in the text, the last before it; undefined where it changes to none, or does not say to which. */
export function changedFolders(text: string): (at: number) => string | undefined {
  const found = Array.from(text.matchAll(changes), ({ index, 1: given = '' }) => ({ index, given }))
  return at => {
    let [low, high] = [0, found.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (found[middle]!.index < at) low = middle + 1
      else high = middle
    }
    return below.exec(found[low - 1]?.given ?? '')?.[1]
  }
}
