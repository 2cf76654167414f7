/** Script, styles and icon of the pages, under addresses that contain a hash of their content. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { icon } from './icon.ts'

export interface Asset {
  readonly url: string
  readonly contentType: string
  readonly contents: Uint8Array<ArrayBuffer>
}

export interface Assets {
  readonly script: Asset
  readonly styles: Asset
  readonly icon: Asset
}

/** Where assets are served from. */
const ASSETS_PATH = '/assets/'

/** By the names that `scripts/bundles.ts` gives them. */
export interface AssetFiles {
  readonly 'dashboard.js': Uint8Array
  readonly 'dashboard.css': Uint8Array
}

export function assetsOf(files: AssetFiles): Assets {
  return {
    script: asset('dashboard', 'js', 'text/javascript; charset=utf-8', files['dashboard.js']),
    styles: asset('dashboard', 'css', 'text/css; charset=utf-8', files['dashboard.css']),
    icon: asset('icon', 'svg', 'image/svg+xml', Buffer.from(icon)),
  }
}

/** The assets built into dist/, beside the running bundle or found from the sources. */
export function builtAssets(): Assets {
  const places = ['./dashboard/', '../../dist/dashboard/'].map(path => new URL(path, import.meta.url))
  const folder = places.find(place => existsSync(new URL('dashboard.js', place)))
  if (folder === undefined) {
    const looked = places.map(place => fileURLToPath(place)).join(' nor ')
    throw new Error(`The pages' script is not in ${looked}. Install memorymark anew, or run npm run build.`)
  }
  const read = (name: keyof AssetFiles) => readFileSync(new URL(name, folder))
  return assetsOf({ 'dashboard.js': read('dashboard.js'), 'dashboard.css': read('dashboard.css') })
}

function asset(name: string, extension: string, contentType: string, contents: Uint8Array): Asset {
  const hash = createHash('sha256').update(contents).digest('base64url').slice(0, 16)
  return { url: `${ASSETS_PATH}${name}-${hash}.${extension}`, contentType, contents: new Uint8Array(contents) }
}
